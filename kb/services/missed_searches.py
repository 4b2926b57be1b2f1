"""Counts searches that found nothing close, without who asked, and forgets them after a while."""

import datetime as dt
import hashlib

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from kb.core.redaction.hosts import machines
from kb.core.redaction.paths import people_and_folders
from kb.core.secrets import find as find_secrets
from kb.core.secrets import without_our_words
from kb.models import MissedSearch
from kb.models.missed_searches import MOST_CHARACTERS

# Days after its last search that one is forgotten, and how many are kept: the least searched for go first.
KEPT_DAYS, MOST_KEPT = 180, 5_000
FEWEST_WORDS = 2
# The same words count once in so many seconds: pages are reloaded, and one visitor is not many.
SAME_SECONDS = 600


def normalised(text: str) -> str:
    """The words as they are counted; empty for what is too short or long, or shows a secret, person or machine."""
    words = " ".join(text.lower().split())
    if len(words) > MOST_CHARACTERS or (len(words.split()) < FEWEST_WORDS and words.isascii()):
        return ""
    is_masked = without_our_words(text) != text
    is_private = is_masked or find_secrets(text) or any(machines(text)) or any(people_and_folders(text))
    return "" if is_private else words


def count_missed(*, text: str) -> None:
    """Count a search that found nothing close, if the site does that."""
    words = normalised(text) if settings.COUNT_MISSED_SEARCHES else ""
    if not words or not cache.add(f"missed-search:{hashlib.sha256(words.encode()).hexdigest()}", 1, SAME_SECONDS):
        return
    today = timezone.localdate()
    with transaction.atomic():
        counted = MissedSearch.objects.filter(words=words).update(searches=F("searches") + 1, last_on=today)
        if not counted:
            MissedSearch.objects.bulk_create(
                [MissedSearch(words=words, first_on=today, last_on=today)], ignore_conflicts=True
            )
            # The most searched for stay; of others, the newest.
            beyond = MissedSearch.objects.order_by("-searches", "-last_on", "-pk").values("pk")[MOST_KEPT:]
            MissedSearch.objects.filter(pk__in=list(beyond.values_list("pk", flat=True))).delete()


def hide(*, pk: int, is_hidden: bool) -> bool:
    """Take a search from the most wanted, or put it back; whether it is there at all."""
    return bool(MissedSearch.objects.filter(pk=pk).update(is_hidden=is_hidden))


def forget_old() -> int:
    """Delete what nobody has searched for in a long time; returns how many."""
    oldest = timezone.localdate() - dt.timedelta(days=KEPT_DAYS)
    return MissedSearch.objects.filter(last_on__lt=oldest).delete()[0]
