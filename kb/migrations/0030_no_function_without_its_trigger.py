"""Databases made before 0001 and 0002 were made anew keep two functions whose triggers are gone."""

from django.db import migrations

GONE = "pgtrigger_forgotten_stays_forgotten_4d781, pgtrigger_forgotten_stays_forgotten_c0b2f"


class Migration(migrations.Migration):
    """After each host has an index."""

    dependencies = [("kb", "0029_an_index_on_each_host")]
    operations = [migrations.RunSQL(f"DROP FUNCTION IF EXISTS {GONE}", migrations.RunSQL.noop)]
