"""Diagnoses by program: small logs are answered at once, all else by a job. Nobody needs an account."""

import uuid
from collections.abc import Iterable

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import ParseError, Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import UncachedView
from kb.api.bodies import SECONDS_UNTIL_ROOM, TooLargeProblem, received_files
from kb.api.diagnose_schema import DELETED, DIAGNOSED, FOUND, RESPONSE_HEADERS, SENT
from kb.api.examples import example
from kb.api.problems import InvalidParametersError
from kb.api.serializers.diagnose import DiagnosisJobSerializer, DiagnosisSerializer
from kb.api.throttling import DiagnosisThrottle
from kb.core.diagnosis.reading.intake import MIB, UnreadableInputError
from kb.diagnose import jobs
from kb.diagnose.immediate import Waiting
from kb.diagnose.request import ask
from kb.diagnose.shares import ShareTakenError
from kb.diagnose.uploads import TooLargeError
from kb.http.visitors import visitor_of
from kb.models import DiagnosisJob

AT_ONCE = Waiting(sent=5 * MIB, text=64 * MIB)
LOOK_AGAIN_SECONDS = 1
NAME = OpenApiParameter(
    "name",
    {"type": "string", "maxLength": 200},
    description="Name of a log sent as the body; default “log”.",
)
WAIT = OpenApiParameter(
    "wait",
    {"type": "string", "enum": ["yes", "no"]},
    description="`no` always starts a job, even for a small log; so does the header `Prefer: respond-async`.",
)
JOB = OpenApiParameter("job", uuid.UUID, declared.PATH, description="Id of the job.")


class DiagnoseView(UncachedView):
    """A diagnosis of what is sent."""

    response_headers = RESPONSE_HEADERS
    throttle_classes = (DiagnosisThrottle,)
    serializer_class = DiagnosisSerializer
    own_parameters = (NAME, WAIT)

    def examples(self) -> Iterable[OpenApiExample]:
        """Real answers."""
        return (
            example("diagnosis", DiagnosisSerializer.keys()),
            example("diagnosis-job", DiagnosisJobSerializer.keys(), status=202),
        )

    @extend_schema(
        operation_id="diagnose",
        summary="Diagnose a failed run",
        description=(
            "Say what failed first in the logs of a training or serving run: the lines that matter, suspect nodes and "
            "ranks, stage, symptom, likely causes, known issues. Takes plain, compressed and archived logs, one file "
            "or one of each rank, and Flight Recorder dumps beside them; `healthy` ones are of runs that went well.\n\n"
            "Up to 5 MB, with at most 64 MB of text in them, are answered at once and not stored. More, or what takes "
            "longer than 20 seconds to read, becomes a job: 202, and `Location` says where to look. What was sent is "
            "stored until it has been read, the result for an hour; deleting the job deletes both."
        ),
        tags=["diagnose"],
        request=SENT,
        responses=DIAGNOSED,
    )
    def post(self, request: Request) -> Response:
        """Answer, or make a job of it."""
        is_waited_for = _is_waited_for(request)
        with received_files(request) as files:
            try:
                answer = ask(
                    files=files, visitor=visitor_of(request._request), waiting=AT_ONCE if is_waited_for else None
                )
            except UnreadableInputError as error:
                raise ParseError(str(error)) from error
            except TooLargeError as error:
                raise TooLargeProblem(str(error)) from error
            except jobs.BusyError as error:
                raise Throttled(SECONDS_UNTIL_ROOM, str(error)) from error
            except ShareTakenError as error:
                raise Throttled(error.retry_after, str(error)) from error
        if not isinstance(answer, DiagnosisJob):
            return Response(answer)
        response = _job_response(answer, request)
        response.status_code = status.HTTP_202_ACCEPTED
        response.headers["Location"] = response.data["url"]
        response.headers["Retry-After"] = str(LOOK_AGAIN_SECONDS)
        return response


class DiagnosisJobView(UncachedView):
    """One job."""

    response_headers = RESPONSE_HEADERS
    serializer_class = DiagnosisJobSerializer
    own_parameters = (JOB,)
    example_name = "diagnosis-job"

    @extend_schema(
        operation_id="diagnosis_job",
        summary="State of a diagnosis",
        description="A job's state, progress and, when done, its result.",
        tags=["diagnose"],
        responses=FOUND,
    )
    def get(self, request: Request, job: uuid.UUID) -> Response:
        """The job's current state."""
        try:
            return _job_response(jobs.find(job_id=job), request)
        except DiagnosisJob.DoesNotExist as error:
            raise Http404 from error

    @extend_schema(
        operation_id="diagnosis_job_delete",
        summary="Forget a diagnosis",
        description="Delete a job with its upload and result; a running job stops.",
        tags=["diagnose"],
        responses=DELETED,
    )
    def delete(self, request: Request, job: uuid.UUID) -> Response:  # noqa: ARG002
        """Delete it."""
        if not jobs.delete(job_id=job):
            raise Http404
        return Response(status=status.HTTP_204_NO_CONTENT)


def _job_response(job: DiagnosisJob, request: Request) -> Response:
    """The job as JSON (`DiagnosisJobSerializer`)."""
    return Response(
        {
            "id": str(job.pk),
            "url": request.build_absolute_uri(reverse("api-diagnosis-job", args=(job.pk,))),
            "state": job.state,
            "progress": job.progress,
            "bytes_given": job.bytes_given,
            "bytes_taken": job.bytes_taken,
            "bytes_read": job.bytes_read,
            "files": job.files,
            "created_at": job.created_at,
            "finished_at": job.finished_at,
            "expires_at": job.expires_at,
            "error": job.error or None,
            "result": job.result,
        }
    )


def _is_waited_for(request: Request) -> bool:
    wait = request.query_params.get("wait", "yes")
    if wait not in ("yes", "no"):
        raise InvalidParametersError({"wait": ["Choose one of: yes, no."]})
    preferred = request.headers.get("Prefer", "").lower().replace(" ", "").split(",")
    return wait == "yes" and "respond-async" not in preferred
