"""The pages of Explore: what the knowledge base says when it is counted."""
