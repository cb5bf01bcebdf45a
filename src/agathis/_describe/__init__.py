"""A tree in a reader's words and units."""
