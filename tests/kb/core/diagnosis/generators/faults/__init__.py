"""What goes wrong, by kind: for each the variants that may be looked at, in order; the last of each is in held_out/."""
