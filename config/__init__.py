"""Plumbing: settings, the product's URLs, the Celery app, the WSGI entry and the embedded servers.

No business rule lives here, and no other package imports it by name.
"""
