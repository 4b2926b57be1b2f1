"""What only SQL can say of the tables: their triggers, views, and keys of several columns."""

from django.db import migrations

from kb.migrations._sql import SQL, run_file


class Migration(migrations.Migration):
    """After the tables, whose indexes Django makes at the end of their migration."""

    replaces = [("kb", "0026_two_readings")]
    dependencies = [("kb", "0001_squashed_0025_axis_rules")]
    operations = [
        run_file(SQL / f"{name}.sql") for name in ("tables", "digests", "search_outbox", "facts", "cause_links")
    ]
