"""`faultbook triage`: what a maintainer is told of a new report, as a comment that nobody posts."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faultbook.commands import NoAnswerError, add_server
from kb.core.knowledge.file import BadDataError
from kb.core.reports.completeness import completeness
from kb.core.reports.reading import MOST_CHARACTERS, DraftTooLongError
from kb.core.search.language import parse
from kb.core.search.lookup import either
from kb.core.search.similar_reports import Report
from kb.core.setups.reading import SetupError, read_setup
from kb.core.similar import SimilarReportData
from kb.core.triage import has_likely_duplicate, triage

if TYPE_CHECKING:
    from kb.core.knowledge.known import Knowledge

HELP = (
    "Say what a new report may be a duplicate of, which labels it may be given and what to ask its reporter, as a "
    "comment in Markdown. Nothing is posted. Exit code: 0 a likely duplicate found, 1 none, 2 bad input or no answer."
)
LIKELY_DUPLICATE, NONE_LIKELY, BAD_INPUT = 0, 1, 2
# A host's event holds much beside the report.
LONGEST, LONGEST_TITLE, LONGEST_ADDRESS = 4_000_000, 1_000, 500
HERE = (
    "This was measured among all issues that a server mirrors; here, only {records:,} described faults were compared."
)
NO_FILE = (
    "{name} is no file that can be read. Give the report's text as a file or on standard input (-): its title, then "
    "the text, or a host's JSON with title and body."
)
NOT_FETCHED = (
    "Reports are not fetched from hosts. Name a server that mirrors {name} with --server, or hand over its text, such "
    "as by: gh issue view NUMBER --repo OWNER/NAME --json title,body,url | faultbook triage -"
)


def add_arguments(parser: ArgumentParser) -> None:
    """Which report, and what is printed."""
    parser.add_argument(
        "report", metavar="REPORT", help="a file, - for standard input, or OWNER/NAME#123 where a server mirrors it"
    )
    parser.add_argument("--framework", default="", metavar="SLUG", help="whose report it is, such as vllm")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")
    add_server(parser, "the report's text, with stand-ins for secrets, people, machines and folders")


def run(options: Namespace) -> int:
    """Triage, print, and return the exit code."""
    try:
        report = _report(options)
        report = replace(report, framework=options.framework or report.framework)
        told = completeness(f"{report.title}\n{report.body}")
        report = replace(report, setup=read_setup([("report", report.body)]))
        similar = _by_server(options.server, report) if options.server else _here(report)
    except (NoAnswerError, BadDataError, DraftTooLongError, SetupError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    data = triage(similar, told)
    print(json.dumps(data, indent=2, ensure_ascii=False) if options.json else data["comment"].rstrip())
    for sentence in similar["not_known"]:
        print(sentence, file=sys.stderr)
    return LIKELY_DUPLICATE if has_likely_duplicate(similar) else NONE_LIKELY


def _report(options: Namespace) -> Report:
    """The report that is named. Raises `NoAnswerError`."""
    name = options.report
    try:
        if name == "-":
            return _read(sys.stdin.read(LONGEST + 1))
        if Path(name).is_file():
            with Path(name).open(encoding="utf-8", errors="replace") as file:
                return _read(file.read(LONGEST + 1))
    except OSError as error:
        raise NoAnswerError(NO_FILE.format(name=name)) from error
    if parse(name).reference is None:
        raise NoAnswerError(NO_FILE.format(name=name))
    if not options.server:
        raise NoAnswerError(NOT_FETCHED.format(name=name))
    from faultbook.server import issue

    return _of_issue(issue(options.server, name))


def _read(text: str) -> Report:
    """The report in a file: a host's JSON of it or of its event, else its title and its text."""
    if len(text) > LONGEST:
        raise DraftTooLongError(f"More than {LONGEST:,} characters. Give the report alone, up to {MOST_CHARACTERS:,}.")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if isinstance(given, dict):
        return _of_issue(given.get("issue", given))
    title, _, body = text.strip().partition("\n")
    return _checked(Report(title.lstrip("# "), body.strip()))


def _of_issue(given: Any) -> Report:
    values: Mapping[str, Any] = given if isinstance(given, dict) else {}
    title, body, url = (
        next((values[name] for name in names if isinstance(values.get(name), str)), "")
        for names in (("host_title", "title"), ("body",), ("html_url", "url"))
    )
    framework = values.get("framework")
    slug = framework.get("slug") if isinstance(framework, dict) else ""
    return _checked(Report(title, body, str(slug or ""), url=url[:LONGEST_ADDRESS]))


def _checked(report: Report) -> Report:
    """The report with a title of usual length. Raises `NoAnswerError` where there is none."""
    if not report.title.strip() and not report.body.strip():
        raise NoAnswerError("There is neither a title nor a text. Give the report's title, then its text.")
    return replace(report, title=report.title[:LONGEST_TITLE])


def _here(report: Report) -> SimilarReportData:
    from faultbook.data import knowledge, warn_of_age
    from kb.core.knowledge.search import closest
    from kb.core.search.similar_reports import similar_to_report

    known = knowledge()
    warn_of_age()
    report = replace(report, framework=_framework(known, report))
    similar = similar_to_report(report, known, partial(closest, known), lambda page: f"{known.about.server}{page}")
    return {**similar, "basis": f"{similar['basis']} {HERE.format(records=known.about.records)}"}


def _framework(known: "Knowledge", report: Report) -> str:
    """The slug of the report's framework: as it was named, else its repository's. Raises `NoAnswerError`."""
    if report.framework:
        frameworks = known.names["framework"]
        slug = frameworks.find(report.framework)
        if slug is None:
            near = either([each.value for each in frameworks.nearest(report.framework)])
            raise NoAnswerError(f"“{report.framework}” is no framework here." + (f" Nearest: {near}." if near else ""))
        return slug
    repository = report.url.rpartition("/")[0].lower()
    records = known.records.values() if repository else ()
    return next((each.framework for each in records if each.url.rpartition("/")[0].lower() == repository), "")


def _by_server(server: str, report: Report) -> SimilarReportData:
    from faultbook.sending import Hidden
    from faultbook.server import similar

    hidden = Hidden()
    title, body = hidden.hide((report.title, report.body))
    print(hidden.summary(), file=sys.stderr)
    sent = {"title": title, "body": body, "framework": report.framework, "url": report.url, "setup": body}
    answer: SimilarReportData = hidden.put_back(similar(server, sent))
    return answer
