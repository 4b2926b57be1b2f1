"""The pages under Explore."""
