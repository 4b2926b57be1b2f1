"""Writing what git histories say: releases, changes, and the facts of fixes. Ranges follow in `affected`.

Histories are read in `ingest.services.history`; a fresh installation loads those in `kb/starter/histories/`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.db import transaction
from django.db.models import F, Func, Q, TextField, Value

from kb.core.histories import ChangeFacts, ReleaseFacts, Size, Standing
from kb.models import Change, Fix, Issue, Kind, Release, Repository, State
from kb.models.fixes import FIX_FACTS
from kb.services.issues import as_stated
from kb.services.rows import Changes, FieldValues, replace_rows

READ_AGAIN = (
    "picks", "pull_number", "bundled", "title", "merged_at", "closes", "is_fix", "reverted_by", "first_releases",
    "missing",
)  # fmt: skip
SIZE = ("files", "additions", "deletions")
STANDING = ("blamed", "stands_since_oldest", "stands_since")
PULL_WORDS = ("pull", "pulls")


@transaction.atomic
def save_releases(*, repository: Repository, releases: Sequence[ReleaseFacts]) -> Changes:
    """Make the repository's releases exactly these."""
    ordered = sorted(releases, key=lambda release: release.order)
    wanted: dict[str, FieldValues] = {
        release.tag: {
            "repository_id": repository.pk,
            "tag": release.tag,
            "version": str(release.version),
            "is_prerelease": release.version.is_prerelease,
            "released_on": release.released_on,
            "commit": release.commit,
            "position": position,
        }
        for position, release in enumerate(ordered)
    }
    return replace_rows(
        existing=Release.objects.filter(repository=repository),
        key=lambda release: release.tag,
        wanted=wanted,
        create=lambda fields: Release(**fields),
    )


@transaction.atomic
def save_changes(
    *, repository: Repository, changes: Iterable[ChangeFacts], sizes: Mapping[str, Size | None] | None = None
) -> None:
    """Create or update changes. Where no size is given, the known one stays; what was blamed stays always."""
    rows: dict[bool, list[Change]] = {True: [], False: []}
    for change in changes:
        size = (sizes or {}).get(change.commit)
        row = _row(repository, change)
        if size is not None:
            row.files, row.additions, row.deletions = size.files, size.additions, size.deletions
        rows[size is not None].append(row)
    for is_counted, batch in rows.items():
        Change.objects.bulk_create(
            batch,
            batch_size=500,
            update_conflicts=True,
            unique_fields=["repository", "commit"],
            update_fields=[*READ_AGAIN, *(SIZE if is_counted else ())],
        )


def _row(repository: Repository, change: ChangeFacts) -> Change:
    return Change(
        repository=repository,
        commit=change.commit,
        picks=list(change.picks),
        pull_number=change.pull_number,
        bundled=list(change.bundled),
        title=change.title,
        merged_at=change.merged_at,
        closes=list(change.closes),
        is_fix=change.is_fix,
        reverted_by=change.reverted_by,
        first_releases=list(change.first_releases),
        missing=[list(run) for run in change.missing],
    )


def forget_changes(*, repository: Repository, kept: Collection[str]) -> int:
    """Delete the changes that the history has no more. Returns how many."""
    return Change.objects.filter(repository=repository).exclude(commit__in=kept).delete()[0]


def save_standings(*, standings: Mapping[int, Standing | None]) -> None:
    """Keep since when the lines stand that changes, by id, removed; None where they removed none."""
    changes = list(Change.objects.filter(pk__in=standings))
    for change in changes:
        standing = standings[change.pk]
        change.blamed = [standing.oldest_commit, standing.youngest_commit] if standing else []
        change.stands_since_oldest = (standing and standing.oldest) or ""
        change.stands_since = (standing and standing.youngest) or ""
    Change.objects.bulk_update(changes, STANDING, batch_size=500)


def addresses_of(repository: Repository) -> list[str]:
    """The repository's address, and those under its old names."""
    names = [repository.full_name, *repository.aliases.values_list("full_name", flat=True)]
    return [f"https://{repository.host}/{name}" for name in names]


def fixes_in(repository: Repository) -> list[Fix]:
    """Fixes of any issue that lie in this repository."""
    below = Q()
    for address in addresses_of(repository):
        below |= Q(url__istartswith=f"{address}/")
    return list(Fix.objects.filter(below).order_by("pk"))


class ChangesByName:
    """A repository's changes, found as fixes name them: by number, or by a commit or its beginning.

    A pull request that landed as a part of another is that one's change.
    """

    def __init__(self, changes: Iterable[Change]) -> None:
        self._by_bundled: dict[int, Change] = {}
        self._by_number: dict[int, Change] = {}
        self._by_commit: dict[str, Change] = {}
        for change in changes:
            if change.pull_number is not None:
                self._by_number.setdefault(change.pull_number, change)
            for number in change.bundled:
                first = self._by_bundled.setdefault(number, change)
                self._by_bundled[number] = min(first, change, key=lambda each: each.merged_at)
            for commit in change.picks:
                self._by_commit.setdefault(commit, change)
            self._by_commit[change.commit] = change

    def of(self, fix: Fix) -> Change | None:
        """The change that a fix is."""
        word, ref = fix.name_parts
        if word in PULL_WORDS:
            number = int(ref) if ref.isdigit() else 0
            return self._by_number.get(number) or self._by_bundled.get(number)
        exact = self._by_commit.get(ref)
        if exact is not None:
            return exact
        matches = {change.pk: change for commit, change in self._by_commit.items() if commit.startswith(ref)}
        return next(iter(matches.values())) if len(matches) == 1 else None


def is_part(fix: Fix, change: Change) -> bool:
    """Whether the fix is a part of the change, which has other parts too: its size and lines say nothing of it."""
    return fix.name_parts[1] in map(str, change.bundled)


def changes_by_fix(repository: Repository) -> dict[Fix, Change]:
    """The changes of this repository that are known as fixes, by fix."""
    fixes = fixes_in(repository)
    changes = ChangesByName(_named(repository, fixes))
    pairs = ((fix, changes.of(fix)) for fix in fixes)
    return {fix: change for fix, change in pairs if change is not None}


def _named(repository: Repository, fixes: Iterable[Fix]) -> list[Change]:
    """The changes that these fixes may name."""
    named = Q(pk=None)
    numbers: list[int] = []
    for word, ref in (fix.name_parts for fix in fixes):
        if word in PULL_WORDS and ref.isdigit():
            numbers.append(int(ref))
        elif word == "commit":
            named |= Q(commit__startswith=ref) | Q(all_picks__contains=ref)
    named |= Q(pull_number__in=numbers) | Q(bundled__overlap=numbers)
    joined = Func(F("picks"), Value(" "), function="array_to_string", output_field=TextField())
    return list(Change.objects.filter(repository=repository).alias(all_picks=joined).filter(named).order_by("pk"))


@transaction.atomic
def follow_changes(*, repository: Repository, changes: Mapping[Fix, Change]) -> int:
    """Give the repository's fixes the day and size of their changes, or what was stated where there is none.

    Returns how many fixes changed.
    """
    lost = [fix for fix in fixes_in(repository) if fix.commit and fix not in changes]
    altered: list[Fix] = []
    for fix in [*changes, *lost]:
        before = [getattr(fix, name) for name in ("commit", "stated", *FIX_FACTS)]
        _follow(fix, changes.get(fix))
        if before != [getattr(fix, name) for name in ("commit", "stated", *FIX_FACTS)]:
            altered.append(fix)
    Fix.objects.bulk_update(altered, ["commit", "stated", *FIX_FACTS])
    return len(altered)


def _follow(fix: Fix, change: Change | None) -> None:
    if change is None:
        if fix.commit:
            for name, value in fix.stated_facts.items():
                setattr(fix, name, value)
            fix.commit, fix.stated = "", {}
        return
    if not fix.commit:
        facts = {name: getattr(fix, name) for name in FIX_FACTS}
        fix.stated = as_stated({name: value for name, value in facts.items() if value is not None})
    fix.commit = change.commit
    if is_part(fix, change):
        # The whole has another size, and landed on a later day.
        return
    fix.merged_on = change.merged_at.date()
    if change.files is not None:
        fix.files_changed, fix.additions, fix.deletions = change.files, change.additions, change.deletions


@transaction.atomic
def link_closed_issues(*, repository: Repository) -> int:
    """Link closed issues that nobody described to the changes that say they close them. Returns how many links.

    A curated record says itself what its fixes are.
    """
    closing = Change.objects.filter(repository=repository, reverted_by="").exclude(closes=[])
    by_url: dict[str, list[Change]] = {}
    for change in closing:
        for url in change.closes:
            by_url.setdefault(url.lower(), []).append(change)
    candidates = Issue.objects.filter(state=State.CLOSED, read_on=None, kind=Kind.ISSUE, fixes=None)
    issues = [issue for issue in candidates.filter(url__in=_spellings(closing)) if issue.url.lower() in by_url]
    through = Issue.fixes.through
    links = []
    for issue in issues:
        for change in by_url[issue.url.lower()]:
            fix = Fix.objects.get_or_create(url=_address(repository, change), defaults={"kind": _kind(change)})[0]
            links.append(through(issue_id=issue.pk, fix_id=fix.pk))
    return len(through.objects.bulk_create(links, ignore_conflicts=True))


def _spellings(changes: Iterable[Change]) -> set[str]:
    return {url for change in changes for url in change.closes}


def _kind(change: Change) -> Fix.Kind:
    return Fix.Kind.COMMIT if change.pull_number is None else Fix.Kind.PULL_REQUEST


def _address(repository: Repository, change: Change) -> str:
    """Where readers see the change."""
    if change.pull_number is None:
        return f"{repository.url}/commit/{change.commit}"
    return f"{repository.url}/{'pull' if repository.host == 'github.com' else 'pulls'}/{change.pull_number}"
