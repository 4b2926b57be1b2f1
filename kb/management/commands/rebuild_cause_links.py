"""`manage.py rebuild_cause_links`: recount all cause links, or compare the stored ones with a recount."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.models import Source
from kb.services.cause_link_check import check_cause_links
from kb.services.cause_links import rebuild_cause_links

SHOWN = 50


class Command(BaseCommand):
    """Recount all links, or those of one source; notes stay. Links follow labels without this command."""

    help = "Recount all cause links. Links of the source `rule` are counted only when it is named."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--source", help="the slug of the one source to count")
        parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a recount differs")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        source = None
        if options["source"]:
            source = Source.objects.filter(slug=options["source"]).first()
            if source is None:
                known = ", ".join(Source.objects.order_by("slug").values_list("slug", flat=True)) or "none"
                raise CommandError(f"There is no source '{options['source']}'. Known: {known}.")
        if options["check"]:
            self._check(source)
        else:
            self.stdout.write(f"{rebuild_cause_links(source=source)} cause links changed.")

    def _check(self, source: Source | None) -> None:
        result = check_cause_links(source=source)
        if result.is_clean:
            self.stdout.write("Every cause link equals a full recount.")
            return
        lines = [f"{len(result.links)} cause links differ, {result.issues} issues are counted differently:"]
        lines += [str(link) for link in result.links[:SHOWN]]
        if len(result.links) > SHOWN:
            lines.append(f"and {len(result.links) - SHOWN} more")
        if result.waiting:
            lines.append(f"{result.waiting} label changes wait to be counted: look again in some seconds.")
        raise CommandError("\n".join(lines))
