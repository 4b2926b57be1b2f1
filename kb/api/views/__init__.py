"""The API's views, one module per subject. They read parameters, call a selector or `kb.search`, and choose a shape."""
