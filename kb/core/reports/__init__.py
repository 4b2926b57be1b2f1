"""What a report of a fault should hold, by its symptom, and what of it stands in a draft. No Django, nothing stored."""
