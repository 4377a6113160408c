"""LangChain and LangGraph: a middleware that takes the place of their summarising one.

    agent = create_agent("openai:gpt-4o", tools, middleware=[AnchordMiddleware("gpt-4o")], checkpointer=…)

The thread stays whole, and the model gets anchord's context of it. The session has the id of the thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, convert_to_messages, get_buffer_string
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config

from anchord import Anchord
from anchord._calls import of_langchain
from anchord._link import Link
from anchord.types import Message


class AnchordMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Stores an agent's thread and sends the model its context.

    `model` is the model's name, from which the window follows, `window` the window itself in place of that; `session` an id in
    place of the thread's. While the service is away the model gets the thread as it is, and the next call stores what was missed.
    """

    def __init__(
        self, model: str, *, window: int | None = None, session: str | None = None, client: Anchord | None = None
    ) -> None:
        super().__init__()
        self.model, self.session = model, session
        self.client = client or Anchord(retries=2, longest_wait=5)
        self._link = Link(window)

    def context(self, session: str, messages: Sequence[BaseMessage]) -> list[AnyMessage]:
        """Stores what is new of a thread, and returns what to send in its place."""
        said = [of_langchain(message) for message in messages]
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
        if self._link.is_away:
            return request
        with self._link.asking("the model gets the whole thread"):
            system = request.system_message.content if request.system_message else None
            tools = [tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in request.tools]
            self._link.tell(self.client, session, system, tools)
            return request.override(messages=self.context(session, request.messages))
        return request

    def _answered(self, request: ModelRequest[Any], response: ModelResponse[Any]) -> ModelResponse[Any]:
        """The last answer is stored, too; one with calls comes back with their results."""
        last = response.result[-1]
        calls = isinstance(last, AIMessage) and last.tool_calls and response.structured_response is None
        if not calls and not self._link.is_away:
            with self._link.asking("the last answer is stored at the thread's next run", may_raise=False):
                self.context(self._session(request.runtime), [*request.messages, *response.result])
        return response

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return self._answered(request, handler(self._replaced(request)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        response = await handler(await asyncio.to_thread(self._replaced, request))
        return await asyncio.to_thread(self._answered, request, response)

    def _session(self, runtime: object) -> str:
        info = getattr(runtime, "execution_info", None)
        session: str | None = self.session or getattr(info, "thread_id", None)
        if session is None:
            raise ValueError(
                'no thread: call the agent with {"configurable": {"thread_id": …}}, or give the middleware a session'
            )
        return session


def summarizer(model: str, *, client: Anchord | None = None) -> Callable[[list[AnyMessage]], str]:
    """For LangChain's own middleware: `SummarizationMiddleware(…, summarizer=summarizer("gpt-4o"))`.

    What the middleware takes out of the thread is stored in the session of the thread's id, and the session's context is the
    summary. Of a long list LangChain hands over the newest alone, unless `trim_tokens_to_summarize` is None.
    """
    service = client or Anchord(retries=2, longest_wait=5)

    def summarize(messages: list[AnyMessage]) -> str:
        session = str(get_config().get("configurable", {})["thread_id"])
        # The summary before is the session's own.
        said = [one for one in messages if one.additional_kwargs.get("lc_source") != "summarization"]
        head = service.turn(session, said, model=model, format="openai-chat")["head_seq"]
        service.compressions.create(session, {"through_seq": head, "preserve_recent": 0}, prefer="wait=20")
        context = service.context.get(session, format="openai-chat")
        return get_buffer_string(convert_to_messages(context["messages"]))

    return summarize
