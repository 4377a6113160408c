"""One call of the service: its request, its repetitions, and what its reply is."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Any, cast
from urllib.parse import quote
from uuid import uuid4

import httpx2
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
)

from anchord._problems import AnchordError, ConnectionFailed, ProblemError, TimedOut, problem

# Another moment, or another process of the service, may answer. A 500 is among them because every change has a key
# under which it is done once.
REPEATED = {408, 429, 500, 502, 503, 504}
DEFAULT_URL = "http://127.0.0.1:8080"
# A parameter that is repeated; lists in all others are one value with commas.
EXPLODED = {"metadata"}
# Seconds of the first wait that the service does not name, doubled each time, and of the longest one.
FIRST_WAIT, MOST_WAIT = 0.2, 8.0


def backoff(failures: int) -> float:
    """Longer each time, and never the same for two callers that failed at once."""
    return float(min(FIRST_WAIT * 2 ** (failures - 1), MOST_WAIT) * random.uniform(0.5, 1))


@dataclass(frozen=True)
class Settings:
    """Where the service is, and how long to wait for it."""

    url: str
    headers: dict[str, str]
    timeout: float
    retries: int
    longest_wait: float

    @staticmethod
    def given(url: str | None, api_key: str | None, timeout: float, retries: int, longest_wait: float) -> Settings:
        key = api_key or os.environ.get("ANCHORD_API_KEY")
        if not key:
            raise AnchordError("no key: pass api_key, or set ANCHORD_API_KEY")
        url = url or os.environ.get("ANCHORD_URL") or DEFAULT_URL
        headers = {"x-api-key": key, "user-agent": f"anchord-python/{version('anchord')}"}
        return Settings(url.rstrip("/"), headers, timeout, retries, longest_wait)

    def may_repeat(self, error: BaseException) -> bool:
        if isinstance(error, ConnectionFailed):
            return True
        if not isinstance(error, ProblemError):
            return False
        # A first request with the same key that still runs has a reply in a moment.
        passes = error.status in REPEATED or error.code in {"idempotency-in-flight", "transcript-contended"}
        return passes and (error.retry_after or 0) <= self.longest_wait

    def within(self, headers: Mapping[str, str | None]) -> float:
        """Seconds for a call with all its repetitions: what the service itself is asked to wait comes on top."""
        asked = re.search(r"\bwait=(\d+)", headers.get("Prefer") or "")
        return self.timeout + (float(asked[1]) if asked else 0.0)

    def repetition(self, seconds: float) -> dict[str, Any]:
        return {
            "stop": stop_after_attempt(self.retries + 1) | stop_before_delay(seconds),
            "wait": _wait,
            "retry": retry_if_exception(self.may_repeat),
            "reraise": True,
        }


def left(until: float) -> float:
    """Seconds that are left for an attempt: a little at least, for zero is no timeout of the HTTP client."""
    return max(until - time.monotonic(), 0.001)


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, ProblemError) and error.retry_after is not None:
        return error.retry_after
    return backoff(state.attempt_number)


# The parts of LangChain's messages that chat completions have. Only its provider reads the rest, such as thinking.
_PARTS = {"text", "image_url", "input_audio", "file"}


def of_langchain(message: Any) -> dict[str, Any] | None:
    """A message of LangChain's as chat completions have it, by LangChain itself; its own dump has no role."""
    library: Any = sys.modules.get("langchain_core.messages")
    if library is None or not isinstance(message, library.BaseMessage):
        return None
    converted: dict[str, Any] = library.convert_to_openai_messages(message)
    if isinstance(converted["content"], list):
        parts = cast("list[dict[str, object]]", converted["content"])
        converted["content"] = [part for part in parts if part["type"] in _PARTS] or ""
    return converted


def plain(thing: object) -> object:
    """An object of a provider's library as JSON has it."""
    if (converted := of_langchain(thing)) is not None:
        return converted
    if callable(dump := getattr(thing, "model_dump", None)):
        dumped: object = dump(mode="json", exclude_none=True)
        return dumped
    raise TypeError(f"{type(thing).__name__} is no JSON, and no object of a provider's library")


def request(
    method: str,
    template: str,
    *,
    path: Mapping[str, object],
    query: Mapping[str, object],
    headers: Mapping[str, str | None],
    body: object = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """The arguments of the HTTP client. Each repetition has the same, the key among them."""
    params: list[tuple[str, Any]] = []
    for name, value in query.items():
        if isinstance(value, list):
            texts = [str(part) for part in cast("list[object]", value)]
            params += [(name, text) for text in texts] if name in EXPLODED else [(name, ",".join(texts))]
        elif value is not None:
            params.append((name, value))
    sent = {name: value for name, value in headers.items() if value is not None}
    content: bytes | None = None
    if isinstance(body, bytes):
        content, sent["content-type"] = body, "application/x-ndjson"
    elif body is not None:
        content, sent["content-type"] = json.dumps(body, default=plain).encode(), "application/json"
    if method == "POST":
        sent["idempotency-key"] = idempotency_key or str(uuid4())
    url = template.format(**{name: quote(str(value), safe="") for name, value in path.items()})
    return {"method": method, "url": url, "params": params, "headers": sent, "content": content}


def failure(response: httpx2.Response) -> ProblemError:
    """The problem that a reply is; what is no document comes from a proxy before the service."""
    try:
        document = response.json()
    except ValueError:
        document = {"detail": response.text[:500]}
    return problem(document, response.status_code, _retry_after(response.headers.get("retry-after")))


def _retry_after(header: str | None) -> float | None:
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def reply(response: httpx2.Response) -> Any:
    if not response.is_success:
        raise failure(response)
    if not response.content:
        return None
    kind = response.headers.get("content-type", "").partition(";")[0]
    return response.json() if kind.endswith(("/json", "+json")) else response.text


def unreached(error: httpx2.TransportError, url: str) -> ConnectionFailed:
    why = f"({type(error).__name__}: {error})"
    if isinstance(error, httpx2.TimeoutException):
        return TimedOut(f"{url} did not answer in time {why}")
    if isinstance(error, httpx2.ConnectError):
        named = f"ANCHORD_URL or the argument url names the address, the default is {DEFAULT_URL}"
        return ConnectionFailed(f"nothing answers at {url} {why}; does the service run there? {named}")
    return ConnectionFailed(f"the connection to {url} was lost {why}")


class Calls:
    """Calls that wait."""

    def __init__(self, settings: Settings, transport: httpx2.BaseTransport | None = None) -> None:
        self.settings = settings
        self.http = httpx2.Client(
            base_url=settings.url, headers=settings.headers, timeout=settings.timeout, transport=transport
        )

    def once(self, made: Mapping[str, Any], until: float) -> Any:
        try:
            return reply(self.http.request(**made, timeout=left(until)))
        except httpx2.TransportError as error:
            raise unreached(error, self.settings.url) from error

    def call(
        self,
        method: str,
        template: str,
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
        headers: Mapping[str, str | None] = {},
        body: object = None,
        idempotency_key: str | None = None,
    ) -> Any:
        made = request(
            method, template, path=path, query=query, headers=headers, body=body, idempotency_key=idempotency_key
        )
        once: Callable[[Mapping[str, Any], float], Any] = self.once
        seconds = self.settings.within(headers)
        return Retrying(**self.settings.repetition(seconds))(once, made, time.monotonic() + seconds)

    def pages(
        self,
        method: str,
        template: str,
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
    ) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            page = self.call(method, template, path=path, query={**query, "cursor": cursor})
            yield from page["items"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return


class AsyncCalls:
    """The same without waiting."""

    def __init__(self, settings: Settings, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self.settings, self._transport = settings, transport
        self._loop: object = None
        self._http: httpx2.AsyncClient | None = None

    @property
    def http(self) -> httpx2.AsyncClient:
        """The connections of the running loop: those of one that has ended cannot be used in the next `asyncio.run`."""
        try:
            loop: object = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if self._http is None or loop is not self._loop:
            settings, self._loop = self.settings, loop
            self._http = httpx2.AsyncClient(
                base_url=settings.url, headers=settings.headers, timeout=settings.timeout, transport=self._transport
            )
        return self._http

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    async def once(self, made: Mapping[str, Any], until: float) -> Any:
        try:
            return reply(await self.http.request(**made, timeout=left(until)))
        except httpx2.TransportError as error:
            raise unreached(error, self.settings.url) from error

    async def call(
        self,
        method: str,
        template: str,
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
        headers: Mapping[str, str | None] = {},
        body: object = None,
        idempotency_key: str | None = None,
    ) -> Any:
        made = request(
            method, template, path=path, query=query, headers=headers, body=body, idempotency_key=idempotency_key
        )
        seconds = self.settings.within(headers)
        return await AsyncRetrying(**self.settings.repetition(seconds))(self.once, made, time.monotonic() + seconds)

    async def pages(
        self,
        method: str,
        template: str,
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
    ) -> AsyncIterator[Any]:
        cursor: str | None = None
        while True:
            page = await self.call(method, template, path=path, query={**query, "cursor": cursor})
            for item in page["items"]:
                yield item
            cursor = page.get("next_cursor")
            if cursor is None:
                return
