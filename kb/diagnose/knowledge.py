"""What the knowledge base knows of a failure: names and numbers of its causes, known issues like it, playbooks.

Put into the data of a diagnosis; nothing is stored, and where the knowledge base cannot answer, the data says so.
"""

import logging

from django.db import DatabaseError, connection

from kb.core.diagnosis.pipeline import is_worth_asking, without_known
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.knowledge.diagnosis import with_known as with_known_of
from kb.core.setups.facts import Setup
from kb.diagnose.stored import StoredKnowledge
from kb.search.backends import EngineUnavailableError
from kb.search.backends.postgres.limits import TooLateError, at_most

log = logging.getLogger(__name__)

# What a statement may take: a diagnosis must not wait for what is only beside it.
MOST_MILLISECONDS = 3_000
CONNECT_SECONDS = 2
NO_ANSWER = "Known issues were not looked up: the knowledge base does not answer now. Try again later."


def with_known(data: DiagnosisData, setup: Setup) -> DiagnosisData:
    """The data with named causes, `issues` and `playbooks`; with a sentence in `unknown` where that fails.

    `setup`: what the log tells of the run's versions, settings and flags.
    """
    if not is_worth_asking(data):
        return without_known(data, "")
    try:
        with at_most(MOST_MILLISECONDS):
            return with_known_of(data, setup, StoredKnowledge())
    except (DatabaseError, EngineUnavailableError, TooLateError, OSError) as error:
        log.warning("The knowledge base could not be asked about a diagnosis: %s", type(error).__name__)
        return without_known(data, NO_ANSWER)


def with_known_at_terminal(data: DiagnosisData, setup: Setup) -> DiagnosisData:
    """The same, where nobody waits for a database that is not there."""
    connection.settings_dict["OPTIONS"]["connect_timeout"] = CONNECT_SECONDS
    return with_known(data, setup)
