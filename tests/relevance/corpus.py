"""The issues that the judged set is about: the mirrored ones beside this project and the starter records."""

from collections.abc import Iterator
from pathlib import Path

from ingest.imports.issues.load import import_issues
from kb.codebook.load import load_codebook
from kb.models import Issue
from kb.starter.load import load_starter
from tests.relevance.peers import Text

DATA = Path(__file__).parents[3] / "shared" / "data" / "issues"


def load() -> None:
    """Fill the database, as `load_codebook`, `load_starter` and `import_issues` do."""
    load_codebook()
    load_starter()
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
