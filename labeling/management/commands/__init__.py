"""One module per command of manage.py; what a command does is in the packages it calls."""
