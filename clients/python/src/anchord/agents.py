"""OpenAI's Agents SDK: a session that keeps every item, and sends the model its context.

session = AnchordSession("build-42", model="gpt-4o")
await Runner.run(agent, "…", session=session, run_config=session.run_config)
"""

from __future__ import annotations

import logging
from typing import Any

from agents import RunConfig, RunContextWrapper, TResponseInputItem
from agents.memory import SessionSettings
from agents.run import CallModelData, ModelInputData

from anchord import AnchordError, AsyncAnchord, NotFound
from anchord._link import Link
from anchord.types import Context

log = logging.getLogger("anchord")


class AnchordSession:
    """The protocol `agents.Session`, and a run configuration that goes with it. A run needs both.

    The SDK reads a session at the start of a run only, so that a long run grows: `run_config` has the filter that sends the
    context at every call of the model. `model` is the model's name, from which the window follows, `window` the window itself in
    place of that. While the service is away the model gets the run's items as they are, and the next items are stored with those
    that were missed. A run does not begin while the session cannot be read: it would know nothing.
    """

    session_settings: SessionSettings | None = None

    def __init__(
        self, session_id: str, model: str, *, window: int | None = None, client: AsyncAnchord | None = None
    ) -> None:
        self.session_id, self.model = session_id, model
        self.client = client or AsyncAnchord(retries=2, longest_wait=5)
        self.run_config = RunConfig(call_model_input_filter=self.send_context)
        self.missed: list[TResponseInputItem] = []
        """Items that could not be stored yet."""
        self._context: Context | None = None
        self._link = Link(window)
        self._offered: dict[str, list[Any]] = {}
        # Of the run that began last; None where none has.
        self._is_filtered: bool | None = None

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The session's context."""
        self._is_filtered = False
        try:
            await self._store()
            items = (await self.client.context.get(self.session_id, format="openai-responses"))["messages"]
        except NotFound:
            items = list[TResponseInputItem]()
        except AnchordError as error:
            if self._context is None:
                raise
            log.warning("the run begins with what the session had: %s", error)
            items = [*self._context["messages"], *self.missed]
        return items[-limit:] if limit else items

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        if self._is_filtered is False and any(map(_is_the_models, items)):
            self._is_filtered = None
            log.warning(
                "session %s: this run sends the model all of its items, and will outgrow the window: "
                "give it run_config=session.run_config",
                self.session_id,
            )
        self.missed += items
        if not self._link.is_away:
            with self._link.asking("the items are stored with the next ones"):
                await self._store()

    async def pop_item(self) -> TResponseInputItem | None:
        """Goes back before the last item, which stays on the branch before."""
        await self._store()
        try:
            last = (await self.client.sessions.get(self.session_id))["head_seq"]
        except NotFound:
            return None
        if last == 0:
            return None
        page = await self.client.messages.list(self.session_id, from_seq=last)
        await self.client.branches.truncate(self.session_id, {"seq": last - 1})
        item: TResponseInputItem = page["items"][0]["message"]
        return item

    async def clear_session(self) -> None:
        self.missed, self._context = [], None
        try:
            await self.client.sessions.delete(self.session_id)
        except NotFound:
            pass

    async def send_context(self, data: CallModelData[Any]) -> ModelInputData:
        """Each call of the model gets the context in place of all items of the run."""
        self._is_filtered = True
        if self.missed or self._context is None:
            return data.model_data
        with self._link.asking("the model gets the context without room for its tools"):
            offered = await self._tools(data)
            if await self._link.tell_async(self.client, self.session_id, data.model_data.instructions, offered):
                self._context = await self.client.context.get(self.session_id, format="openai-responses")
        return ModelInputData(input=list(self._context["messages"]), instructions=data.model_data.instructions)

    async def _tools(self, data: CallModelData[Any]) -> list[Any]:
        """The tools and hand-offs that an agent offers the model; servers are asked once."""
        agent = data.agent
        if agent.name not in self._offered:
            tools = [*agent.tools, *await agent.get_mcp_tools(RunContextWrapper(data.context))]
            shapes = [
                [getattr(tool, name, "") for name in ("name", "description", "params_json_schema")] for tool in tools
            ]
            self._offered[agent.name] = [*shapes, *(getattr(to, "name", "") for to in agent.handoffs)]
        return self._offered[agent.name]

    async def _store(self) -> None:
        if self.missed:
            items, stored = list(self.missed), len(self.missed)
            await self._link.tell_async(self.client, self.session_id)
            self._context = await self.client.turn(self.session_id, items, model=self.model, format="openai-responses")
            del self.missed[:stored]


def _is_the_models(item: TResponseInputItem) -> bool:
    return item.get("role") == "assistant" or item.get("type") in {"function_call", "reasoning"}
