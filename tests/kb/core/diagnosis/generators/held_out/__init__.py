"""Held out: the last variant of every kind. Nobody reads these while a diagnoser is tuned."""
