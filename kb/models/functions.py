"""Our own Postgres functions as query expressions; migrations create them."""

from django.db.models import Func, TextField


class WithoutSecrets(Func):
    """A text without possible secrets (migration 0013)."""

    function = "kb_without_secrets"
    arity = 1
    output_field = TextField()
