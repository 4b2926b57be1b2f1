"""How a run's lines look: loggers, transports, progress, tracebacks."""

from tests.kb.core.diagnosis.generators.styles.base import Style
from tests.kb.core.diagnosis.generators.styles.table import style_of

__all__ = ["Style", "style_of"]
