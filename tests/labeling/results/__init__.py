"""What comes out of labeling: publishing, releases, exchange."""
