"""The pages of labeling, by what people do there: set up, label, settle, read results. No rule is made here."""
