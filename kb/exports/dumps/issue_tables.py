"""The tables about issues: facts, our words, labels, fixes, versions. Nothing of what others wrote is in any of them.

Titles, descriptions, comments, authors and commit messages belong to their authors: who needs them follows `url`.
"""

from kb.exports.dumps.table import Table, day, flag, json, moment, number, share, text, texts

ISSUE = text("issue", "Address of the report on its host: the key of `issues`.")
PUBLIC_ID = text("public_id", "Such as FB-000860, the same on every server; null where nobody described it.")
# Records know days, hosts know moments: a midnight is a day unless a host said it.
MOMENT = "CASE WHEN i.host_updated_at IS NOT NULL OR {0}::time <> '00:00' THEN {0} END"
OPENED, CLOSED = (MOMENT.format(f"(i.{name} AT TIME ZONE 'UTC')") for name in ("opened_at", "closed_at"))

ISSUES = Table(
    "issues",
    "One row per report: facts of its host. Its title and text are not ours and stay there.",
    (
        text("url", "Address of the report on its host."), PUBLIC_ID,
        text("framework", "Slug of the framework: the key of `frameworks`."),
        text("host", "Where it lives."), text("repository", "Owner and name of the repository."),
        text("ref", "The host's number or code."),
        text("kind", "`issue`, or `unknown` where the number may be a pull request; those that are one are left out."),
        text("state", "`open`, `closed` or `unknown`."), text("state_reason", "Why it is closed, as the host puts it."),
        day("opened_on", "The day on which it was opened (UTC)."),
        moment("opened_at", "The moment; null where only the day is known."),
        day("closed_on", "The day on which it was closed (UTC)."),
        moment("closed_at", "The moment; null where only the day is known."),
        number("comment_count", "Comments on its host."), number("reaction_count", "Reactions on its host."),
        texts("host_labels", "The host's own labels."),
        flag("is_hard", "Open for more than 30 days with at least 10 comments; null when not known."),
        flag("is_described", "Whether `records` describes it."),
        day("deleted_on", "The day on which its host was found to have deleted it."),
        text("moved_to", "Where its host moved it, when it is kept apart from there."),
    ),
    f"""
SELECT i.url, nullif(i.public_id, ''), f.slug, r.host, r.full_name, i.ref, i.kind, i.state, nullif(i.state_reason, ''),
    (i.opened_at AT TIME ZONE 'UTC')::date, {OPENED}, (i.closed_at AT TIME ZONE 'UTC')::date, {CLOSED},
    i.comment_count, i.reaction_count, i.host_labels, i.is_hard, i.is_curated,
    (i.deleted_at AT TIME ZONE 'UTC')::date, nullif(i.moved_to, '')
FROM kb_issue i JOIN kb_repository r ON r.id = i.repository_id JOIN kb_framework f ON f.id = r.framework_id
WHERE i.kind <> 'pull_request' ORDER BY i.url COLLATE "C"
""",  # noqa: S608
    facets=("framework", "state", "is_described", "repository"),
)  # fmt: skip

RECORDS = Table(
    "records",
    "One row per described fault, in our own words.",
    (
        text("public_id", "Such as FB-000860: never changes, never given to another fault."), ISSUE,
        text("title", "The fault in one line."), text("summary", "What goes wrong and how it shows."),
        text("fix_line", "What to do now, in one sentence."), text("snippet", "Lines to paste for it."),
        texts("recognise", "Short error signatures."), text("no_line", "Why there is no signature."),
        texts("also_seen", "Other faces: follow-on lines, exit codes, everyday words."),
        text("resolution", "What fixed it."), text("workaround", "What to do until then."),
        texts("affected_versions", "Versions that show it, as stated; `ranges` has them for programs."),
        text("fixed_version", "First version with the fix."),
        text("affects_when", "What must be true of a set-up besides versions."),
        text("range_unknown", "Why no version can be told."),
        text("certainty", "`confirmed`, `likely` or `unsettled`: cause and fix as a whole."),
        texts("inferred", "Claims that follow from the thread and that no evidence states."),
        text("severity", "`blocks`, `wrong-result`, `data-loss`, `degrades` or `cosmetic`."),
        text("found_by", "Who noticed it first."), text("reproduced_with", "The least that shows it."),
        text("fix_tested_by", "How what cures it was tested."),
        text("told_by", "Whether the failing run's own output tells the cause."),
        text("reach", "Whether cause and repair lie in one component."),
        texts("models", "Models that the fault needs."), text("layout", "The parallel layout, where it matters."),
        json("neighbours", "Reports that look the same and have another cause: `url`, and how to `tell`."),
        json("evidence", "Links that our claims rest on: `url`, `supports`, `by`."),
        texts("same_as", "Other reports of this fault."), texts("related", "Duplicates and relatives."),
        day("read_on", "When the thread was read."), text("read_extent", "How much of it."),
        day("checked_on", "When somebody else checked the record."), text("checked_extent", "How much was read then."),
    ),
    """
SELECT i.public_id, i.url, i.heading, i.summary, i.fix_line, i.snippet, i.recognise, i.no_line, i.also_seen,
    i.resolution, i.workaround, i.affected_versions, i.fixed_version, i.affects_when, i.range_unknown, i.certainty,
    i.inferred, i.severity, i.found_by, i.reproduced_with, i.fix_tested_by, i.told_by, i.reach, i.model_names,
    i.layout, i.neighbours, i.evidence,
    ARRAY(SELECT 'https://' || r.host || '/'
        || r.full_name || '/issues/' || o.ref FROM kb_otherreport o JOIN kb_repository r ON r.id = o.repository_id
        WHERE o.record_id = i.id ORDER BY o.id),
    i.related_urls, i.read_on, i.read_extent, i.checked_on, i.checked_extent
FROM kb_issue i WHERE i.is_curated AND i.kind <> 'pull_request' ORDER BY i.public_id COLLATE "C"
""",
    facets=("severity", "certainty", "found_by"),
    searched=("title", "summary", "fix_line", "recognise", "also_seen", "resolution", "workaround"),
)  # fmt: skip

LABEL_COLUMNS = (
    ISSUE, PUBLIC_ID, text("scheme", "`house`, or the slug of a study's scheme."), text("axis", "Axis of the scheme."),
    text("node", "Code of the category: with scheme and axis the key of `nodes`."),
    text("source", "Who holds the label: the key of `sources`."), text("reason", "Why, in a line."),
)  # fmt: skip
LABEL_ROWS = """
SELECT i.url, nullif(i.public_id, ''), s.slug, a.code, n.code, o.slug, nullif(l.reason, '')
FROM kb_label l JOIN kb_issue i ON i.id = l.issue_id JOIN kb_node n ON n.id = l.node_id
JOIN kb_axis a ON a.id = n.axis_id JOIN kb_scheme s ON s.id = a.scheme_id JOIN kb_source o ON o.id = l.source_id
WHERE i.kind <> 'pull_request' AND {} ORDER BY i.url COLLATE "C", s.slug, a.code, n.code COLLATE "C", o.slug
"""
LABELS = Table(
    "labels",
    "One row per answer of people: an issue, a category, and who says so.",
    LABEL_COLUMNS,
    LABEL_ROWS.format("o.kind <> 'rule'"),
    facets=("axis", "node", "source", "scheme"),
)
SUGGESTIONS = Table(
    "suggestions",
    "What rules suggest where nobody has answered: checked by nobody, and in none of our numbers.",
    LABEL_COLUMNS,
    LABEL_ROWS.format("o.kind = 'rule'"),
    facets=("axis", "node"),
)

FIXES = Table(
    "fixes",
    "One row per pull request or commit that closed an issue.",
    (
        text("url", "Its address."), text("kind", "`pull_request` or `commit`."),
        text("description", "What it changes, in our own words."), day("merged_on", "Day of the merge."),
        number("additions", "Lines added."), number("deletions", "Lines deleted."),
        number("files_changed", "Files changed."), flag("is_small", "At most 10 changed lines; null when not known."),
        text("commit", "The commit in the history of its repository."),
    ),
    """
SELECT url, kind, nullif(description, ''), merged_on, additions, deletions, files_changed, is_small, nullif(commit, '')
FROM kb_fix ORDER BY url COLLATE "C"
""",
    facets=("kind", "is_small"),
)  # fmt: skip
ISSUE_FIXES = Table(
    "issue_fixes",
    "Which fix closed which issue.",
    (ISSUE, text("fix", "Address of the fix: the key of `fixes`.")),
    """
SELECT i.url, f.url FROM kb_issue_fixes l JOIN kb_issue i ON i.id = l.issue_id JOIN kb_fix f ON f.id = l.fix_id
WHERE i.kind <> 'pull_request' ORDER BY i.url COLLATE "C", f.url COLLATE "C"
""",
)

_BOUNDS = {
    "introduced": "The first version with the fault.",
    "fixed": "The first version without it.",
    "last_affected": "The last version known to have it.",
}
RANGES = Table(
    "ranges",
    "Which versions of a package have a fault, and what each bound rests on.",
    (
        ISSUE, PUBLIC_ID, text("package", "Its name on PyPI, else owner/name."),
        text("origin", "Who states it: a record, or git's history."),
        *(
            text(f"{name}{part}", words)
            for name, about in _BOUNDS.items()
            for part, words in (
                ("", about), ("_by", f"What `{name}` rests on."), ("_evidence", f"Where `{name}` can be read."),
            )
        ),
        text("introduced_oldest", "No version before this one has it, where `introduced` is not exact."),
        texts("reported", "Versions of reports."),
    ),
    f"""
SELECT i.url, nullif(i.public_id, ''), a.package, a.origin,
    {", ".join(f"nullif(a.{name}{part}, '')" for name in _BOUNDS for part in ("", "_by", "_evidence"))},
    nullif(a.introduced_oldest, ''), a.reported
FROM kb_affectedrange a JOIN kb_issue i ON i.id = a.issue_id
WHERE i.kind <> 'pull_request' ORDER BY i.url COLLATE "C", a.package, a.origin, a.introduced, a.fixed, a.id
""",  # noqa: S608
    facets=("package", "origin", "introduced_by", "fixed_by"),
)  # fmt: skip
RELEASES = Table(
    "releases",
    "Releases of the repositories whose histories were read.",
    (
        text("repository", "Owner and name of the repository."), text("tag", "The tag."),
        text("version", "Normalised by PEP 440, or a build's number."),
        flag("is_prerelease", "Whether it is a prerelease."), day("released_on", "Day of the commit."),
        text("commit", "The commit."),
    ),
    """
SELECT r.full_name, l.tag, l.version, l.is_prerelease, l.released_on, l.commit
FROM kb_release l JOIN kb_repository r ON r.id = l.repository_id ORDER BY r.full_name, l.position
""",
    facets=("repository",),
)  # fmt: skip
CAUSE_LINKS = Table(
    "cause_links",
    "How often issues with a symptom have a root cause, counted within one source.",
    (
        text("source", "Whose labels are counted: the key of `sources`."), text("symptom", "Code of the symptom."),
        text("cause", "Code of the root cause."), text("scheme", "The scheme of both."),
        number("issues", "Issues with both."), number("symptom_issues", "Issues with the symptom and any cause."),
        number("cause_issues", "Issues with the cause and any symptom."),
        number("all_issues", "Issues with any of both."),
        share("probability", "`issues` of `symptom_issues`."),
        share("probability_low", "Lower bound of Wilson's 95 % interval."),
        share("probability_high", "Upper bound of it."),
        share("lift", "`probability` over the cause's share of all issues."), text("note", "A curator's note."),
    ),
    """
SELECT o.slug, s.code, c.code, m.slug, l.issues, l.symptom_issues, l.cause_issues, l.all_issues, l.probability,
    l.probability_low, l.probability_high, l.lift, nullif(l.note, '')
FROM kb_causelink l JOIN kb_source o ON o.id = l.source_id JOIN kb_node s ON s.id = l.symptom_id
JOIN kb_node c ON c.id = l.cause_id JOIN kb_axis a ON a.id = s.axis_id JOIN kb_scheme m ON m.id = a.scheme_id
ORDER BY o.slug, s.code COLLATE "C", c.code COLLATE "C"
""",
    facets=("source", "symptom", "cause"),
)  # fmt: skip
ISSUE_TABLES = (
    ISSUES, RECORDS, LABELS, SUGGESTIONS, FIXES, ISSUE_FIXES, RANGES, RELEASES, CAUSE_LINKS,
)  # fmt: skip
