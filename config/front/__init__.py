"""The front of a web process: an ASGI application that keeps slow visitors from holding the threads that do the work.

It reads a request whole before a thread is taken for it, lets a few threads run Django (which stays WSGI), and sends
what they answer at the pace of whoever reads it. `application` is what the server serves; see docs/decisions/0038.
"""
