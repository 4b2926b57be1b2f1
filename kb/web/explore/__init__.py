"""Pages that explore what is known: thin views over selectors and charts."""
