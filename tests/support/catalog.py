"""What Postgres holds of a schema, as lines that two databases can be compared by."""

import re

import psycopg

QUERIES = (
    """
    SELECT 'column', c.relname, c.relpersistence, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        a.attstorage, a.attidentity, a.attgenerated, a.attcollation::regcollation::text, pg_get_expr(d.adbin, d.adrelid)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relnamespace = 'public'::regnamespace
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'p')
    """,
    """
    SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
    """,
    "SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT 'trigger', pg_get_triggerdef(oid), tgenabled, obj_description(oid) FROM pg_trigger WHERE NOT tgisinternal",
    r"""
    SELECT 'function', regexp_replace(pg_get_functiondef(p.oid), '\s+', ' ', 'g') FROM pg_proc p
    WHERE pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    """,
    r"SELECT 'view', viewname, regexp_replace(definition, '\s+', ' ', 'g') FROM pg_views WHERE schemaname = 'public'",
    "SELECT 'statistics', pg_get_statisticsobjdef(oid) FROM pg_statistic_ext",
    "SELECT 'extension', extname FROM pg_extension",
    "SELECT 'options', relname, reloptions::text FROM pg_class WHERE reloptions IS NOT NULL",
)
# A schema that was dumped and restored has other casts and brackets that mean the same.
SPELLING = re.compile(r"::[a-z ]+(\[\])?|[()]")


def catalog(url: str) -> set[str]:
    """Columns in whatever order, constraints, indexes, triggers, functions, views."""
    with psycopg.connect(url) as connection:
        rows = [row for query in QUERIES for row in connection.execute(query)]
    return {SPELLING.sub("", " | ".join(map(str, row))) for row in rows}
