"""What both wire formats say, in one shape."""

from dataclasses import dataclass, field


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
    """The texts of a request and its calls, oldest first."""

    texts: list[str] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)

    def size(self) -> int:
        """Roughly its tokens, on the high side: three characters each."""
        parts = [*self.texts]
        for call in self.calls.values():
            parts += [call.name, *map(str, call.arguments.values()), call.result]
        return sum(map(len, parts)) // 3
