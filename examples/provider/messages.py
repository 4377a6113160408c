"""Anthropic's messages."""

from uuid import uuid4

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from pydantic import TypeAdapter

from .conversation import Call, Conversation, Refused

REQUEST = TypeAdapter(MessageCreateParamsNonStreaming)
MOST_MARKS = 4


def read(body: dict) -> Conversation:
    """Checks a request as the provider does, and reads it."""
    if marks(body.get("system")) + marks(body["messages"]) + marks(body.get("tools")) > MOST_MARKS:
        raise Refused(f"a maximum of {MOST_MARKS} blocks with cache_control may be provided")
    conversation, waiting, wanted = Conversation([text(body.get("system", ""))]), set(), "user"
    for place, message in enumerate(body["messages"]):
        if message["role"] != wanted:
            raise Refused(f"messages.{place}: roles must alternate, beginning with user")
        wanted = "assistant" if wanted == "user" else "user"
        blocks = message["content"]
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        if not blocks:
            raise Refused(f"messages.{place}: empty content")
        answered, called = set(), set()
        for block in blocks:
            if block["type"] == "text":
                if not block["text"].strip():
                    raise Refused(f"messages.{place}: text must not be empty")
                if waiting - answered:
                    raise Refused(f"messages.{place}: tool_result blocks come first")
                conversation.texts.append(block["text"])
            elif block["type"] == "tool_result":
                if block["tool_use_id"] not in waiting - answered:
                    raise Refused(f"messages.{place}: tool_result without its tool_use in the message before")
                answered.add(block["tool_use_id"])
                conversation.calls[block["tool_use_id"]].result = text(block.get("content", ""))
            elif block["type"] == "tool_use":
                if block["id"] in conversation.calls:
                    raise Refused(f"messages.{place}: tool_use ids must be unique")
                called.add(block["id"])
                conversation.calls[block["id"]] = Call(block["name"], block["input"])
        if waiting - answered:
            raise Refused(f"messages.{place}: tool_use without tool_result {sorted(waiting - answered)}")
        waiting = called
    if wanted != "assistant":
        raise Refused("the conversation must end with a user message")
    return conversation


def marks(content: str | list | None) -> int:
    """The marks for the cache in a content, also in what tools returned."""
    blocks = content if isinstance(content, list) else []
    return sum(("cache_control" in block) + marks(block.get("content")) for block in blocks)


def text(content: str | list) -> str:
    """The text of a content."""
    if isinstance(content, list):
        return "\n".join(block.get("text", "") for block in content)
    return content


def write(step: Call | str, model: str, tokens: int) -> dict:
    """The reply that makes a step."""
    if isinstance(step, str):
        block = {"type": "text", "text": step}
    else:
        block = {"type": "tool_use", "id": f"toolu_{uuid4().hex}", "name": step.name, "input": step.arguments}
    return {
        "id": f"msg_{uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": "end_turn" if isinstance(step, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens, "output_tokens": 0},
    }


def refusal(kind: str, message: str) -> dict:
    """An error as the provider words it."""
    return {"type": "error", "error": {"type": kind, "message": message}}
