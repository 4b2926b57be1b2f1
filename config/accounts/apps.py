"""Django's registration of the accounts: for the template tags and the admin's pages."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts; most of their tables are Django's and allauth's."""

    name = "config.accounts"
    label = "faultbook_accounts"
    verbose_name = "Accounts"
