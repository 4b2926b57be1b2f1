"""How well set-ups are checked: over the judged set next door, or a folder in the form of `../shared/data/setups`."""
