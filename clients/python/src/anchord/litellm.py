"""LiteLLM: a callback that gives the model the context in place of a session's whole list, in the SDK and in the proxy.

litellm.callbacks = [AnchordCallback()]
await litellm.acompletion(model="gpt-4o", messages=messages, litellm_session_id="build-42")
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

# Only parts of LiteLLM have types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
from typing import Any, cast

from litellm.integrations.custom_logger import CustomLogger
from litellm.types.utils import CallTypes

from anchord import AnchordError, AsyncAnchord
from anchord._link import Link
from anchord.types import Message, MessageFormat

log = logging.getLogger("anchord")
_FORMATS: dict[CallTypes | None, MessageFormat] = {
    CallTypes.acompletion: "openai-chat",
    CallTypes.completion: "openai-chat",
    CallTypes.anthropic_messages: "anthropic",
}


class AnchordCallback(CustomLogger):
    """A pre-call hook. A call without a session's id, and one while the service is away, passes as it is.

    `window` is the window of all models that are called, in place of those that follow from their names.
    """

    def __init__(self, *, window: int | None = None, client: AsyncAnchord | None = None) -> None:
        super().__init__()
        self.client = client or AsyncAnchord(retries=2, longest_wait=5)
        self._link = Link(window)
        self._sent: dict[str, tuple[str, int]] = {}

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: CallTypes | None
    ) -> dict[str, Any] | None:
        messages: list[Message] = kwargs.get("messages") or []
        session, format = _session(kwargs), _FORMATS.get(call_type)
        if session is None or format is None or not messages or self._link.is_away:
            return None
        with self._link.asking("the whole list is sent"):
            # The system prompt of Anthropic's calls is no message.
            await self._link.tell_async(self.client, session, kwargs.get("system"), kwargs.get("tools"))
            context = await self.client.sync(session, messages, model=str(kwargs["model"]), format=format)
            if (call := kwargs.get("litellm_call_id")) is not None:
                self._sent[str(call)] = session, len(messages)
            return kwargs | {"messages": context["messages"]}
        return None

    async def async_log_success_event(
        self, kwargs: Mapping[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """The answer is stored, too, unless the caller's next list has brought it already."""
        session, count = self._sent.pop(str(kwargs.get("litellm_call_id")), (None, 0))
        choices = getattr(response_obj, "choices", None)
        if session is None or not choices:
            return
        answer = choices[0].message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True)
        try:
            await self.client.messages.append(session, {"messages": [answer], "expected_next_seq": count + 1})
        except AnchordError as error:
            log.info("the answer is stored with the next list: %s", error)

    async def async_log_failure_event(
        self, kwargs: Mapping[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        self._sent.pop(str(kwargs.get("litellm_call_id")), None)


def _session(kwargs: Mapping[str, Any]) -> str | None:
    """Where LiteLLM's callers name the session of a call."""
    named = [kwargs.get("litellm_session_id")]
    for name in "litellm_metadata", "metadata":
        if isinstance(found := kwargs.get(name), dict):
            named.append(cast("dict[str, object]", found).get("session_id"))
    return next((str(id) for id in named if id), None)
