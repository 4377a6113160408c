"""The ends of a call that are no reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard, cast

from anchord.types import FieldError


class AnchordError(Exception):
    """Everything that this package raises."""


class ConnectionFailed(AnchordError):
    """The service could not be reached, or hung up."""


class TimedOut(ConnectionFailed):
    """The service did not answer in time. A change may be stored or not: repeat it with the same `idempotency_key`."""


class ProblemError(AnchordError):
    """The service refused or failed, with a problem document (RFC 9457)."""

    status: int
    """The reply's status."""
    type: str
    """The kind of problem; stable, relative to the service, where it opens a page that explains it."""
    code: str
    """The last part of `type`: `session-not-found`."""
    title: str
    detail: str
    request_id: str
    """As in `X-Request-Id` and the service's log."""
    errors: list[FieldError]
    """The invalid places of the request."""
    retry_after: float | None
    """Seconds after which a repetition makes sense, when the service said so."""
    members: Mapping[str, Any]
    """The whole document; some problems have members of their own (`next_seq`, `min_tokens`)."""

    def __init__(self, document: Mapping[str, Any], status: int, retry_after: float | None = None) -> None:
        self.status = status
        self.type = str(document.get("type", "about:blank"))
        self.code = self.type.rsplit("/", 1)[-1]
        self.title = str(document.get("title", f"HTTP {status}"))
        self.detail = str(document.get("detail", ""))
        self.request_id = str(document.get("instance", ""))
        found: object = document.get("errors")
        self.errors = [error for error in _list(found) if _is_field_error(error)]
        self.retry_after = retry_after
        self.members = document
        places = "".join(f"; {error['pointer']}: {error['detail']}" for error in self.errors)
        super().__init__(f"{status} {self.code}: {self.detail or self.title}{places}")

    @property
    def field(self) -> str | None:
        """The first invalid place, as a JSON pointer into the body or `/` and the name of a parameter."""
        return self.errors[0]["pointer"] if self.errors else None

    @property
    def limit(self) -> int | None:
        """The bound that was exceeded, where there is one."""
        limit = self.members.get("limit")
        return limit if isinstance(limit, int) else None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.members, self.status, self.retry_after)


class Unauthorized(ProblemError):
    """401: no key, or one that is not good."""


class Forbidden(ProblemError):
    """403: the key does not have the scope, or the tenant is suspended."""


class NotFound(ProblemError):
    """404: it does not exist, or it is another tenant's."""


class Conflict(ProblemError):
    """409: the state does not allow it."""

    @property
    def next_seq(self) -> int | None:
        """With the code `sequence-mismatch`: the position that the next message gets."""
        seq = self.members.get("next_seq")
        return seq if isinstance(seq, int) else None


class TooLarge(ProblemError):
    """413: beyond `limit`."""


class Invalid(ProblemError):
    """422: understood, and cannot be taken; `errors` say where."""

    @property
    def min_tokens(self) -> int | None:
        """With the code `budget-too-small`: the smallest budget that is possible."""
        tokens = self.members.get("min_tokens")
        return tokens if isinstance(tokens, int) else None


class RateLimited(ProblemError):
    """429: too many requests, or a quota is used up."""


class Unavailable(ProblemError):
    """5xx: the service failed, or cannot take it now."""


_BY_STATUS: dict[int, type[ProblemError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    422: Invalid,
    429: RateLimited,
}


def problem(document: object, status: int, retry_after: float | None = None) -> ProblemError:
    """The exception that a problem document is."""
    kind = Unavailable if status >= 500 else _BY_STATUS.get(status, ProblemError)
    return kind(document if _is_document(document) else {}, status, retry_after)


def _is_document(document: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(document, dict)


def _list(found: object) -> list[object]:
    return cast("list[object]", found) if isinstance(found, list) else []


def _is_field_error(error: object) -> TypeGuard[FieldError]:
    return isinstance(error, dict) and "pointer" in error and "detail" in error
