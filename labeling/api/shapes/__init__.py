"""How rows of labeling look as JSON, and what a request's body must look like. Shapes read; they decide nothing."""
