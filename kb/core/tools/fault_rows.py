"""A record or report in short, from the card that a search has of it. Mirrored words go into `untrusted_…` fields."""

from collections.abc import Iterable, Mapping

from kb.core.intervals import wilson
from kb.core.public_ids import public_id_of
from kb.core.search.cards import Card
from kb.core.setups.known_faults import Row
from kb.core.tools import answers
from kb.core.tools.texts import shown

TITLE, SUMMARY, QUOTE, SENTENCE, NAME = 160, 140, 160, 200, 80
LONG, LINE = 2_400, 300
MOST_NAMES, MOST_LINES, MOST_FIXES, MOST_VERSIONS = 4, 6, 5, 4
MOST_CAUSES, MOST_CAUSES_OF_MORE, EXAMPLES, FIXES = 6, 20, 2, 3
CERTAINTIES: Mapping[str, answers.CertaintyName] = {
    "confirmed": "confirmed", "likely": "likely", "unsettled": "unsettled",
}  # fmt: skip


def fault_row(card: Card, site: str, *, more: bool) -> answers.FaultRow:
    """A result of a search: our words of a record, the mirrored ones of a report."""
    length = 3 if more else 1
    row = answers.FaultRow(
        id=id_of(card.url, card.page),
        address=card.url,
        page=site + card.page if more else "",
        certainty=certainty_of(card.certainty, is_curated=card.curated),
        framework=card.framework_name,
        symptoms=names(node.name for node in card.symptoms),
        causes=names(node.name for node in card.causes),
        do_now=shown(card.fix_line, SENTENCE),
        fixed_in=shown(card.fixed_version, NAME),
        fix=card.fix.url if card.fix else "",
    )
    if card.curated:
        row.title, row.summary = shown(card.title, TITLE), shown(card.start, SUMMARY * length)
    else:
        row.untrusted_title, row.untrusted_quote = shown(card.title, TITLE), shown(card.start, QUOTE * length)
    return row


def id_of(url: str, page: str) -> str:
    """The public id by the address of a page of ours, else `owner/name#number` by that of the report."""
    parts = url.split("/")
    return public_id_of(page.rstrip("/").rpartition("/")[2]) or (
        f"{parts[3]}/{parts[4]}#{parts[-1]}" if len(parts) > 6 else url
    )


def certainty_of(stated: str, *, is_curated: bool) -> answers.CertaintyName:
    """How sure a record is; a report that nobody read is `not_checked`."""
    return CERTAINTIES.get(stated, "not_stated" if is_curated else "not_checked")


def names(texts: Iterable[str]) -> list[str]:
    """The first few, each once."""
    return list(dict.fromkeys(texts))[:MOST_NAMES]


def cause_row(code: str, name: str, n: int, of: int, *, fixed_by: list[str], examples: list[str]) -> answers.Cause:
    """A cause of `n` of the `of` issues whose cause is known."""
    interval = wilson(n, of)
    return answers.Cause(
        code=code, name=name, share=round(n / of, 3), low=round(interval.low, 3), high=round(interval.high, 3), n=n,
        of=of, fixed_by=fixed_by[:FIXES], examples=examples[:EXAMPLES],
    )  # fmt: skip


def range_in_words(row: Row) -> str:
    """The versions of one package, in words."""
    said = [row.package]
    if row.introduced:
        said.append(f"from {row.introduced.version}")
    if row.fixed:
        said.append(f"fixed in {row.fixed.version}")
    elif row.last_affected:
        said.append(f"up to {row.last_affected.version}")
    elif row.reported:
        said.append(f"reported in {', '.join(map(str, row.reported[:MOST_VERSIONS]))}")
    return " ".join(said)
