"""A number by which kept pages know whether what they show has changed."""

from django.db import migrations

from kb.migrations._sql import SQL, run_file


class Migration(migrations.Migration):
    """Triggers on all tables of this app but those that no page for all readers shows."""

    dependencies = [("kb", "0043_webhooks")]
    operations = [run_file(SQL / "page_revision.sql")]
