"""The ASGI entry that granian serves: Django behind the front that keeps slow visitors off its threads."""

from django.conf import settings

from config.front.application import Front
from config.wsgi import application as wsgi

application = Front(
    wsgi,
    threads=settings.WEB_THREADS,
    waiting=settings.WEB_WAITING,
    seconds=settings.WEB_WAIT_SECONDS,
    longest=(settings.DIAGNOSIS_UPLOAD_MB + 1) * 1_000_000,
    proxies=settings.NUM_PROXIES,
)
