"""What both wire formats say, in one shape."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pydantic import TypeAdapter


class Refused(Exception):
    """The request is one that the provider would refuse."""


@dataclass
class Call:
    """A tool call, and what came back."""

    name: str
    arguments: dict
    result: str = ""


@dataclass
class Conversation:
    """The texts of a request and its calls, oldest first, and the names of the tools that it offers."""

    tools: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)

    def size(self) -> int:
        """Roughly its tokens, on the high side: three characters each."""
        parts = [*self.texts]
        for call in self.calls.values():
            parts += [call.name, *map(str, call.arguments.values()), call.result]
        return sum(map(len, parts)) // 3


def conforms(request: TypeAdapter, body: dict) -> None:
    """Checks a request against the type of the provider's own library; fields beyond it are refused, too."""
    read_all(request.validate_python(body, extra="forbid"))


def read_all(value: object) -> None:
    """Reads a checked value to its end: what the libraries call iterable is only checked while it is read."""
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in value:
            read_all(item)
