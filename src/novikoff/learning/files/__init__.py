"""The files that learning leaves: models and checkpoints, both made of named arrays and texts."""
