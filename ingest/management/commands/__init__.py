"""One module per command; each only reads its arguments, calls a service and prints what came out."""
