"""`manage.py rebuild_cause_links`: count cause links from nothing, or check the stored ones against a recount."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.models import Source
from kb.services.cause_link_check import check_cause_links
from kb.services.cause_links import rebuild_cause_links

SHOWN = 50


class Command(BaseCommand):
    """Count all links, or those of one source, from nothing; notes stay. Links follow labels without it."""

    help = "Count cause links from nothing. Links of the source `rule` are counted only when it is named."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--source", help="the slug of the one source to count")
        parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a recount differs")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        source = _source(options["source"]) if options["source"] else None
        if options["check"]:
            self._check(source)
        else:
            self.stdout.write(f"{rebuild_cause_links(source=source)} cause links changed.")

    def _check(self, source: Source | None) -> None:
        found = check_cause_links(source=source)
        if found.is_clean:
            self.stdout.write("Every cause link is as a full recount has it.")
            return
        lines = [str(link) for link in found.links[:SHOWN]]
        if len(found.links) > SHOWN:
            lines.append(f"and {len(found.links) - SHOWN} more")
        if found.waiting:
            lines.append(f"{found.waiting} label changes wait to be counted: look again in some seconds.")
        raise CommandError(
            f"{len(found.links)} cause links differ, {found.issues} issues are counted otherwise:\n" + "\n".join(lines)
        )


def _source(slug: str) -> Source:
    source = Source.objects.filter(slug=slug).first()
    if source is None:
        known = ", ".join(Source.objects.order_by("slug").values_list("slug", flat=True)) or "none"
        raise CommandError(f"There is no source '{slug}'. Known: {known}.")
    return source
