"""The pages of labeling."""
