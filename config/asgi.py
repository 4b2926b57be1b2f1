"""The ASGI entry that granian serves: Django behind the front that keeps slow visitors off its threads."""

from django.conf import settings

from config.front.application import Front
from config.front.bodies import Bodies
from config.telemetry.requests import Observed
from config.wsgi import application as wsgi

MB = 1_000_000
application = Observed(
    Front(
        wsgi,
        threads=settings.WEB_THREADS,
        waiting=settings.WEB_WAITING,
        seconds=settings.WEB_WAIT_SECONDS,
        bodies=Bodies(longest=(settings.DIAGNOSIS_UPLOAD_MB + 1) * MB, total=settings.WEB_BODIES_MB * MB),
        proxies=settings.NUM_PROXIES,
    )
)
