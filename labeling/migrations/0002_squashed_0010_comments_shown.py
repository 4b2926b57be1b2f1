"""What only SQL can say of the tables: their triggers, views, and keys of several columns."""

from pathlib import Path

from django.db import migrations

from kb.migrations._sql import run_file

SQL = Path(__file__).with_name("sql")


class Migration(migrations.Migration):
    """After the tables, whose indexes Django makes at the end of their migration."""

    replaces = [("labeling", "0010_comments_shown")]
    dependencies = [("labeling", "0001_squashed_0009_jobs_that_fill_rounds")]
    operations = [run_file(SQL / f"{name}.sql") for name in ("keys",)]
