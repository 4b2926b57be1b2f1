"""A user's diagnosis: answered at once or as a job, and what the knowledge base knows of it.

A log is judged in `kb.core.diagnosis`, which knows no Django. How a diagnosis looks is up to page and API.
"""
