"""How rows look in the API's JSON. Plain shapes: what is shown is read by `kb.selectors`, nothing is written."""
