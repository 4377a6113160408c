"""Keeps an AI agent going past its context window: the client of anchord, and what connects it to agents' frameworks."""

from importlib.metadata import version

from anchord._client import Anchord, AsyncAnchord
from anchord._problems import (
    AnchordError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Invalid,
    NotFound,
    ProblemError,
    RateLimited,
    TimedOut,
    TooLarge,
    Unauthorized,
    Unavailable,
)

__version__ = version("anchord")

__all__ = [
    "Anchord",
    "AnchordError",
    "AsyncAnchord",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "Invalid",
    "NotFound",
    "ProblemError",
    "RateLimited",
    "TimedOut",
    "TooLarge",
    "Unauthorized",
    "Unavailable",
    "__version__",
]
