"""The pages: thin views that read one selector or search and render one template. No rule lives here."""
