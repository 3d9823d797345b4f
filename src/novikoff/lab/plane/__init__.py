"""The plane in which points are placed: its verdict, its figures, its viewport."""
