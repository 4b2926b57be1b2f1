"""`manage.py history_differences`: list where records or hosts say otherwise than git."""

from typing import Any

from django.core.management.base import BaseCommand

from ingest.selectors import history_differences as read


class Command(BaseCommand):
    """List the differences."""

    help = "List days, sizes and versions that records or hosts state otherwise than the histories that were read."
    requires_system_checks = []

    def handle(self, *_args: Any, **_options: Any) -> None:  # noqa: D102
        parts = {
            "Days and sizes of fixes": read.fix_differences(),
            "Fixes that no branch or release has": read.fixes_not_in_history(),
            "Versions": read.range_differences(),
        }
        for title, differences in parts.items():
            listed = list(differences)
            self.stdout.write(f"{title}: {len(listed)}")
            for difference in listed:
                self.stdout.write(f"  {difference.about}: stated {difference.stated}; git: {difference.from_git}")
