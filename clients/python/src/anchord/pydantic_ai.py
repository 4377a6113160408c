"""Pydantic AI: a capability that processes the history before each request of the model.

    agent = Agent("openai:gpt-4o", capabilities=[AnchordHistory("gpt-4o")])
    await agent.run("…", conversation_id="build-42")

The run's history stays whole, and the model gets anchord's context of it. The session has the id of the conversation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import AgentRunResult, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    RetryFeedbackPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext

from anchord import AsyncAnchord
from anchord._link import Link
from anchord.types import Context, Message


@dataclass
class AnchordHistory(AbstractCapability[Any]):
    """Stores a conversation and sends the model its context.

    `model` is the model's name, from which the window follows, `window` the window itself in place of that. While the service is
    away the model gets the history as it is, and the next request stores what was missed.
    """

    model: str
    client: AsyncAnchord = field(default_factory=lambda: AsyncAnchord(retries=2, longest_wait=5))
    window: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._link = Link(self.window)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        if self._link.is_away:
            return request_context
        session, parameters = str(ctx.conversation_id), request_context.model_request_parameters
        with self._link.asking("the model gets the whole history"):
            instructions = "".join(part.content for part in parameters.instruction_parts or [])
            tools = [*parameters.function_tools, *parameters.output_tools]
            offered = [[tool.name, tool.description, tool.parameters_json_schema] for tool in tools]
            await self._link.tell_async(self.client, session, instructions, offered)
            messages = await self.process(session, request_context.messages)
            return replace(request_context, messages=messages)
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """The last answer is stored, too."""
        if not self._link.is_away:
            with self._link.asking("the last answer is stored at the conversation's next run", may_raise=False):
                await self.process(str(ctx.conversation_id), result.all_messages())
        return result

    async def process(self, session: str, history: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Stores what is new of a history, and returns what to send in its place."""
        said = [one for place, message in enumerate(history) for one in _said(place, message)]
        if not said:
            return list(history)
        context = await self.client.sync(session, [one.message for one in said], model=self.model, format="openai-chat")
        return _served(context, said, history)


@dataclass
class _Said:
    """A message as chat completions have it, and the parts of the history that it is."""

    place: int
    parts: list[Any]
    message: Message


def _said(place: int, message: ModelMessage) -> list[_Said]:
    if isinstance(message, ModelResponse):
        plain = _answer(message.parts)
        return [_Said(place, list(message.parts), plain)] if plain else []
    found: list[_Said] = []
    silent: list[ModelRequestPart] = []
    for part in message.parts:
        if (plain := _request(part)) is None:
            silent.append(part)
        else:
            found.append(_Said(place, [*silent, part], plain))
            silent = []
    if found:
        found[-1].parts += silent
    return found


def _answer(parts: Sequence[ModelResponsePart]) -> Message:
    """Texts and calls; thinking and the like, which only its provider reads, stay in the history."""
    plain: dict[str, object] = {}
    if text := "\n\n".join(part.content for part in parts if isinstance(part, TextPart)):
        plain["content"] = text
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in parts
        if isinstance(part, ToolCallPart)
    ]
    if calls:
        plain["tool_calls"] = calls
    return {"role": "assistant"} | plain if plain else {}


def _request(part: ModelRequestPart) -> Message:
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, UserPromptPart):
        content = part.content
        return {"role": "user", "content": content if isinstance(content, str) else list(map(_content, content))}
    if isinstance(part, ToolReturnPart):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    if isinstance(part, RetryFeedbackPart):
        return {"role": "user", "content": part.model_response()}
    return None


def _content(item: UserContent) -> dict[str, object]:
    if isinstance(item, str | TextContent):
        return {"type": "text", "text": item if isinstance(item, str) else item.content}
    if isinstance(item, ImageUrl):
        return {"type": "image_url", "image_url": {"url": item.url}}
    if isinstance(item, BinaryContent) and item.is_image:
        return {"type": "image_url", "image_url": {"url": item.data_uri}}
    return {"type": "text", "text": f"[{item.kind}]"}


def _served(context: Context, said: Sequence[_Said], history: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The context as the history's own messages; those that are served unchanged with all that they have."""
    served: list[ModelMessage] = []
    last: int | None = None
    for message, seqs in zip(context["messages"], context["sources"], strict=True):
        source = said[seqs[0] - 1] if seqs and len(seqs) == 1 else None
        # The digest is of many messages, and of another role where it is of one.
        one = source if source and source.message["role"] == message["role"] else None
        if one is None:
            served.append(_own(message))
        elif isinstance(original := history[one.place], ModelResponse):
            same = one.message == message
            served.append(original if same else replace(original, parts=_response_parts(message)))
        else:
            parts = one.parts if one.message == message else [_changed(part, message) for part in one.parts]
            # The results of one step are one request.
            if last == one.place and isinstance(before := served[-1], ModelRequest):
                parts = [*before.parts, *parts]
                served.pop()
            served.append(replace(original, parts=parts))
        last = one.place if one else None
    return served


def _own(message: Message) -> ModelMessage:
    """A message that the service wrote."""
    if message["role"] == "assistant":
        return ModelResponse(parts=_response_parts(message))
    kind = SystemPromptPart if message["role"] == "system" else UserPromptPart
    return ModelRequest(parts=[kind(_text(message))])


def _response_parts(message: Message) -> list[ModelResponsePart]:
    parts: list[ModelResponsePart] = [TextPart(text)] if (text := _text(message)) else []
    for call in message.get("tool_calls", []):
        function = call["function"]
        parts.append(ToolCallPart(function["name"], json.loads(function["arguments"]), tool_call_id=call["id"]))
    return parts


def _changed(part: Any, message: Message) -> Any:
    """A part with the content that is served; those that say nothing stay."""
    return part if _request(part) is None else replace(part, content=_text(message))


def _text(message: Message) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)
