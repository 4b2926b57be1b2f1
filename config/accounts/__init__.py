"""Accounts: django-allauth fitted into Faultbook. Which of its pages there are, and what of it behaves otherwise here.

The pages' words are in templates/account, mfa, usersessions and socialaccount; the settings are grouped in settings.py.
"""
