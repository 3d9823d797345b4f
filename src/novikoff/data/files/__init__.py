"""Files, pipes and addresses as blocks of bytes: patterns, compression, storage."""
