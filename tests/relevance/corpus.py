"""The issues that the judged set is about: the mirrored ones beside this project, and starter records.

A judged set has a fixed collection: a record that nobody judged would count as wrong wherever it is right. So records
that came after the judging stand in it only where a query has a grade for them.
"""

import datetime as dt
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from ingest.imports.issues.load import import_issues
from kb.codebook.load import load_codebook
from kb.models import Issue, OtherReport
from kb.starter.load import load_starter
from tests.relevance.peers import Text

# The day of the last round in which the whole pool was judged.
COLLECTED = dt.date(2026, 11, 25)
DATA = Path(__file__).parents[3] / "shared" / "data" / "issues"


def load(judged: Collection[str]) -> None:
    """Fill the database with the collection, as `load_codebook`, `load_starter` and `import_issues` do.

    `judged`: addresses of issues that a query has a grade for. With WHOLE=1 in the environment, nothing is left out.
    """
    load_codebook()
    load_starter()
    if not os.environ.get("WHOLE"):
        reports = OtherReport.objects.select_related("repository")
        answering = {report.record_id for report in reports if report.url in judged}
        later = Issue.objects.filter(read_on__gt=COLLECTED)
        later.exclude(url__in=judged).exclude(pk__in=answering).delete()
    outcome = import_issues(files=sorted(DATA.glob("*.jsonl.gz")))
    assert outcome.succeeded


def texts() -> Iterator[Text]:
    """Everything that an issue says, for the peers."""
    columns = ("url", "title", "heading", "body", "summary", "recognise", "also_seen", "resolution", "workaround",
               "fix_line")  # fmt: skip
    for url, title, heading, body, summary, recognise, faces, *rest in Issue.objects.order_by("pk").values_list(
        *columns
    ):
        yield Text(url, f"{title} {heading}".strip(), "\n".join((body, summary, *recognise, *faces, *rest)))
