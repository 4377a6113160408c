"""Shared by the adapters: settings that the service is told once, and failures that an agent outlives."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Generator
from contextlib import contextmanager

from anchord import Anchord, AnchordError, AsyncAnchord, ConnectionFailed, NotFound, ProblemError
from anchord.types import Settings

log = logging.getLogger("anchord")
# Seconds for which a service that cannot be reached is not asked again: doubled each time.
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 60.0
# Beyond so many sessions it is told again.
MOST_SESSIONS = 10_000


def tokens_about(*parts: object) -> int:
    """Four characters are about a token."""
    return sum(len(part if isinstance(part, str) else json.dumps(part, default=str)) for part in parts if part) // 4


class Link:
    """An adapter's connection to the service."""

    def __init__(self, window: int | None) -> None:
        self.window = window
        self._told: dict[str, int] = {}
        self._pause = self._until = 0.0

    @property
    def is_away(self) -> bool:
        """Whether the service could not be reached a moment ago, so that no call of the model waits for it again."""
        return time.monotonic() < self._until

    @contextmanager
    def asking(self, otherwise: str, *, may_raise: bool = True) -> Generator[None]:
        """Around calls of the service: an outage is told of, and passed over. A wrong key or setting is the caller's to know."""
        try:
            yield
        except AnchordError as error:
            if may_raise and not _passes(error):
                raise
            if isinstance(error, ConnectionFailed):
                self._pause = min(2 * self._pause or FIRST_PAUSE, LONGEST_PAUSE)
                self._until = time.monotonic() + self._pause
            log.warning("%s: %s", otherwise, error)
        else:
            self._pause = 0.0

    def tell(self, client: Anchord, session: str, *unseen: object) -> None:
        """Tells the window, and how large the parts of a request are that the service does not see: once, and when they grow."""
        if settings := self._untold(session, unseen):
            try:
                client.sessions.update(session, settings)
            except NotFound:
                client.sessions.put(session, settings)
            self._note(session, settings)

    async def tell_async(self, client: AsyncAnchord, session: str, *unseen: object) -> bool:
        """The same without waiting; whether there was something to tell."""
        if settings := self._untold(session, unseen):
            try:
                await client.sessions.update(session, settings)
            except NotFound:
                await client.sessions.put(session, settings)
            self._note(session, settings)
        return bool(settings)

    def _untold(self, session: str, unseen: tuple[object, ...]) -> Settings:
        tokens = tokens_about(*unseen)
        told = self._told.get(session)
        settings = Settings()
        if told is None and self.window is not None:
            settings["context_window"] = self.window
        # What is small, or changes a little with every request such as a time of day, costs no call.
        if tokens > 1.1 * (told or 0) + 100:
            settings["system_tokens"] = tokens
        return settings

    def _note(self, session: str, settings: Settings) -> None:
        if len(self._told) >= MOST_SESSIONS:
            self._told.clear()
        self._told[session] = settings.get("system_tokens") or self._told.get(session, 0)


def _passes(error: AnchordError) -> bool:
    if isinstance(error, ProblemError):
        # A conflict is another call's of the same moment, and what is too large need not be too large for the model.
        return error.status >= 500 or error.status in {408, 409, 413, 429}
    return isinstance(error, ConnectionFailed)
