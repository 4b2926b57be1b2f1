"""Functions of our own in Postgres, as expressions of queries. They are made in `kb/migrations`."""

from django.db.models import Func, TextField


class WithoutSecrets(Func):
    """A text without anything that may be a secret (migration 0013)."""

    function = "kb_without_secrets"
    arity = 1
    output_field = TextField()
