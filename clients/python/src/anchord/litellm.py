"""LiteLLM: the model gets the context in place of a session's whole list, in the SDK and in the proxy.

litellm.callbacks = [AnchordCallback()]
await litellm.acompletion(model="gpt-4o", messages=messages, litellm_session_id="build-42")

The proxy's configuration names `AnchordGuardrail`: `{guardrail: anchord.litellm.AnchordGuardrail, mode: pre_call}`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from hashlib import sha256

# Only parts of LiteLLM have types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from typing import Any, cast

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.integrations.custom_logger import CustomLogger
from litellm.litellm_core_utils.core_helpers import get_or_create_metadata_bucket
from litellm.litellm_core_utils.provider_affinity import get_caller_session_id
from litellm.types.guardrails import GuardrailEventHooks
from litellm.types.utils import CallTypes

from anchord import AnchordError, AsyncAnchord, Invalid, NotFound
from anchord._link import MOST_SESSIONS, Link, tokens_about
from anchord.types import CompressedMessages, CompressRequest, Message, MessageFormat

log = logging.getLogger("anchord")
_FORMATS: dict[CallTypes | None, MessageFormat] = {
    CallTypes.acompletion: "openai-chat",
    CallTypes.completion: "openai-chat",
    CallTypes.anthropic_messages: "anthropic",
}
# The names of sessions that the service takes.
_NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._:@+=-]{1,200}")
# The window that a session of an unknown model has, and the share of a model's window that its answers may take.
_WINDOW, _ANSWER = 200_000, 0.2
# Without a session a list beyond this share of the room for it is compressed to it.
_FULL = 0.8


class AnchordCallback(CustomLogger):
    """A pre-call hook. A call without a session's id, and one while the service is away, passes as it is.

    `window` is the window of all models that are called, in place of those that follow from their names.
    """

    def __init__(self, *, window: int | None = None, client: AsyncAnchord | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.client = client or AsyncAnchord(retries=2, longest_wait=5)
        self._link = Link(window)
        # The calls that run: their session, how many messages it has, and their kind.
        self._sent: dict[str, tuple[str | None, int, CallTypes | None]] = {}

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: CallTypes | None
    ) -> dict[str, Any] | None:
        messages: list[Message] = kwargs.get("messages") or []
        call, format = str(kwargs.get("litellm_call_id") or ""), _FORMATS.get(call_type)
        # A call of another kind with the same id is LiteLLM's translation of what was replaced already.
        is_inner = self._sent.get(call, (None, 0, call_type))[2] is not call_type
        if format is None or not messages or is_inner or self._link.is_away:
            return None
        self._note(call, None, 0, call_type)
        session = _session(kwargs)
        with self._link.asking("the whole list is sent"):
            if session is None:
                context = await self._without_session(messages, kwargs, format)
            else:
                # The system prompt of Anthropic's calls is no message.
                await self._link.tell_async(self.client, session, kwargs.get("system"), kwargs.get("tools"))
                served = await self.client.sync(session, messages, model=str(kwargs["model"]), format=format)
                context = served["messages"]
            if context is not None:
                self._note(call, session, len(messages), call_type)
                return kwargs | {"messages": context}
        return None

    def _note(self, call: str, session: str | None, count: int, call_type: CallTypes | None) -> None:
        # One that fails stays noted, until there are many.
        if len(self._sent) >= MOST_SESSIONS:
            self._sent.clear()
        if call:
            self._sent[call] = session, count, call_type

    async def _without_session(
        self, messages: list[Message], kwargs: dict[str, Any], format: MessageFormat
    ) -> list[Message] | None:
        return None

    async def async_log_success_event(
        self, kwargs: Mapping[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """The answer is stored, too, unless the caller's next list has brought it already."""
        session, count, call_type = self._sent.pop(str(kwargs.get("litellm_call_id")), (None, 0, None))
        choices = getattr(response_obj, "choices", None)
        # An answer in Anthropic's words comes with the next list: LiteLLM hands over a translation.
        if session is None or not choices or _FORMATS.get(call_type) != "openai-chat":
            return
        answer = choices[0].message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True)
        try:
            await self.client.messages.append(session, {"messages": [answer], "expected_next_seq": count + 1})
        except AnchordError as error:
            log.info("the answer is stored with the next list: %s", error)


class AnchordGuardrail(AnchordCallback, CustomGuardrail):
    """The same as a guardrail of the proxy, which runs where the configuration, a key or a request names it. The list of a call
    without a session is compressed by itself when the window is nearly full, and nothing of it is stored.

    `api_base` and `api_key` are those of ANCHORD_URL and ANCHORD_API_KEY unless the configuration has them.
    """

    def __init__(
        self,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        window: int | None = None,
        timeout: float = 30.0,
        client: AsyncAnchord | None = None,
        **given: Any,
    ) -> None:
        client = client or AsyncAnchord(api_base, api_key, timeout=timeout, retries=2, longest_wait=5)
        super().__init__(window=window, client=client, supported_event_hooks=[GuardrailEventHooks.pre_call], **given)
        self._rooms: dict[str, int] = {}

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: CallTypes | None
    ) -> dict[str, Any] | None:
        if not self.should_run_guardrail(kwargs, GuardrailEventHooks.pre_call):
            return None
        replaced = await super().async_pre_call_deployment_hook(kwargs, call_type)
        if replaced is not None:
            # The proxy tells of it in the header x-litellm-applied-guardrails.
            applied: list[str | None] = get_or_create_metadata_bucket(kwargs)[1].setdefault("applied_guardrails", [])
            if self.guardrail_name not in applied:
                applied.append(self.guardrail_name)
        return replaced

    async def _without_session(
        self, messages: list[Message], kwargs: dict[str, Any], format: MessageFormat
    ) -> list[Message] | None:
        room = await self._room(str(kwargs["model"])) - tokens_about(kwargs.get("system"), kwargs.get("tools"))
        most = max(int(_FULL * room), 1)
        # What is far from the window on any count need not be counted.
        if 2 * tokens_about(messages) <= most:
            return None
        counted = await self.client.stateless.count_tokens({"messages": messages, "format": format})
        if counted["tokens"] <= most:
            return None
        wanted: CompressRequest = {"messages": messages, "format": format, "target_tokens": most}
        try:
            # Only what a model writes is pending at first.
            return cast("CompressedMessages", await self.client.stateless.compress(wanted))["messages"]
        except Invalid as problem:
            if problem.code != "budget-too-small":
                raise
            log.warning("the whole list is sent: %s", problem)
            return None

    async def _room(self, model: str) -> int:
        """The tokens that a prompt of the model may have."""
        if self._link.window is not None:
            return int((1 - _ANSWER) * self._link.window)
        if model not in self._rooms:
            try:
                known = await self.client.models.get(model)
                self._rooms[model] = known["context_window"] - known["reserved_output_tokens"]
            except NotFound:
                log.warning("the model %s is not known; a window of %s tokens is assumed", model, _WINDOW)
                self._rooms[model] = int((1 - _ANSWER) * _WINDOW)
        return self._rooms[model]


def _session(kwargs: Mapping[str, Any]) -> str | None:
    """The session that the caller names, and none that LiteLLM made up; in the proxy each of its keys has its own."""
    if not (named := get_caller_session_id(kwargs)):
        return None
    for bucket in "metadata", "litellm_metadata":
        if isinstance(found := kwargs.get(bucket), dict):
            key = str(cast("dict[str, object]", found).get("user_api_key_hash"))
            # The digest of a virtual key; the operator's own has a word in its place.
            if re.fullmatch("[0-9a-f]{64}", key):
                named = f"{key[:12]}:{named}"
    return named if _NAME.fullmatch(named) else f"litellm-{sha256(named.encode()).hexdigest()}"
