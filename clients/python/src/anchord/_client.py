"""The client: the service's operations, and what is easier in one call."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, Self, cast
from urllib.parse import quote

import httpx2

from anchord._calls import AsyncCalls, Calls, Settings, backoff, failure, plain, unreached
from anchord._operations import AsyncOperations, Operations
from anchord._problems import AnchordError, ProblemError, problem
from anchord.types import (
    AppendRequest,
    AppendResult,
    Context,
    Event,
    ExportLine,
    ImportResult,
    Message,
    MessageFormat,
    SyncResult,
    TranscriptRequest,
)

log = logging.getLogger("anchord")
# Items of the Responses API that have no role.
_ITEMS = {"reasoning", "item_reference", "compaction", "compaction_trigger", "program", "additional_tools"}
# The service writes a line every 15 seconds, so that a stream that is silent for longer is dead.
_STREAM = httpx2.Timeout(30, read=60)


def said(messages: Iterable[Message], format: MessageFormat | None) -> list[Message]:
    """Messages as JSON has them. The service keeps what it does not know, so that nobody would hear of one that is none."""
    return [_message(place, message, format) for place, message in enumerate(messages)]


def _message(place: int, given: object, format: MessageFormat | None) -> Message:
    message = given if isinstance(given, dict) else plain(given)  # pyright: ignore[reportUnknownVariableType]
    fields = cast("dict[str, object]", message if isinstance(message, dict) else {})
    kind = str(fields.get("type", ""))
    # Who names the format may have items of types to come.
    is_item = kind.endswith(("_call", "_output")) or kind.startswith("mcp_") or kind in _ITEMS
    if isinstance(fields.get("role"), str) or is_item or (kind and format == "openai-responses"):
        return fields
    why = "it has neither a role nor a type of the Responses API"
    raise TypeError(f"messages[{place}] is no message, {why}: {given!s:.100}")


class _Turn:
    """The bodies, queries and replies of turns, for both clients."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str | None]] = set()

    @staticmethod
    def append(messages: Iterable[Message], model: str | None, format: MessageFormat | None) -> AppendRequest:
        body = AppendRequest(messages=said(messages, format))
        if model is not None:
            body["model"] = model
        return body

    @staticmethod
    def transcript(messages: Iterable[Message], model: str | None, format: MessageFormat | None) -> TranscriptRequest:
        body = TranscriptRequest(messages=said(messages, format))
        if model is not None:
            body["model"] = model
        if format is not None:
            body["format"] = format
        return body

    def context(self, result: AppendResult | SyncResult) -> Context:
        if "context" in result:
            for warning in result["context"].get("warnings", []):
                # A window that is assumed: told once, not at every turn.
                if (key := (warning["code"], warning.get("model"))) not in self._told:
                    self._told.add(key)
                    log.warning("session %s: %s", result["session_id"], warning.get("detail") or warning["code"])
            return result["context"]
        refused = result.get("context_problem")
        if refused is None:
            raise AnchordError("the reply has no context")
        raise problem(refused, refused["status"])


def _lines(lines: Iterable[ExportLine]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


class _Stream:
    """Where a stream of events is, over its connections."""

    def __init__(self, settings: Settings, session_id: str, after: int | None, branch: str | None) -> None:
        self.settings, self.failures = settings, 0
        self.last = None if after is None else str(after)
        self.query = {} if branch is None else {"branch": branch}
        self.url = f"/v1/sessions/{quote(session_id, safe='')}/events"

    def headers(self) -> dict[str, str]:
        return {} if self.last is None else {"last-event-id": self.last}

    def read(self, id: str, data: str) -> Event | None:
        self.failures, self.last = 0, id or self.last
        return json.loads(data) if data else None

    def wait(self, error: AnchordError) -> float:
        """Seconds until the next connection; raises what does not pass."""
        self.failures += 1
        if self.failures > self.settings.retries or not self.settings.may_repeat(error):
            raise error
        named = error.retry_after if isinstance(error, ProblemError) else None
        return named if named is not None else backoff(self.failures)


class Anchord(Operations):
    """A client that waits. Every operation is under its tag, as in `client.messages.append`.

    `url` and `api_key` are those of ANCHORD_URL and ANCHORD_API_KEY unless they are given. A call is repeated up to `retries`
    times after what passes (no connection, 408, 429, 5xx), with one idempotency key, as long as all of it takes at most `timeout`
    seconds; it waits as long as `Retry-After` says, or gives up when that is more than `longest_wait` seconds.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        longest_wait: float = 30.0,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._turn = _Turn()
        self._calls = Calls(Settings.given(url, api_key, timeout, retries, longest_wait), transport)
        super().__init__(self._calls)

    def turn(
        self,
        session_id: str,
        messages: Iterable[Message],
        *,
        model: str | None = None,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
        idempotency_key: str | None = None,
    ) -> Context:
        """Stores what was said and done, and returns what to send to the model next."""
        result = self.messages.append(
            session_id,
            _Turn.append(messages, model, format),
            return_="context",
            format=format,
            max_input_tokens=max_input_tokens,
            idempotency_key=idempotency_key,
        )
        return self._turn.context(result)

    def sync(
        self,
        session_id: str,
        messages: Iterable[Message],
        *,
        model: str | None = None,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
    ) -> Context:
        """Makes the session hold this list, all of it from the first message on, and returns what to send in its place."""
        result = self.transcript.sync(
            session_id,
            _Turn.transcript(messages, model, format),
            format=format,
            max_input_tokens=max_input_tokens,
        )
        return self._turn.context(result)

    def events(self, session_id: str, *, after: int | None = None, branch: str | None = None) -> Iterator[Event]:
        """The session's events, for as long as it is there: connects again where a stream ends, and misses none.

        `after=0` begins with the oldest event that is kept; without it the first one is the next that happens.
        """
        stream = _Stream(self._calls.settings, session_id, after, branch)
        while True:
            try:
                with self._calls.http.sse(
                    stream.url, params=stream.query, headers=stream.headers(), timeout=_STREAM
                ) as source:
                    if not source.response.is_success:
                        source.response.read()
                        raise failure(source.response)
                    for line in source:
                        if (event := stream.read(line.id, line.data)) is not None:
                            yield event
            except httpx2.TransportError as error:
                time.sleep(stream.wait(unreached(error, stream.settings.url)))
            except ProblemError as error:
                time.sleep(stream.wait(error))

    def export_session(self, session_id: str, *, branch: str | None = None) -> list[ExportLine]:
        """Everything that a session has, line by line."""
        text = self.request("GET", "/v1/sessions/{session_id}/export", {"session_id": session_id}, {"branch": branch})
        return [json.loads(line) for line in str(text).splitlines()]

    def import_session(
        self,
        session_id: str,
        lines: Iterable[ExportLine],
        *,
        partial: bool | None = None,
        idempotency_key: str | None = None,
    ) -> ImportResult:
        """A session from what an export returned."""
        result: ImportResult = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/import",
            path={"session_id": session_id},
            query={"partial": partial},
            body=_lines(lines),
            idempotency_key=idempotency_key,
        )
        return result

    def request(
        self,
        method: str,
        template: str,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
        headers: Mapping[str, str | None] = {},
        body: object = None,
    ) -> Any:
        """Any call, with repetitions and problems as ever; for replies that are no JSON, as a summary in Markdown:

        `client.request("GET", "/v1/sessions/{id}/summary", {"id": "build-42"}, headers={"accept": "text/markdown"})`
        """
        return self._calls.call(method, template, path=path, query=query, headers=headers, body=body)

    def close(self) -> None:
        self._calls.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncAnchord(AsyncOperations):
    """A client for `async` code. Every operation is under its tag, as in `await client.messages.append`.

    `url` and `api_key` are those of ANCHORD_URL and ANCHORD_API_KEY unless they are given. A call is repeated up to `retries`
    times after what passes (no connection, 408, 429, 5xx), with one idempotency key, as long as all of it takes at most `timeout`
    seconds; it waits as long as `Retry-After` says, or gives up when that is more than `longest_wait` seconds.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        longest_wait: float = 30.0,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._turn = _Turn()
        self._calls = AsyncCalls(Settings.given(url, api_key, timeout, retries, longest_wait), transport)
        super().__init__(self._calls)

    async def turn(
        self,
        session_id: str,
        messages: Iterable[Message],
        *,
        model: str | None = None,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
        idempotency_key: str | None = None,
    ) -> Context:
        """Stores what was said and done, and returns what to send to the model next."""
        result = await self.messages.append(
            session_id,
            _Turn.append(messages, model, format),
            return_="context",
            format=format,
            max_input_tokens=max_input_tokens,
            idempotency_key=idempotency_key,
        )
        return self._turn.context(result)

    async def sync(
        self,
        session_id: str,
        messages: Iterable[Message],
        *,
        model: str | None = None,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
    ) -> Context:
        """Makes the session hold this list, all of it from the first message on, and returns what to send in its place."""
        result = await self.transcript.sync(
            session_id,
            _Turn.transcript(messages, model, format),
            format=format,
            max_input_tokens=max_input_tokens,
        )
        return self._turn.context(result)

    async def events(
        self, session_id: str, *, after: int | None = None, branch: str | None = None
    ) -> AsyncIterator[Event]:
        """The session's events, for as long as it is there: connects again where a stream ends, and misses none.

        `after=0` begins with the oldest event that is kept; without it the first one is the next that happens.
        """
        stream = _Stream(self._calls.settings, session_id, after, branch)
        while True:
            try:
                async with self._calls.http.sse(
                    stream.url, params=stream.query, headers=stream.headers(), timeout=_STREAM
                ) as source:
                    if not source.response.is_success:
                        await source.response.aread()
                        raise failure(source.response)
                    async for line in source:
                        if (event := stream.read(line.id, line.data)) is not None:
                            yield event
            except httpx2.TransportError as error:
                await asyncio.sleep(stream.wait(unreached(error, stream.settings.url)))
            except ProblemError as error:
                await asyncio.sleep(stream.wait(error))

    async def export_session(self, session_id: str, *, branch: str | None = None) -> list[ExportLine]:
        """Everything that a session has, line by line."""
        text = await self.request(
            "GET", "/v1/sessions/{session_id}/export", {"session_id": session_id}, {"branch": branch}
        )
        return [json.loads(line) for line in str(text).splitlines()]

    async def import_session(
        self,
        session_id: str,
        lines: Iterable[ExportLine],
        *,
        partial: bool | None = None,
        idempotency_key: str | None = None,
    ) -> ImportResult:
        """A session from what an export returned."""
        result: ImportResult = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/import",
            path={"session_id": session_id},
            query={"partial": partial},
            body=_lines(lines),
            idempotency_key=idempotency_key,
        )
        return result

    async def request(
        self,
        method: str,
        template: str,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
        headers: Mapping[str, str | None] = {},
        body: object = None,
    ) -> Any:
        """Any call, with repetitions and problems as ever; for replies that are no JSON, as a summary in Markdown:

        `await client.request("GET", "/v1/sessions/{id}/summary", {"id": "build-42"}, headers={"accept": "text/markdown"})`
        """
        return await self._calls.call(method, template, path=path, query=query, headers=headers, body=body)

    async def close(self) -> None:
        await self._calls.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
