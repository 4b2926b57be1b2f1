"""Open coding: the board, its history, and what is made of it."""
