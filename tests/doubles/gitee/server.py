"""A running double of Gitee: the other double's sockets, limits and faults around Gitee's addresses and refusals."""

from typing import Any

from tests.doubles.gitee.rest import ROOT, Rest
from tests.doubles.github import GitHubDouble, Limits, World
from tests.doubles.github.requests import Answer, Request
from tests.doubles.github.wire import encode


class GiteeDouble(GitHubDouble):
    """Use it as the double of GitHub. No header tells of limits, and a refusal says only that it is one."""

    def __init__(self, world: World, **options: Any) -> None:
        super().__init__(world, limits=Limits(enabled=False), **options)
        self.rest = Rest(world)  # type: ignore[assignment] # the same method, other addresses

    @property
    def api_url(self) -> str:
        """The root of the interface."""
        return f"{self.root}{ROOT}"

    def answer(self, request: Request) -> Answer:
        """Answer one request and log it."""
        answer = super().answer(request)
        if answer.status == 403:
            answer.body = encode({"message": "403 Rate Limit Exceeded"})
        return answer
