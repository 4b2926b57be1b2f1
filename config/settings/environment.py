"""Where settings are read from, and those that others depend on.

Without DATABASE_URL and REDIS_URL the addresses of the embedded servers are read from `.data/run.env`,
which `make up` writes.
"""

import os
from pathlib import Path

import environ

BASE_DIR = Path(__file__).resolve().parent.parent.parent

env = environ.Env()
DATA_DIR = Path(env.str("FAULTBOOK_DATA", default="") or BASE_DIR / ".data").expanduser()
for env_file in (BASE_DIR / ".env", DATA_DIR / "run.env"):
    if env_file.is_file():
        environ.Env.read_env(env_file)
    # As under `make up`: left empty, as in .env.example, they are not set, and run.env may say them.
    for name in ("SECRET_KEY", "DATABASE_URL", "REDIS_URL"):
        if not os.environ.get(name):
            os.environ.pop(name, None)

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY")
# A run on one's own machine over plain http: no TLS redirect, no secure-only cookies.
LOCAL = env.bool("LOCAL", default=False)
# A local run answers to its own names also where a .env for production lies in the folder.
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[]) + (["127.0.0.1", "localhost", "[::1]"] if LOCAL else [])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SITE_URL = env.str("SITE_URL", default="")
GITHUB_TOKEN = env.str("GITHUB_TOKEN", default="")
