"""What a diagnosis asks of the knowledge base, from the database."""

from collections.abc import Mapping, Sequence

from django.urls import reverse

from kb.core.diagnosis.schema import CauseProbability, KnownIssue
from kb.core.knowledge.sources import MOST_RESOLUTION, Confirmed, NodePage, PatternUse, seen_before
from kb.core.search.cards import cut
from kb.core.search.error_matches import Relation
from kb.models import Issue, Node
from kb.search.error_matches import StoredIssues
from kb.selectors.cause_links import links_of_node
from kb.selectors.fix_patterns import patterns_of_causes
from kb.selectors.known_signatures import confirmed
from kb.selectors.playbooks import playbooks
from kb.selectors.remembered import remembered


class StoredKnowledge(StoredIssues):
    """All that is known now."""

    def confirmed(self, key: str, version: int) -> Sequence[Confirmed]:
        """What staff confirmed for this signature."""
        confirmations = []
        for row in confirmed(key=key, version=version):
            on = f"{row.at:%Y-%m-%d}"
            issue = _confirmed_issue(row.issue, seen_before(on)) if row.issue else None
            confirmations.append(Confirmed(issue, row.cause.code if row.cause else "", on))
        return confirmations

    def causes(self, codes: Sequence[str]) -> Mapping[str, NodePage]:
        """Root causes of the house codebook."""
        nodes = house_nodes("root_cause", codes)
        return {node.code: NodePage(node.name, node.get_absolute_url()) for node in nodes}

    def probabilities(self, symptom: str) -> Mapping[str, CauseProbability]:
        """By a cause's code, what the most trusted source says."""
        by_cause: dict[str, CauseProbability] = {}
        for node in house_nodes("symptom", [symptom]):
            for source in links_of_node(node=node):
                for row in source.rows:
                    link = row.link
                    probability: CauseProbability = {
                        "value": link.probability,
                        "low": link.probability_low,
                        "high": link.probability_high,
                        "n": link.symptom_issues,
                        "source": link.source.name,
                    }
                    by_cause.setdefault(row.other.code, probability)
        return by_cause

    def pattern_uses(self, causes: Sequence[str]) -> Mapping[str, Sequence[PatternUse]]:
        """Patterns that have a playbook."""
        return remembered(f"pattern-uses:{','.join(causes)}", lambda: _pattern_uses(causes))

    def page(self, kind: str, slug: str = "") -> str:
        """A page of ours."""
        return reverse(kind, args=[slug] if slug else [])


def _pattern_uses(causes: Sequence[str]) -> dict[str, list[PatternUse]]:
    nodes = {page.node_id: page.node for page in playbooks()}
    return {
        cause: [
            PatternUse(node.code, node.name, node.get_absolute_url(), use.issues, use.of)
            for use in uses
            if (node := nodes.get(use.pattern))
        ]
        for cause, uses in patterns_of_causes(codes=causes).items()
    }


def house_nodes(axis: str, codes: Sequence[str]) -> list[Node]:
    """The house codebook's nodes with these codes."""
    return list(Node.objects.house().filter(axis__code=axis, code__in=codes).select_related("axis__scheme"))


def _confirmed_issue(issue: Issue, why: str) -> KnownIssue:
    fix = issue.fixes.first()
    return {
        "title": issue.heading or issue.shown_title,
        "url": issue.get_absolute_url(),
        "source_url": issue.url,
        "relation": Relation.CONFIRMED.value,
        "why": why,
        "score": 1.0,
        "resolution": cut(issue.resolution, MOST_RESOLUTION),
        "fix_url": fix.url if fix else "",
        "fix_line": issue.fix_line,
        "certainty": issue.certainty,
    }
