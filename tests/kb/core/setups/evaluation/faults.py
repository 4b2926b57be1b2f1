"""Every fault that ships with the project, as the check knows them: from a database that is thrown away afterwards."""

import os
from collections.abc import Sequence

from kb.core.setups.known_faults import KnownFault
from tests.support.servers import Servers


def shipped_faults() -> Sequence[KnownFault]:
    """The faults of all records and histories, and the incompatibilities."""
    servers = Servers()
    servers.start()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        return _loaded()
    finally:
        servers.stop()


def _loaded() -> Sequence[KnownFault]:
    """Imports stand here because Django's models can only be read once the settings name a database."""
    import django

    django.setup()
    from django.db import connections

    from kb.codebook.load import load_codebook
    from kb.core.setups.incompatibilities import incompatibilities
    from kb.selectors.affected import known
    from kb.starter.load import load_starter

    load_codebook()
    load_starter()
    faults = (*known().faults, *incompatibilities())
    connections.close_all()
    return faults
