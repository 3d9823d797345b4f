"""The split of rows by one linear program, with its proofs."""
