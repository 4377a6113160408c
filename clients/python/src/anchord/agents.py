"""OpenAI's Agents SDK: a session that keeps every item, and sends the model its context.

session = AnchordSession("build-42", model="gpt-4o")
await Runner.run(agent, "…", session=session, run_config=session.run_config)
"""

from __future__ import annotations

import logging

from agents import RunConfig, TResponseInputItem
from agents.memory import SessionSettings
from agents.run import CallModelData, ModelInputData

from anchord import AnchordError, AsyncAnchord, NotFound
from anchord.types import Context

log = logging.getLogger("anchord")


class AnchordSession:
    """The protocol `agents.Session`, and a run configuration that goes with it.

    The SDK reads a session at the start of a run only, so that a long run grows: `run_config` has the filter that sends the
    context at every call of the model. While the service fails the model gets the run's items as they are, and the next items
    are stored with those that were missed. A run does not begin while the session cannot be read: it would know nothing.
    """

    session_settings: SessionSettings | None = None

    def __init__(self, session_id: str, model: str, *, client: AsyncAnchord | None = None) -> None:
        self.session_id, self.model = session_id, model
        self.client = client or AsyncAnchord(retries=2, longest_wait=5)
        self.run_config = RunConfig(call_model_input_filter=self.send_context)
        self.missed: list[TResponseInputItem] = []
        """Items that could not be stored yet."""
        self._context: Context | None = None

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The session's context."""
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
        self.missed += items
        try:
            await self._store()
        except AnchordError as error:
            log.warning("%s items are stored later: %s", len(self.missed), error)

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

    async def send_context(self, data: CallModelData[object]) -> ModelInputData:
        """Each call of the model gets the context in place of all items of the run."""
        if self.missed or self._context is None:
            return data.model_data
        return ModelInputData(input=list(self._context["messages"]), instructions=data.model_data.instructions)

    async def _store(self) -> None:
        if self.missed:
            items, stored = list(self.missed), len(self.missed)
            self._context = await self.client.turn(self.session_id, items, model=self.model, format="openai-responses")
            del self.missed[:stored]
