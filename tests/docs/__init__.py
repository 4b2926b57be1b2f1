"""What README, CONTRIBUTING and docs/ say is held to: links, names, commands and examples."""
