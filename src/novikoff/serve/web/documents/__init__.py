"""What the service says of itself: its counts, its routes and its pages."""
