"""Which commits are one change, which releases have it, and whether it was taken back. Pure, over a graph.

A change lands by a squash, merge, rebase or pick. A release has it if its commit contains a landing and no later
revert; a revert of the revert lands it again.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ingest.git.graph import Graph
from ingest.git.landings import ON_TRUNK, Key, Landings, lowest
from ingest.git.messages import TRAILING, Message
from ingest.git.tags import EARLIEST, moment_of
from kb.core.histories import ChangeFacts, ReleaseFacts, Run, runs_without

NOTHING = Message("")
MOST_COMMITS_OF_A_PULL = 200


def land(
    graph: Graph,
    releases: Sequence[ReleaseFacts],
    *,
    head: str,
    commits: Iterable[str] = (),
    pull_heads: Mapping[int, str] | None = None,
) -> Landings:
    """All changes of a graph.

    `commits`: names, or their beginnings, of commits that are changes whatever they say. `pull_heads`: the last commits
    of pull requests that no message may name.
    """
    asked = frozenset(place for commit in commits if (place := graph.with_prefix(commit)) is not None)
    landings = Landings(graph, releases, graph.places[head], asked)
    for place, message in graph.messages.items():
        for number in message.pulls:
            landings.places["pull", number].append(place)
    for place in [*asked, *(place for place, message in graph.messages.items() if message.closes)]:
        if not (place in graph.messages and graph.messages[place].pulls):
            landings.places["commit", place] = [place]
    for number, commit in (pull_heads or {}).items():
        _add_pull_head(landings, number, graph.places[commit])
    _add_twins(landings)
    _add_picks(landings)
    for place in sorted(graph.messages, reverse=True):
        if graph.messages[place].is_revert:
            _take_back(landings, place, graph.messages[place])
    return landings


def _add_pull_head(landings: Landings, number: int, tip: int) -> None:
    """A pull request that landed without its number: as it was, or rebased."""
    if ("pull", number) in landings.places:
        return
    if tip in landings.landed:
        landings.places["pull", number] = [landings.landed[tip]]
        return
    waiting, seen = [tip], set[int]()
    while waiting and len(seen) < MOST_COMMITS_OF_A_PULL:
        place = waiting.pop(0)
        if place in landings.landed or place in seen:
            continue
        seen.add(place)
        twins = [twin for twin in landings.twins[landings.graph.alike[place]] if twin in landings.landed]
        if twins:
            landings.places["pull", number] = [min(twins)]
            return
        waiting += landings.graph.steps[place]


def _add_twins(landings: Landings) -> None:
    """Picks and rebased commits keep author, time and title."""
    for places in landings.places.values():
        for place in sorted(set(places)):
            places += [twin for twin in landings.twins[landings.graph.alike[place]] if twin not in places]


def _add_picks(landings: Landings) -> None:
    """Commits that say which commit they were picked from."""
    graph, keys = landings.graph, landings.keys
    for place, message in graph.messages.items():
        for commit in message.picked:
            source = graph.with_prefix(commit)
            for key in keys.get(source, ()) if source is not None else ():
                if place not in landings.places[key]:
                    landings.places[key].append(place)
    del landings.keys


def _take_back(landings: Landings, place: int, message: Message) -> None:
    """What a revert undoes: a change, or an earlier revert, by which the change is there again."""
    sign = 1 if message.is_reapplied else -1
    effects: dict[tuple[Key, int], None] = {}
    for target in _targets(landings, message, place):
        earlier = landings.effects.get(target, [])
        if earlier and not message.is_reapplied:
            effects.update(((key, -effect), None) for key, effect in earlier)
        effects.update(((key, sign), None) for key in landings.keys.get(target, ()))
    landings.effects[place] = list(effects)
    for key, effect in effects:
        landings.undone[key].append((place, effect))


def _targets(landings: Landings, message: Message, place: int) -> list[int]:
    """The commits that a revert names: by commit, else by number, else by title."""
    graph = landings.graph
    by_commit = [graph.with_prefix(commit) for commit in message.reverted_commits]
    known = [target for target in by_commit if target is not None]
    if known:
        return known
    numbers = [*message.reverted_pulls, *map(int, TRAILING.findall(message.reverted_title)[-1:])]
    targets: list[int] = []
    for number in numbers:
        targets += [target for target in landings.places.get(("pull", number), ())[:1] if target != place]
    titled = landings.by_title.get(message.reverted_title)
    return targets or ([titled] if titled is not None else [])


def changes_of(landings: Landings) -> list[ChangeFacts]:
    """The changes that the default branch or a release has, and those commits that somebody asked for."""
    inner = _inner_closes(landings)
    changes: dict[int, ChangeFacts] = {}
    for key in sorted(landings.places):
        kind, number = key
        places = _landed_places(landings, key)
        is_inner = kind == "commit" and number not in landings.asked and landings.landed.get(number) in landings.merges
        if not places or is_inner:
            continue
        primary = places[0]
        message = landings.graph.messages.get(primary, NOTHING)
        # `Title (#12) (#20)` where nothing else is #12: the pull request is the last one.
        if kind == "pull" and message.pulls and number != message.pulls[-1] and len(places) == 1:
            continue
        changes[primary] = _change(landings, key, places, inner.get(primary, ()))
    return list(changes.values())


def _inner_closes(landings: Landings) -> dict[int, list[str]]:
    """What the commits of a merged pull request say that they close."""
    closes: dict[int, list[str]] = defaultdict(list)
    for place, message in landings.graph.messages.items():
        landing = landings.landed.get(place)
        if message.closes and landing in landings.merges and landing is not None and landing != place:
            closes[landing] += message.closes
    return closes


def _landed_places(landings: Landings, key: Key) -> list[int]:
    """The change's commits, the first on the default branch first. Copies on branches that led nowhere are left out."""
    masks = landings.masks
    places = sorted(set(landings.places[key]), reverse=True)
    alive = [place for place in places if masks[place]]
    if not alive and not landings.asked.isdisjoint(places):
        alive = places
    return sorted(alive, key=lambda place: not masks[place] & ON_TRUNK)


def _change(landings: Landings, key: Key, places: Sequence[int], inner: Sequence[str]) -> ChangeFacts:
    graph, primary = landings.graph, places[0]
    message = graph.messages.get(primary, Message(graph.titles[primary]))
    has, reverted_by = _presence(landings, key)
    first, missing = _releases_with(landings, has, places)
    closes = tuple(dict.fromkeys([*message.closes, *inner]))
    return ChangeFacts(
        commit=graph.shas[primary],
        merged_at=_merged_at(landings, primary),
        pull_number=key[1] if key[0] == "pull" else None,
        bundled=tuple(number for number in message.bundled if ("pull", number) not in landings.places),
        picks=tuple(graph.shas[place] for place in places[1:]),
        title=graph.titles[primary],
        closes=closes,
        is_fix=bool(closes) or message.is_fix,
        reverted_by=reverted_by,
        first_releases=first,
        missing=missing,
    )


def _releases_with(landings: Landings, has: int, places: Sequence[int]) -> tuple[tuple[str, ...], tuple[Run, ...]]:
    """The first releases by the bits of those that have it, and the runs without.

    First is one that ends a run, or that has a landing before all others: lines that begin with it are passed over.
    Candidates count where there is no other.
    """
    versions, finals = landings.versions, landings.finals
    final_bits = has & ((1 << finals + 1) - 1) & ~ON_TRUNK
    bits = final_bits or has & ~ON_TRUNK
    missing = runs_without(versions[:finals], [bool(has >> number & 1) for number in range(1, finals + 1)])
    first = {lowest(bits & landings.masks[place]) for place in places} | {lowest(bits)}
    ends = {end for _, end in missing}
    listed = [
        str(version) for number, version in enumerate(versions, start=1) if number in first or str(version) in ends
    ]
    return tuple(listed), missing


def _presence(landings: Landings, key: Key) -> tuple[int, str]:
    """The bits of the releases that have the change, and the commit that took it back from the default branch."""
    has, reverted_by = 0, ""
    events = [*((place, 1) for place in landings.places[key]), *landings.undone.get(key, ())]
    for place, effect in sorted(events, reverse=True):
        mask = landings.masks[place]
        if effect > 0:
            has |= mask
            reverted_by = "" if mask & ON_TRUNK else reverted_by
        else:
            if has & mask & ON_TRUNK:
                reverted_by = landings.graph.shas[place]
            has &= ~mask
    return has, reverted_by


def _merged_at(landings: Landings, place: int) -> dt.datetime:
    """The moment of the commit that a host made of the pull request; of another, when the default branch got it."""
    graph = landings.graph
    is_landing = place in graph.messages and bool(graph.messages[place].pulls)
    return moment_of(graph.times[place if is_landing else landings.landed.get(place, place)]) or EARLIEST
