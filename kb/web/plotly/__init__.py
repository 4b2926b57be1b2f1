"""Plotly's script as readers get it: cut down to what figures use, and found as a static file."""
