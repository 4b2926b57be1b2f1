"""What every search engine promises, tried on all of them."""
