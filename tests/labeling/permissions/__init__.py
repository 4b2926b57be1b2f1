"""Who may open and do what, on every address of labeling; and what stays hidden there."""
