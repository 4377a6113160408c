"""OpenAI's Responses."""

import json
import time
from uuid import uuid4

from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from .conversation import Call, Conversation, Refused

REQUEST = TypeAdapter(ResponseCreateParamsNonStreaming)


def read(body: dict) -> Conversation:
    """Checks a request as the provider does, and reads it."""
    conversation, waiting = Conversation([body.get("instructions") or ""]), set()
    items = body["input"]
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    if not items:
        raise Refused("input is too short")
    for place, item in enumerate(items):
        match item.get("type", "message"):
            case "message":
                if not text(item["content"]):
                    raise Refused(f"input.{place}: no content")
                conversation.texts.append(text(item["content"]))
            case "function_call":
                if item["call_id"] in conversation.calls:
                    raise Refused(f"input.{place}: call ids must be unique")
                waiting.add(item["call_id"])
                conversation.calls[item["call_id"]] = Call(item["name"], json.loads(item["arguments"]))
            case "function_call_output":
                if item["call_id"] not in waiting:
                    raise Refused(f"input.{place}: no tool call found for {item['call_id']}")
                waiting.remove(item["call_id"])
                conversation.calls[item["call_id"]].result = text(item["output"])
    if waiting:
        raise Refused(f"no tool output found for {sorted(waiting)}")
    return conversation


def text(content: str | list) -> str:
    """The text of a content."""
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content


def write(step: Call | str, model: str, tokens: int) -> dict:
    """The reply that makes a step."""
    if isinstance(step, str):
        part = {"type": "output_text", "text": step, "annotations": []}
        item = {"type": "message", "id": f"msg_{uuid4().hex}", "role": "assistant", "content": [part]}
    else:
        item = {"type": "function_call", "id": f"fc_{uuid4().hex}", "call_id": f"call_{uuid4().hex}"}
        item |= {"name": step.name, "arguments": json.dumps(step.arguments)}
    return {
        "id": f"resp_{uuid4().hex}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": model,
        "output": [item | {"status": "completed"}],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 0,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens,
        },
    }


def refusal(kind: str, message: str) -> dict:
    """An error as the provider words it."""
    return {"error": {"type": kind, "message": message, "param": None, "code": None}}
