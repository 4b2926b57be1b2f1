"""Charts count on which hardware faults show: the facts have a column for it, and the triggers fill it."""

import re

from django.db import migrations, models

from kb.migrations._sql import SQL

VIEW = re.compile(r"^CREATE VIEW kb_facts_of_answers .*?;$", re.MULTILINE | re.DOTALL)
FUNCTION = re.compile(r"^CREATE (FUNCTION kb_refresh_facts\(.*?^END \$\$;)$", re.MULTILINE | re.DOTALL)
AFTER = (SQL / "facts_hardware.sql").read_text(encoding="utf-8")


def before() -> str:
    """The view and the function as they were; a view loses no column unless it is dropped."""
    text = (SQL / "facts.sql").read_text(encoding="utf-8")
    (view,), (function,) = VIEW.findall(text), FUNCTION.findall(text)
    return f"DROP VIEW kb_facts_of_answers;\n{view}\nCREATE OR REPLACE {function}"


class Migration(migrations.Migration):
    """The column is empty until somebody answers: no label on that axis is older."""

    dependencies = [("kb", "0036_what_to_do_first")]
    operations = [
        migrations.AddField(
            model_name="issuefacts", name="hardware", field=models.TextField(db_collation="C", db_default="")
        ),
        migrations.RunSQL(AFTER, before()),
    ]
