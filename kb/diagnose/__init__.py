"""A user's diagnosis: answered at once or as a job, and what the knowledge base knows of it.

What a log says by itself is judged in `kb.core.diagnosis`, which knows no Django. How a diagnosis looks is the faces' own.
"""
