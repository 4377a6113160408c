"""LangChain and LangGraph: a middleware that takes the place of their summarising one.

    agent = create_agent("openai:gpt-4o", tools, middleware=[AnchordMiddleware("gpt-4o")], checkpointer=…)

The thread stays whole, and the model gets anchord's context of it. The session has the id of the thread.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AnyMessage, BaseMessage, convert_to_messages, convert_to_openai_messages
from langgraph.runtime import Runtime

from anchord import Anchord, AnchordError
from anchord.types import Message

log = logging.getLogger("anchord")
# The parts of a message that chat completions have. Only its provider reads the rest, such as thinking: it stays in the thread.
_PARTS = {"text", "image_url", "input_audio", "file"}


class AnchordMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Stores an agent's thread and sends the model its context.

    `model` is the model's name, from which the window follows; `session` an id in place of the thread's. While the service
    fails the model gets the thread as it is, and the next call stores what was missed.
    """

    def __init__(self, model: str, *, session: str | None = None, client: Anchord | None = None) -> None:
        super().__init__()
        self.model, self.session = model, session
        self.client = client or Anchord(retries=2, longest_wait=5)

    def context(self, session: str, messages: Sequence[BaseMessage]) -> list[AnyMessage]:
        """Stores what is new of a thread, and returns what to send in its place."""
        said = [_said(message) for message in messages]
        served = self.client.sync(session, said, model=self.model, format="openai-chat")
        context: list[BaseMessage | Message] = []
        for message, seqs in zip(served["messages"], served["sources"], strict=True):
            # A message that is served unchanged is the thread's own, with all that its provider wants to have back.
            place = seqs[0] - 1 if seqs else None
            unchanged = place is not None and said[place] == message
            context.append(messages[place] if unchanged and place is not None else message)
        return cast("list[AnyMessage]", convert_to_messages(context))

    def _replaced(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        session = self._session(request.runtime)
        try:
            return request.override(messages=self.context(session, request.messages))
        except AnchordError as error:
            log.warning("the model gets the whole thread, because its context is not to be had: %s", error)
            return request

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(self._replaced(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(await asyncio.to_thread(self._replaced, request))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """The last answer is stored, too."""
        try:
            self.context(self._session(runtime), state["messages"])
        except AnchordError as error:
            log.warning("the last answer is stored at the thread's next run: %s", error)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        await asyncio.to_thread(self.after_agent, state, runtime)

    def _session(self, runtime: object) -> str:
        info = getattr(runtime, "execution_info", None)
        session: str | None = self.session or getattr(info, "thread_id", None)
        if session is None:
            raise ValueError("no thread: give the agent a checkpointer and a thread_id, or the middleware a session")
        return session


def _said(message: BaseMessage) -> Message:
    plain = convert_to_openai_messages(message)
    if isinstance(plain["content"], list):
        parts = cast("list[dict[str, object]]", plain["content"])
        plain["content"] = [part for part in parts if part["type"] in _PARTS] or ""
    return plain
