"""What a single line says of itself: who wrote it, when, how gravely, and what kind of line it is."""
