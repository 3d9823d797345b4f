"""Is it separable, by how much, and who is in the way: decided exactly, with a certificate."""
