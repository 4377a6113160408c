"""OpenAI's chat completions."""

import json
import time
from collections.abc import Iterator
from uuid import uuid4

from openai.types.chat.completion_create_params import CompletionCreateParams
from pydantic import TypeAdapter

from .conversation import Call, Conversation, Refused

REQUEST = TypeAdapter(CompletionCreateParams)


def read(body: dict) -> Conversation:
    """Checks a request as the provider does, and reads it."""
    conversation, waiting = Conversation(), set()
    conversation.tools = {tool["function"]["name"] for tool in body.get("tools", [])}
    if not body["messages"]:
        raise Refused("messages is too short")
    for place, message in enumerate(body["messages"]):
        role, content = message["role"], message.get("content")
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                raise Refused(f"messages.{place}: a tool result must follow the call that it answers")
            waiting.remove(message["tool_call_id"])
            conversation.calls[message["tool_call_id"]].result = text(content)
            continue
        if waiting:
            raise Refused(f"messages.{place}: no tool result for {sorted(waiting)}")
        if not content and not message.get("tool_calls"):
            raise Refused(f"messages.{place}: neither content nor tool calls")
        conversation.texts.append(text(content))
        for call in message.get("tool_calls", []):
            function = call["function"]
            waiting.add(call["id"])
            conversation.calls[call["id"]] = Call(function["name"], json.loads(function["arguments"]))
    if waiting:
        raise Refused(f"no tool result for {sorted(waiting)}")
    return conversation


def text(content: str | list | None) -> str:
    """The text of a content."""
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def write(step: Call | str, model: str, tokens: int) -> dict:
    """The reply that makes a step."""
    message = {"role": "assistant", "content": step if isinstance(step, str) else None}
    if isinstance(step, Call):
        function = {"name": step.name, "arguments": json.dumps(step.arguments)}
        message["tool_calls"] = [{"id": f"call_{uuid4().hex}", "type": "function", "function": function}]
    reason = "stop" if isinstance(step, str) else "tool_calls"
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens},
    }


def stream(reply: dict) -> Iterator[dict]:
    """The reply in pieces, as a request with `stream` is answered; a call's arguments come in two."""
    choice = reply["choices"][0]
    pieces = [{"role": "assistant", "content": choice["message"]["content"]}]
    for place, call in enumerate(choice["message"].get("tool_calls", [])):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        half = len(arguments) // 2
        first = {"index": place, **call, "function": {"name": name, "arguments": arguments[:half]}}
        pieces.append({"tool_calls": [first]})
        pieces.append({"tool_calls": [{"index": place, "function": {"arguments": arguments[half:]}}]})
    head = {key: reply[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    for piece in pieces:
        yield head | {"choices": [{"index": 0, "delta": piece, "finish_reason": None}]}
    yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}


def refusal(kind: str, message: str) -> dict:
    """An error as the provider words it."""
    return {"error": {"type": kind, "message": message, "param": None, "code": None}}
