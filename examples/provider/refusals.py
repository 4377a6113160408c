"""Checks that the provider refuses what real ones refuse: python3 -m provider.refusals"""

import copy
import sys

from pydantic import ValidationError

from . import chat_completions, messages, responses
from .conversation import Refused, conforms

CHAT = {
    "model": "any",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Which files?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "list_files", "arguments": "{}"}},
                {"id": "2", "type": "function", "function": {"name": "list_files", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "a.py"},
        {"role": "tool", "tool_call_id": "2", "content": "a.py"},
    ],
}
BLOCKS = {
    "model": "any",
    "max_tokens": 10,
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "Which files?"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "list_files", "input": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "a.py"}]},
    ],
}
ITEMS = {
    "model": "any",
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": "Which files?"},
        {"type": "function_call", "call_id": "1", "name": "list_files", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "a.py"},
    ],
}


def refused(wire, body: dict) -> bool:
    """Whether a request is refused."""
    try:
        conforms(wire.REQUEST, body)
        wire.read(body)
    except (Refused, ValidationError):
        return True
    return False


def with_messages(body: dict, change) -> dict:
    """A request whose messages or items are changed."""
    body = copy.deepcopy(body)
    change(body["messages"] if "messages" in body else body["input"])
    return body


CASES = {
    "no messages": (chat_completions, CHAT, lambda said: said.clear()),
    "a result without its call": (chat_completions, CHAT, lambda said: said.pop(2)),
    "a call without its result": (chat_completions, CHAT, lambda said: said.pop()),
    "a message between call and result": (chat_completions, CHAT, lambda said: said.insert(4, said[1])),
    "a result twice": (chat_completions, CHAT, lambda said: said.append(said[4])),
    "nothing said": (chat_completions, CHAT, lambda said: said[1].update(content="")),
    "an unknown role": (chat_completions, CHAT, lambda said: said[1].update(role="person")),
    "an unknown field": (chat_completions, CHAT, lambda said: said[1].update(seq=1)),
    "arguments that are no text": (
        chat_completions,
        CHAT,
        lambda said: said[2]["tool_calls"][0]["function"].update(arguments={}),
    ),
    "blocks: a result without its call": (
        messages,
        BLOCKS,
        lambda said: said[2]["content"][0].update(tool_use_id="2"),
    ),
    "blocks: a call without its result": (messages, BLOCKS, lambda said: said[2].update(content="Go on.")),
    "blocks: text before the result": (
        messages,
        BLOCKS,
        lambda said: said[2]["content"].insert(0, {"type": "text", "text": "Here."}),
    ),
    "blocks: a call's id twice": (messages, BLOCKS, lambda said: said.extend(said[1:])),
    "blocks: one role twice": (messages, BLOCKS, lambda said: said.insert(0, said[0])),
    "blocks: the assistant first": (messages, BLOCKS, lambda said: said.pop(0)),
    "blocks: the assistant last": (messages, BLOCKS, lambda said: said.pop()),
    "blocks: a system message": (
        messages,
        BLOCKS,
        lambda said: said.insert(0, {"role": "system", "content": "x"}),
    ),
    "blocks: no block": (messages, BLOCKS, lambda said: said[0].update(content=[])),
    "blocks: an empty text": (
        messages,
        BLOCKS,
        lambda said: said[0].update(content=[{"type": "text", "text": ""}]),
    ),
    "blocks: five marks": (
        messages,
        BLOCKS,
        lambda said: said[0].update(
            content=[{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}] * 5
        ),
    ),
    "blocks: an unknown field": (messages, BLOCKS, lambda said: said[2]["content"][0].update(seq=1)),
    "items: none": (responses, ITEMS, lambda said: said.clear()),
    "items: a result without its call": (responses, ITEMS, lambda said: said.pop(1)),
    "items: a call without its result": (responses, ITEMS, lambda said: said.pop()),
    "items: a call's id twice": (responses, ITEMS, lambda said: said.extend(said[1:])),
    "items: nothing said": (responses, ITEMS, lambda said: said[0].update(content="")),
    "items: arguments that are no text": (responses, ITEMS, lambda said: said[1].update(arguments={})),
    "items: a message of chat completions": (
        responses,
        ITEMS,
        lambda said: said.append({"role": "tool", "tool_call_id": "1", "content": "a.py"}),
    ),
}

if refused(chat_completions, CHAT) or refused(messages, BLOCKS) or refused(responses, ITEMS):
    sys.exit("a valid request is refused")
if taken := [
    name for name, (wire, body, change) in CASES.items() if not refused(wire, with_messages(body, change))
]:
    sys.exit(f"not refused: {taken}")
print(f"{len(CASES)} invalid requests refused")
