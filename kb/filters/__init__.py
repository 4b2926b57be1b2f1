"""Every filter on rows: values, fields, conditions and the filter sets. Free text is kb/search's."""
