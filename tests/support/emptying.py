"""Empties the database after a test that commits: only the tables that have rows, and not those that migrations fill.

Django's `flush` cuts off every table, then makes each content type and each permission anew; most of a short test's
time went there.
"""

from collections.abc import Collection

from django.db import connection, transaction

# What Django itself writes after migrations; with a flush their rows would come back under other ids.
KEPT = ("django_content_type", "auth_permission")
# Nobody vacuums here: what is deleted or rolled back stays in the files, and is read past, until a table is cut off.
LARGE = 4_000_000


def empty_database(*, but: Collection[str] = ()) -> None:
    """Delete every row of every model's table, `but` of some. Waits for whoever is still at one of them."""
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [connection.ops.quote_name(name) for name in sorted(names) if name not in KEPT]
    others = [table for table in tables if table.strip('"') not in but]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
        filled = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in others)  # noqa: S608
        cursor.execute(filled)
        found = [table for (table,) in cursor.fetchall()]
        cursor.execute(f"SELECT t FROM unnest(%s::text[]) t WHERE pg_table_size(t::regclass) > {LARGE}", [others])  # noqa: S608
        large = [table for (table,) in cursor.fetchall()]
        if large and not but:
            # What refers to them goes, too.
            cursor.execute(f"TRUNCATE {', '.join(large)} CASCADE")
        if found:
            # Triggers guard what may not be deleted, and keys an order; neither counts here.
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("; ".join(f"DELETE FROM {table}" for table in found))  # noqa: S608
            cursor.execute("SET LOCAL session_replication_role = origin")
