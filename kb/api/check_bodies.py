"""What a request for a check carries: a form with files, JSON with texts, or one text as it is. Taken, not judged."""

from collections.abc import Iterable

import orjson
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from pydantic import BaseModel, ConfigDict, ValidationError
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.request import Request

from kb.api.bodies import FORM, JSON, LengthRequired, TooLargeProblem
from kb.core.check.texts import LARGEST, TOO_LONG, NamedText, text_of
from kb.diagnose.uploads import Receiver, TooLargeError, form_uploads, shown_name

HOW = (
    "Send files as a form (curl -F file=@pip-freeze.txt -F file=@ds.json), a text with “Content-Type: text/plain”, "
    'or JSON such as {"texts": [{"name": "ds.json", "text": "..."}]}.'
)


class _Text(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    name: str = "text"


class _Texts(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    texts: list[_Text]


def received_texts(request: Request) -> list[NamedText]:
    """The texts that the request carries. Raises API exceptions that say what to send instead."""
    length = str(request.META.get("CONTENT_LENGTH") or "")
    if not length and "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        raise LengthRequired(f"Say how long the body is (Content-Length). {HOW}")
    if length.isascii() and length.isdigit() and int(length) > LARGEST:
        raise TooLargeProblem(TOO_LONG)
    media_type = str(request.META.get("CONTENT_TYPE") or "").partition(";")[0].strip().lower()
    try:
        if media_type == FORM:
            return list(_of_form(request._request))
        if media_type == JSON:
            return _of_json(request._request.read())
        if media_type.startswith("text/"):
            return [("text", _read("The body", request._request.read()))]
    except UnreadablePostError as error:
        raise ParseError("The request ended early.") from error
    raise UnsupportedMediaType(media_type, f"“{media_type[:80]}” is not accepted here. {HOW}")


def _of_json(content: bytes) -> list[NamedText]:
    try:
        body = _Texts.model_validate(orjson.loads(content))
    except (orjson.JSONDecodeError, ValidationError) as error:
        raise ParseError(f"The body is not JSON with “texts”. {HOW}") from error
    return [(shown_name(entry.name), entry.text) for entry in body.texts]


def _of_form(form: HttpRequest) -> Iterable[NamedText]:
    with Receiver(LARGEST) as receiver:
        form.upload_handlers = [receiver]
        try:
            fields, files = form.POST, form.FILES
        except MultiPartParserError as error:
            raise ParseError(f"The form cannot be read: {error}. {HOW}") from error
        except (TooLargeError, TooManyFilesSent, TooManyFieldsSent, RequestDataTooBig) as error:
            raise TooLargeProblem(TOO_LONG) from error
        unknown = sorted({*fields, *files} - {"file"})
        if unknown or fields:
            raise ParseError(f"“{(unknown or ['file'])[0][:60]}” is not a file named “file”. {HOW}")
        for file in form_uploads(files.getlist("file")):
            yield file.name, _read(f"“{file.name[:80]}”", file.stream.read(LARGEST))


def _read(name: str, content: bytes) -> str:
    text = text_of(content)
    if text is None:
        raise ParseError(f"{name} is not text. {HOW}")
    return text
