"""`faultbook search`: the faults that words or an error line ask for, from the data here or from a server."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from faultbook.commands import NoAnswerError, add_server

if TYPE_CHECKING:
    from faultbook.found import FoundData, FoundFault

HELP = (
    "Find known faults by words, an error line or a report's address, the best first. "
    "Exit code: 0 something close was found, 1 nothing close, 2 bad input or no answer."
)
CLOSE, NOTHING_CLOSE, BAD_INPUT = 0, 1, 2
MOST = 50
LONGEST = 20_000


def add_arguments(parser: ArgumentParser) -> None:
    """What is looked for, and how many results are wanted."""
    parser.add_argument("words", nargs="+", metavar="WORDS", help="as on the search page; - reads standard input")
    parser.add_argument("--limit", type=int, default=5, metavar="N", help=f"so many results, 1 to {MOST} (default: 5)")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    add_server(parser, "the words")


def run(options: Namespace) -> int:
    """Search, print, and return the exit code."""
    from kb.core.knowledge.file import BadDataError

    words = sys.stdin.read(LONGEST + 1) if options.words == ["-"] else " ".join(options.words)
    if not words.strip() or len(words) > LONGEST or not 1 <= options.limit <= MOST:
        print(f"Give up to {LONGEST:,} characters to look for, and a limit from 1 to {MOST}.", file=sys.stderr)
        return BAD_INPUT
    try:
        data = _by_server(options.server, words, options.limit) if options.server else _here(words, options.limit)
    except (NoAnswerError, BadDataError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    print(json.dumps(data, indent=2, ensure_ascii=False) if options.json else "\n".join(_text(data)))
    return CLOSE if data["is_close"] else NOTHING_CLOSE


def _here(words: str, limit: int) -> "FoundData":
    from faultbook.data import knowledge, warn_of_age
    from kb.core.knowledge.search import search

    known = knowledge()
    found = search(known, words, limit=limit)
    warn_of_age()
    faults: list[FoundFault] = []
    for row, reason in zip(found.rows, found.reasons(), strict=True):
        card = row.card
        faults.append(
            {
                "id": known.records[card.id].public_id,
                "name": card.name,
                "title": card.title,
                "url": card.url,
                "page": card.page,
                "framework": card.framework_name,
                "symptoms": [node.name for node in card.symptoms],
                "causes": [node.name for node in card.causes],
                "fix_line": card.fix_line,
                "certainty": card.certainty,
                "why": list(_why(reason.title, reason.elsewhere, [(each.wanted, each.there) for each in reason.alike])),
            }
        )
    return {"query": words, "is_close": found.is_close, "total": found.total, "faults": faults}


def _by_server(server: str, words: str, limit: int) -> "FoundData":
    from faultbook.server import search

    answer = search(server, words, limit)
    return {
        "query": words,
        "is_close": answer["query"]["is_close"],
        "total": answer["count"],
        "faults": [_of_row(row) for row in answer["results"]],
    }


def _of_row(row: Mapping[str, Any]) -> "FoundFault":
    why = row["why"]
    return {
        "id": row.get("public_id", ""),
        "name": row["name"],
        "title": row["title"],
        "url": row["url"],
        "page": row["page"],
        "framework": row["framework_name"],
        "symptoms": [node["name"] for node in row["symptoms"]],
        "causes": [node["name"] for node in row["causes"]],
        "fix_line": row["fix_line"],
        "certainty": row["certainty"],
        "why": list(_why(why["title"], why["elsewhere"], [(each["wanted"], each["there"]) for each in why["alike"]])),
    }


def _why(title: Sequence[str], elsewhere: Sequence[str], alike: Sequence[tuple[str, str]]) -> Iterator[str]:
    if title:
        yield f"in its title: {', '.join(title)}"
    if elsewhere:
        yield f"in its text: {', '.join(elsewhere)}"
    for wanted, there in alike:
        yield f"{wanted}: here “{there}”"


def _text(data: "FoundData") -> Iterator[str]:
    if not data["is_close"]:
        yield f"Nothing close to “{data['query'].strip()[:80]}” is known." + (" Nearest:" if data["faults"] else "")
    for fault in data["faults"]:
        symptoms = f" [{', '.join(fault['symptoms'])}]" if fault["symptoms"] else ""
        yield f"{fault['title']}{symptoms}"
        yield f"  {' '.join(filter(None, (fault['id'], fault['name'], fault['url'])))}"
        if fault["causes"]:
            yield f"  cause: {'; '.join(fault['causes'])} ({fault['certainty'].replace('_', ' ')})"
        if fault["fix_line"]:
            yield f"  do: {fault['fix_line']}"
        if fault["why"]:
            yield f"  found {'; '.join(fault['why'])}"
