"""Settings, read from the environment; see docs/configuration.md for every variable.

By what they are about: `environment` (where they are read from, and what everything else asks for), `base` (the
program itself), `workers` (Celery), `accounts` (accounts and mail), `security` (what browsers may do), `api`.
"""

from config.settings.accounts import *
from config.settings.api import *
from config.settings.base import *
from config.settings.environment import *
from config.settings.security import *
from config.settings.workers import *
