"""The WSGI entry that granian serves."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

# What was loaded so far stays for good: looking through it for garbage again and again took a tenth of a search's time.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 100)
