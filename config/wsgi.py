"""The WSGI entry that granian serves."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from config.celery import app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
# What requests send to the workers goes by this app's broker: without it, Celery makes an app that knows of none.
app.set_default()

# Loads every view, which the first visitor of each process would otherwise wait for.
reverse("home")

# What was loaded so far stays for good: looking through it for garbage again and again took a tenth of a search's time.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 100)
