"""The tables that issues refer to: frameworks, codebooks, sources, studies with their claims, playbooks, signals."""

from collections.abc import Iterator

from kb.codebook.claims import claims_by_study
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.commands import filled
from kb.core.fault_playbooks import fault_playbooks
from kb.exports.dumps.table import Row, Table, flag, json, number, share, text, texts

FRAMEWORKS = Table(
    "frameworks",
    "Products that people report faults of.",
    (text("slug", "Key."), text("name", "Name."), text("homepage", "Its site."), text("description", "What it is.")),
    "SELECT slug, name, nullif(homepage, ''), nullif(description, '') FROM kb_framework ORDER BY slug",
)
REPOSITORIES = Table(
    "repositories",
    "Where issues live.",
    (
        text("host", "Its host."), text("full_name", "Owner and name."), text("framework", "Slug of the framework."),
        texts("former_names", "Names that it had."),
    ),
    """
SELECT r.host, r.full_name, f.slug,
    ARRAY(SELECT a.full_name FROM kb_repositoryalias a WHERE a.repository_id = r.id ORDER BY a.full_name COLLATE "C")
FROM kb_repository r JOIN kb_framework f ON f.id = r.framework_id ORDER BY r.host, r.full_name COLLATE "C"
""",
    facets=("framework", "host"),
)  # fmt: skip
SCHEMES = Table(
    "schemes",
    "The house codebook, and the categories of each study.",
    (
        text("slug", "Key."), text("name", "Name."), text("version", "Version."),
        text("study", "Slug of the study; null for the house codebook."),
    ),
    """
SELECT s.slug, s.name, s.version, y.slug FROM kb_scheme s LEFT JOIN kb_study y ON y.id = s.study_id ORDER BY s.slug
""",
)  # fmt: skip
AXES = Table(
    "axes",
    "The questions that a scheme answers about an issue.",
    (
        text("scheme", "Slug of the scheme."), text("code", "Key within the scheme."), text("name", "Name."),
        text("question", "The question."), flag("several", "May an issue have several answers?"),
        texts("rules", "How to choose."),
    ),
    """
SELECT s.slug, a.code, a.name, nullif(a.question, ''), a.several, a.rules
FROM kb_axis a JOIN kb_scheme s ON s.id = a.scheme_id ORDER BY s.slug, a.position, a.code
""",
)  # fmt: skip
NODES = Table(
    "nodes",
    "The categories, with their rules; retired and merged ones too.",
    (
        text("scheme", "Slug of the scheme."), text("axis", "Code of the axis."), text("code", "Key within the axis."),
        text("name", "Name."), text("parent", "Code of the broader category."), text("definition", "What it means."),
        texts("include", "What belongs to it."), texts("exclude", "What does not."), texts("examples", "Examples."),
        texts("aliases", "Other names."), text("status", "`active`, `retired` or `merged`."),
        text("merged_into", "Code of what it was merged into."),
        number("published_count", "How often the study found it."), share("published_percent", "The share it printed."),
        text("published_trust", "How far that number can be trusted."), text("note", "A note."),
    ),
    """
SELECT s.slug, a.code, n.code, n.name, p.code, n.definition, n.include, n.exclude, n.examples, n.aliases, n.status,
    m.code, n.published_count, n.published_percent, nullif(n.published_trust, ''), nullif(n.note, '')
FROM kb_node n JOIN kb_axis a ON a.id = n.axis_id JOIN kb_scheme s ON s.id = a.scheme_id
LEFT JOIN kb_node p ON p.id = n.parent_id LEFT JOIN kb_node m ON m.id = n.merged_into_id
ORDER BY s.slug, a.position, a.code, n.position, n.code COLLATE "C"
""",
    facets=("scheme", "axis", "status"),
    searched=("name", "definition", "aliases"),
)  # fmt: skip
CROSSWALKS = Table(
    "crosswalks",
    "How categories of two schemes relate, with SKOS's meaning.",
    (
        text("from_scheme", "Scheme."), text("from_axis", "Axis."), text("from_node", "Code."),
        text("relation", "`exact`, `close`, `broad` or `narrow`."),
        text("to_scheme", "Scheme."), text("to_axis", "Axis."), text("to_node", "Code."), text("note", "A note."),
    ),
    """
SELECT fs.slug, fa.code, f.code, c.relation, ts.slug, ta.code, t.code, nullif(c.note, '')
FROM kb_crosswalk c JOIN kb_node f ON f.id = c.from_node_id JOIN kb_axis fa ON fa.id = f.axis_id
JOIN kb_scheme fs ON fs.id = fa.scheme_id JOIN kb_node t ON t.id = c.to_node_id JOIN kb_axis ta ON ta.id = t.axis_id
JOIN kb_scheme ts ON ts.id = ta.scheme_id
ORDER BY fs.slug, fa.code, f.code COLLATE "C", ts.slug, ta.code, t.code COLLATE "C", c.relation
""",
    facets=("from_scheme", "to_scheme", "relation"),
)  # fmt: skip
SOURCES = Table(
    "sources",
    "Who holds labels, how far to trust them, and under which licence.",
    (
        text("slug", "Key."), text("name", "Name."), text("kind", "`consensus`, `curated`, `study` or `rule`."),
        text("confidence", "`high`, `medium` or `low`."), text("study", "Slug of the study."), text("url", "Address."),
        text("licence", "Licence of the labels, where the source states one."), text("trust_note", "What to know."),
    ),
    """
SELECT o.slug, o.name, o.kind, o.confidence, y.slug, nullif(o.url, ''), nullif(o.licence, ''), nullif(o.trust_note, '')
FROM kb_source o LEFT JOIN kb_study y ON y.id = o.study_id ORDER BY o.slug
""",
)  # fmt: skip
STUDIES = Table(
    "studies",
    "Published data sets and papers.",
    (
        text("slug", "Key."), text("code", "Short code."), text("title", "Title."), text("authors", "Authors."),
        number("year", "Year."), text("venue", "Where it appeared."), text("url", "Address."), text("doi", "DOI."),
        text("data_url", "Its data."), text("licence", "Licence of its data."), number("sample_total", "Sample size."),
        text("period", "Period of its sample."), text("method", "How it was made."),
        text("completeness", "What of it is here."), text("trust_note", "How far its numbers can be trusted."),
    ),
    """
SELECT slug, code, title, nullif(authors, ''), year, nullif(venue, ''), url, nullif(doi, ''), nullif(data_url, ''),
    licence, sample_total, nullif(period, ''), method, completeness, trust_note FROM kb_study ORDER BY slug
""",
)  # fmt: skip
STUDY_NUMBERS = Table(
    "study_numbers",
    "Every number of the tables that studies printed.",
    (
        text("study", "Slug of the study."), text("table", "Slug of the table."), text("title", "Its title."),
        text("place", "Where the study prints it."), text("unit", "What is counted."),
        text("trust", "How far the numbers can be trusted."), text("row", "Category of the row."),
        text("column", "Category of the column."), number("count", "The number."), share("percent", "The percentage."),
        flag("is_doubtful", "Whether the number is doubtful."),
    ),
    """
SELECT y.slug, t.slug, t.title, t.place, t.unit, t.trust, nullif(c."row", ''), nullif(c."column", ''), c.count,
    c.percent, c.is_doubtful
FROM kb_publishedcell c JOIN kb_publishedtable t ON t.id = c.table_id JOIN kb_study y ON y.id = t.study_id
ORDER BY y.slug, t.position, t.slug, c."row" COLLATE "C", c."column" COLLATE "C"
""",
    facets=("study", "table"),
)  # fmt: skip
PLAYBOOKS = Table(
    "playbooks",
    "How each fix pattern is applied.",
    (
        text("node", "Code of the fix pattern in the house codebook."), text("applies_when", "When it applies."),
        texts("steps", "Steps."), texts("caveats", "What to beware of."), text("before", "Code with the fault."),
        text("after", "The same after the fix."), text("example_note", "What the example shows."),
    ),
    """
SELECT n.code, p.applies_when, p.steps, p.caveats, nullif(p.before, ''), nullif(p.after, ''), nullif(p.example_note, '')
FROM kb_playbook p JOIN kb_node n ON n.id = p.node_id ORDER BY n.code COLLATE "C"
""",
)  # fmt: skip


def _fault_playbooks() -> Iterator[Row]:
    for book in sorted(fault_playbooks(), key=lambda book: book.slug):
        document = book.model_dump(mode="json")
        yield (book.slug, book.name, book.symptom, book.summary, list(book.asked), list(book.lines), document["steps"])


def _signals() -> Iterator[Row]:
    for signal in sorted(catalogue().signals, key=lambda signal: signal.code):
        yield (
            signal.code, signal.family, signal.means, signal.role, signal.scope, signal.strength, signal.symptom,
            list(signal.causes), [filled(check) for check in signal.check], list(signal.examples), signal.source,
        )  # fmt: skip


def _claims() -> Iterator[Row]:
    for study, claims in sorted(claims_by_study().items()):
        for claim in claims:
            published = claim.published.model_dump(mode="json", exclude_defaults=True) if claim.published else None
            why = claim.why or claim.cannot
            yield (study, claim.slug, claim.kind, claim.says, claim.place, claim.trust, published, why)


FAULT_PLAYBOOKS = Table(
    "fault_playbooks",
    "What to check about common faults, as a tree.",
    (
        text("slug", "Key."), text("name", "Name."), text("symptom", "Code of the symptom."),
        text("summary", "What it is."), texts("asked", "What people type."), texts("lines", "Lines that tools print."),
        json("steps", "The checks: each with its outcomes, and where they lead."),
    ),
    _fault_playbooks,
    searched=("name", "summary", "asked"),
)  # fmt: skip
SIGNALS = Table(
    "signals",
    "Kinds of log lines that a diagnosis knows.",
    (
        text("code", "Key."), text("family", "Family, such as `nccl`."), text("means", "What the line means."),
        text("role", "The line's part in a failure."), text("scope", "What it points at."),
        text("strength", "How surely it shows its first cause."), text("symptom", "Code of the symptom."),
        texts("causes", "Codes of root causes, the likeliest first."), texts("check", "What to do."),
        texts("examples", "Lines of our own in the real format."), text("source", "Where the line is documented."),
    ),
    _signals,
    facets=("family", "role", "scope"),
    searched=("means", "check", "examples"),
)  # fmt: skip
CLAIMS = Table(
    "claims",
    "What studies found, ask for and advise, as they printed it.",
    (
        text("study", "Slug of the study."), text("slug", "Key within the study."), text("kind", "Kind of claim."),
        text("says", "What it says."), text("place", "Where the study prints it."),
        text("trust", "How far the number can be trusted."), json("published", "The number as printed."),
        text("why", "Why our number may differ, or why there is none."),
    ),
    _claims,
    facets=("study", "kind"),
)  # fmt: skip
KNOWLEDGE_TABLES = (
    FRAMEWORKS, REPOSITORIES, SCHEMES, AXES, NODES, CROSSWALKS, SOURCES, STUDIES, STUDY_NUMBERS, CLAIMS, PLAYBOOKS,
    FAULT_PLAYBOOKS, SIGNALS,
)  # fmt: skip
