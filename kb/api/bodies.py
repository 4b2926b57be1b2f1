"""What a request for a diagnosis carries: a form with files, JSON with a text, or a log as it is. Taken, not judged."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import cast

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework.exceptions import APIException, ParseError, Throttled, UnsupportedMediaType
from rest_framework.request import Request

from kb.core.diagnosis.reading.intake import MIB
from kb.core.diagnosis.reading.streams import Readable
from kb.diagnose.uploads import Receiver, TooLargeError, Upload, form_uploads, in_blocks, text_upload

FORM, JSON = "multipart/form-data", "application/json"
AS_THEY_ARE = (
    "application/octet-stream", "application/gzip", "application/x-gzip", "application/zstd", "application/zip",
    "application/x-tar", "application/x-bzip2", "application/x-xz", "application/x-ndjson", "",
)  # fmt: skip
LARGEST_JSON = 16 * MIB
HOW = (
    "Send the log as it is with “Content-Type: text/plain” "
    "(curl: -H 'Content-Type: text/plain' --data-binary @job.log), "
    "compressed or an archive with “application/octet-stream”, "
    "several files as a form (curl: -F file=@rank0.log -F file=@rank1.log), "
    'or JSON such as {"text": "..."}.'
)
NOTHING = "There is no log in the request. "
SECONDS_UNTIL_ROOM = 60


class TooLargeProblem(APIException):
    """More than is taken at a time."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class LengthRequired(APIException):
    """The body's length is needed and was not stated."""

    status_code = HTTPStatus.LENGTH_REQUIRED


@contextmanager
def received_files(request: Request) -> Iterator[list[Upload]]:
    """The files that the request carries, until the block ends. Raises API exceptions that say what to do instead."""
    largest = settings.DIAGNOSIS_UPLOAD_MB * MIB
    length = str(request.META.get("CONTENT_LENGTH") or "")
    if length.isascii() and length.isdigit() and int(length) > largest + MIB:
        raise TooLargeProblem(str(TooLargeError(largest)))
    with Receiver(largest) as receiver:
        try:
            files = _files(request, receiver)
        except TooLargeError as error:
            raise TooLargeProblem(str(error)) from error
        except UnreadablePostError as error:
            raise ParseError("The request ended early.") from error
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise Throttled(SECONDS_UNTIL_ROOM, "There is no room for uploads right now.") from error
        if all(file.healthy for file in files):
            raise ParseError(NOTHING + HOW)
        yield files


def _files(request: Request, receiver: Receiver) -> list[Upload]:
    media_type = str(request.META.get("CONTENT_TYPE") or "").partition(";")[0].strip().lower()
    if media_type == FORM:
        return _of_form(request, receiver)
    if media_type == JSON:
        return _of_json(request)
    if media_type.startswith("text/") or media_type in AS_THEY_ARE:
        return _as_it_is(request, receiver)
    raise UnsupportedMediaType(media_type, f"“{media_type[:80]}” is not accepted here. {HOW}")


def _has_no_length(request: Request) -> bool:
    return (
        not request.META.get("CONTENT_LENGTH") and "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower()
    )


def _body(request: Request) -> HttpRequest:
    """The request as Django has it, its body unread. Raises `LengthRequired`."""
    if _has_no_length(request):
        raise LengthRequired("Say how long the body is (Content-Length), or send the log as it is, as text/plain.")
    return request._request


def _as_it_is(request: Request, receiver: Receiver) -> list[Upload]:
    # Without a length Django takes the body to be empty; a server that marks the end can be read to it.
    can_be_read = _has_no_length(request) and request.META.get("wsgi.input_terminated")
    body = cast("Readable", request.META["wsgi.input"]) if can_be_read else _body(request)
    file = receiver.receive_body(in_blocks(body), request.query_params.get("name", ""))
    return [file] if file.size else []


def _of_json(request: Request) -> list[Upload]:
    content = _body(request).read(LARGEST_JSON + 1)
    if len(content) > LARGEST_JSON:
        raise TooLargeProblem(f"More than {LARGEST_JSON // MIB} MB of JSON. {HOW}")
    try:
        data = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ParseError(f"The body is not valid JSON ({error}). {HOW}") from error
    if not isinstance(data, dict) or not isinstance(data.get("text"), str):
        raise ParseError('The JSON must be an object with a “text”: {"text": "...", "name": "job.log"}.')
    unknown = sorted({*data} - {"text", "name"})
    if unknown:
        raise ParseError(f"“{unknown[0][:60]}” is not known here. The keys are “text” and “name”.")
    name = data.get("name") or ""
    if not isinstance(name, str):
        raise ParseError("“name” must be a string.")
    return [text_upload(data["text"], name)] if data["text"] else []


def _of_form(request: Request, receiver: Receiver) -> list[Upload]:
    form = _body(request)
    form.upload_handlers = [receiver]
    try:
        fields, files = form.POST, form.FILES
    except MultiPartParserError as error:
        raise ParseError(f"The form cannot be read: {error}. {HOW}") from error
    except TooManyFilesSent as error:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        raise ParseError(f"More than {most:,} files. Put them into one archive (tar, zip).") from error
    except (TooManyFieldsSent, RequestDataTooBig) as error:
        raise ParseError(f"The form's other fields are too large. {HOW}") from error
    unknown = sorted(({*fields} | {*files}) - {"file", "healthy"})
    if unknown:
        raise ParseError(f"“{unknown[0][:60]}” is not known here. The fields are “file” and “healthy”.")
    if fields:
        raise ParseError(f"“{min(fields)}” must be a file with a file name. {HOW}")
    return [*form_uploads(files.getlist("file")), *form_uploads(files.getlist("healthy"), healthy=True)]
