"""The pages of labeling, by what people do there: set up, label, settle, read results. There are no rules here."""
