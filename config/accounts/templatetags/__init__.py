"""Template tags of the account pages."""
