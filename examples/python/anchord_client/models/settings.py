from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.constraint_mode import ConstraintMode
from ..models.engine_choice import EngineChoice
from ..models.exam_mode import ExamMode
from ..models.mask_mode import MaskMode
from ..models.phase import Phase
from ..models.policy_name import PolicyName
from ..models.strategy import Strategy
from ..models.tokenizer import Tokenizer
from ..models.tool_mode import ToolMode
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.settings_metadata_type_0 import SettingsMetadataType0
  from ..models.thresholds import Thresholds





T = TypeVar("T", bound="Settings")



@_attrs_define
class Settings:
    """ Settings as the caller gave them; every field is optional.

        Attributes:
            model (None | str | Unset): The model that the session talks to, as its provider calls it (`gpt-4o`,
                `anthropic/claude-sonnet-4-5`, `qwen3:8b`). Context
                window, output reserve and tokenizer follow from it where the session does not set them; `GET /v1/models` lists
                what
                is known. An append that names another model changes it.
            context_window (int | None | Unset): The model's context window, in tokens. Default: that of `model`, else the
                tenant's, else 200,000.
            reserved_output_tokens (int | None | Unset): Tokens that the model's answer needs. Default: the longest answer
                of `model`, at most a fifth of the window; a fifth
                of the window where it is not known.
            system_tokens (int | None | Unset): Tokens that the service does not store: tool definitions, a system prompt
                kept by the caller.
            safety_buffer (int | None | Unset): Tokens kept free for miscounting.
            policy (None | PolicyName | Unset): Which signals count. Default `utilization`.
            thresholds (None | Thresholds | Unset): Overrides of the policy's thresholds.
            mask (MaskMode | None | Unset): Whether tool outputs may be clipped or become placeholders. Default `auto`.
            fill (float | None | Unset): What record, digest and newest messages take after a compression, as a share of the
                effective window; system
                prompt and pins come on top. At most the compress level less 0.10. Default 0.20; in small windows 5,000 tokens,
                up to
                0.40; at most 24,000 tokens. About eight calls fit before the next compression; down to three quarters of it for
                that.
            preserve_recent (int | None | Unset): Messages that always stay verbatim. Default 5.
            preserve_recent_tokens (int | None | Unset): Tokens of the newest messages that stay verbatim, as far as the
                fill has room. Default 0; at most the effective
                window.
            min_messages (int | None | Unset): Uncompressed messages below which only force and above compress. Default 10.
            auto (bool | None | Unset): Whether signals start compressions. Default true.
            strategy (None | Strategy | Unset): How versions are made. Default `anchored`.
            engine (EngineChoice | None | Unset): The engine that reads the spans. Default `auto`.
            summary_model (None | str | Unset): The model that writes the summaries, when the operator allows the choice.
            exam (ExamMode | None | Unset): Which sessions a model examines, where the operator named one for it. Default
                `sampled`: one in four.
            tokenizer (None | Tokenizer | Unset): How tokens are counted. Default: the closest to that of `model`, else the
                tenant's, else `o200k_base`. The first
                message fixes it, or the first fork.
            phase (None | Phase | Unset): The phase of the work.
            task_id (None | str | Unset): The task that the session works on.
            parent_session_id (None | str | Unset): The session that started this one.
            user (None | str | Unset): The end user whom the session is with, as the caller names them: lists filter by it,
                and recall searches the
                sessions of a user.
            critical (bool | None | Unset): Refuses strategies that cannot be verified. Default false.
            max_summary_tokens (int | None | Unset): Bound of a rendered summary, in tokens. Default 4,000 or a tenth of the
                effective window, whichever is less, at least 800.
            constraints (ConstraintMode | None | Unset): Whether a requirement that a person states in a message becomes a
                constraint (`bind`) or is only proposed
                until it is pinned (`propose`). Default `bind`.
            metadata (None | SettingsMetadataType0 | Unset): The caller's own data, kept as it is and replaced as a whole:
                at most 16 KiB as JSON, 64 fields, and 8 levels.
                Lists filter by its fields that are texts of at most 200 characters, numbers or booleans.
            tools (None | ToolMode | Unset): Whether the service's tools are offered to the model that gets the contexts
                (`offered`): then they name the call that
                gives what they leave out. Default `none`.
     """

    model: None | str | Unset = UNSET
    context_window: int | None | Unset = UNSET
    reserved_output_tokens: int | None | Unset = UNSET
    system_tokens: int | None | Unset = UNSET
    safety_buffer: int | None | Unset = UNSET
    policy: None | PolicyName | Unset = UNSET
    thresholds: None | Thresholds | Unset = UNSET
    mask: MaskMode | None | Unset = UNSET
    fill: float | None | Unset = UNSET
    preserve_recent: int | None | Unset = UNSET
    preserve_recent_tokens: int | None | Unset = UNSET
    min_messages: int | None | Unset = UNSET
    auto: bool | None | Unset = UNSET
    strategy: None | Strategy | Unset = UNSET
    engine: EngineChoice | None | Unset = UNSET
    summary_model: None | str | Unset = UNSET
    exam: ExamMode | None | Unset = UNSET
    tokenizer: None | Tokenizer | Unset = UNSET
    phase: None | Phase | Unset = UNSET
    task_id: None | str | Unset = UNSET
    parent_session_id: None | str | Unset = UNSET
    user: None | str | Unset = UNSET
    critical: bool | None | Unset = UNSET
    max_summary_tokens: int | None | Unset = UNSET
    constraints: ConstraintMode | None | Unset = UNSET
    metadata: None | SettingsMetadataType0 | Unset = UNSET
    tools: None | ToolMode | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.settings_metadata_type_0 import SettingsMetadataType0 # noqa: PLC0415
        from ..models.thresholds import Thresholds # noqa: PLC0415
        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model

        context_window: int | None | Unset
        if isinstance(self.context_window, Unset):
            context_window = UNSET
        else:
            context_window = self.context_window

        reserved_output_tokens: int | None | Unset
        if isinstance(self.reserved_output_tokens, Unset):
            reserved_output_tokens = UNSET
        else:
            reserved_output_tokens = self.reserved_output_tokens

        system_tokens: int | None | Unset
        if isinstance(self.system_tokens, Unset):
            system_tokens = UNSET
        else:
            system_tokens = self.system_tokens

        safety_buffer: int | None | Unset
        if isinstance(self.safety_buffer, Unset):
            safety_buffer = UNSET
        else:
            safety_buffer = self.safety_buffer

        policy: None | str | Unset
        if isinstance(self.policy, Unset):
            policy = UNSET
        elif isinstance(self.policy, PolicyName):
            policy = self.policy.value
        else:
            policy = self.policy

        thresholds: dict[str, Any] | None | Unset
        if isinstance(self.thresholds, Unset):
            thresholds = UNSET
        elif isinstance(self.thresholds, Thresholds):
            thresholds = self.thresholds.to_dict()
        else:
            thresholds = self.thresholds

        mask: None | str | Unset
        if isinstance(self.mask, Unset):
            mask = UNSET
        elif isinstance(self.mask, MaskMode):
            mask = self.mask.value
        else:
            mask = self.mask

        fill: float | None | Unset
        if isinstance(self.fill, Unset):
            fill = UNSET
        else:
            fill = self.fill

        preserve_recent: int | None | Unset
        if isinstance(self.preserve_recent, Unset):
            preserve_recent = UNSET
        else:
            preserve_recent = self.preserve_recent

        preserve_recent_tokens: int | None | Unset
        if isinstance(self.preserve_recent_tokens, Unset):
            preserve_recent_tokens = UNSET
        else:
            preserve_recent_tokens = self.preserve_recent_tokens

        min_messages: int | None | Unset
        if isinstance(self.min_messages, Unset):
            min_messages = UNSET
        else:
            min_messages = self.min_messages

        auto: bool | None | Unset
        if isinstance(self.auto, Unset):
            auto = UNSET
        else:
            auto = self.auto

        strategy: None | str | Unset
        if isinstance(self.strategy, Unset):
            strategy = UNSET
        elif isinstance(self.strategy, Strategy):
            strategy = self.strategy.value
        else:
            strategy = self.strategy

        engine: None | str | Unset
        if isinstance(self.engine, Unset):
            engine = UNSET
        elif isinstance(self.engine, EngineChoice):
            engine = self.engine.value
        else:
            engine = self.engine

        summary_model: None | str | Unset
        if isinstance(self.summary_model, Unset):
            summary_model = UNSET
        else:
            summary_model = self.summary_model

        exam: None | str | Unset
        if isinstance(self.exam, Unset):
            exam = UNSET
        elif isinstance(self.exam, ExamMode):
            exam = self.exam.value
        else:
            exam = self.exam

        tokenizer: None | str | Unset
        if isinstance(self.tokenizer, Unset):
            tokenizer = UNSET
        elif isinstance(self.tokenizer, Tokenizer):
            tokenizer = self.tokenizer.value
        else:
            tokenizer = self.tokenizer

        phase: None | str | Unset
        if isinstance(self.phase, Unset):
            phase = UNSET
        elif isinstance(self.phase, Phase):
            phase = self.phase.value
        else:
            phase = self.phase

        task_id: None | str | Unset
        if isinstance(self.task_id, Unset):
            task_id = UNSET
        else:
            task_id = self.task_id

        parent_session_id: None | str | Unset
        if isinstance(self.parent_session_id, Unset):
            parent_session_id = UNSET
        else:
            parent_session_id = self.parent_session_id

        user: None | str | Unset
        if isinstance(self.user, Unset):
            user = UNSET
        else:
            user = self.user

        critical: bool | None | Unset
        if isinstance(self.critical, Unset):
            critical = UNSET
        else:
            critical = self.critical

        max_summary_tokens: int | None | Unset
        if isinstance(self.max_summary_tokens, Unset):
            max_summary_tokens = UNSET
        else:
            max_summary_tokens = self.max_summary_tokens

        constraints: None | str | Unset
        if isinstance(self.constraints, Unset):
            constraints = UNSET
        elif isinstance(self.constraints, ConstraintMode):
            constraints = self.constraints.value
        else:
            constraints = self.constraints

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, SettingsMetadataType0):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata

        tools: None | str | Unset
        if isinstance(self.tools, Unset):
            tools = UNSET
        elif isinstance(self.tools, ToolMode):
            tools = self.tools.value
        else:
            tools = self.tools


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if model is not UNSET:
            field_dict["model"] = model
        if context_window is not UNSET:
            field_dict["context_window"] = context_window
        if reserved_output_tokens is not UNSET:
            field_dict["reserved_output_tokens"] = reserved_output_tokens
        if system_tokens is not UNSET:
            field_dict["system_tokens"] = system_tokens
        if safety_buffer is not UNSET:
            field_dict["safety_buffer"] = safety_buffer
        if policy is not UNSET:
            field_dict["policy"] = policy
        if thresholds is not UNSET:
            field_dict["thresholds"] = thresholds
        if mask is not UNSET:
            field_dict["mask"] = mask
        if fill is not UNSET:
            field_dict["fill"] = fill
        if preserve_recent is not UNSET:
            field_dict["preserve_recent"] = preserve_recent
        if preserve_recent_tokens is not UNSET:
            field_dict["preserve_recent_tokens"] = preserve_recent_tokens
        if min_messages is not UNSET:
            field_dict["min_messages"] = min_messages
        if auto is not UNSET:
            field_dict["auto"] = auto
        if strategy is not UNSET:
            field_dict["strategy"] = strategy
        if engine is not UNSET:
            field_dict["engine"] = engine
        if summary_model is not UNSET:
            field_dict["summary_model"] = summary_model
        if exam is not UNSET:
            field_dict["exam"] = exam
        if tokenizer is not UNSET:
            field_dict["tokenizer"] = tokenizer
        if phase is not UNSET:
            field_dict["phase"] = phase
        if task_id is not UNSET:
            field_dict["task_id"] = task_id
        if parent_session_id is not UNSET:
            field_dict["parent_session_id"] = parent_session_id
        if user is not UNSET:
            field_dict["user"] = user
        if critical is not UNSET:
            field_dict["critical"] = critical
        if max_summary_tokens is not UNSET:
            field_dict["max_summary_tokens"] = max_summary_tokens
        if constraints is not UNSET:
            field_dict["constraints"] = constraints
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if tools is not UNSET:
            field_dict["tools"] = tools

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.settings_metadata_type_0 import SettingsMetadataType0 # noqa: PLC0415
        from ..models.thresholds import Thresholds # noqa: PLC0415
        d = dict(src_dict)
        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))


        def _parse_context_window(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        context_window = _parse_context_window(d.pop("context_window", UNSET))


        def _parse_reserved_output_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        reserved_output_tokens = _parse_reserved_output_tokens(d.pop("reserved_output_tokens", UNSET))


        def _parse_system_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        system_tokens = _parse_system_tokens(d.pop("system_tokens", UNSET))


        def _parse_safety_buffer(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        safety_buffer = _parse_safety_buffer(d.pop("safety_buffer", UNSET))


        def _parse_policy(data: object) -> None | PolicyName | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                policy_type_0 = PolicyName(data)



                return policy_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PolicyName | Unset, data)

        policy = _parse_policy(d.pop("policy", UNSET))


        def _parse_thresholds(data: object) -> None | Thresholds | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                thresholds_type_0 = Thresholds.from_dict(data)



                return thresholds_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Thresholds | Unset, data)

        thresholds = _parse_thresholds(d.pop("thresholds", UNSET))


        def _parse_mask(data: object) -> MaskMode | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                mask_type_0 = MaskMode(data)



                return mask_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MaskMode | None | Unset, data)

        mask = _parse_mask(d.pop("mask", UNSET))


        def _parse_fill(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        fill = _parse_fill(d.pop("fill", UNSET))


        def _parse_preserve_recent(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        preserve_recent = _parse_preserve_recent(d.pop("preserve_recent", UNSET))


        def _parse_preserve_recent_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        preserve_recent_tokens = _parse_preserve_recent_tokens(d.pop("preserve_recent_tokens", UNSET))


        def _parse_min_messages(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        min_messages = _parse_min_messages(d.pop("min_messages", UNSET))


        def _parse_auto(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        auto = _parse_auto(d.pop("auto", UNSET))


        def _parse_strategy(data: object) -> None | Strategy | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                strategy_type_0 = Strategy(data)



                return strategy_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Strategy | Unset, data)

        strategy = _parse_strategy(d.pop("strategy", UNSET))


        def _parse_engine(data: object) -> EngineChoice | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                engine_type_0 = EngineChoice(data)



                return engine_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(EngineChoice | None | Unset, data)

        engine = _parse_engine(d.pop("engine", UNSET))


        def _parse_summary_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        summary_model = _parse_summary_model(d.pop("summary_model", UNSET))


        def _parse_exam(data: object) -> ExamMode | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                exam_type_0 = ExamMode(data)



                return exam_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExamMode | None | Unset, data)

        exam = _parse_exam(d.pop("exam", UNSET))


        def _parse_tokenizer(data: object) -> None | Tokenizer | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tokenizer_type_0 = Tokenizer(data)



                return tokenizer_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Tokenizer | Unset, data)

        tokenizer = _parse_tokenizer(d.pop("tokenizer", UNSET))


        def _parse_phase(data: object) -> None | Phase | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                phase_type_0 = Phase(data)



                return phase_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Phase | Unset, data)

        phase = _parse_phase(d.pop("phase", UNSET))


        def _parse_task_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        task_id = _parse_task_id(d.pop("task_id", UNSET))


        def _parse_parent_session_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        parent_session_id = _parse_parent_session_id(d.pop("parent_session_id", UNSET))


        def _parse_user(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        user = _parse_user(d.pop("user", UNSET))


        def _parse_critical(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        critical = _parse_critical(d.pop("critical", UNSET))


        def _parse_max_summary_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_summary_tokens = _parse_max_summary_tokens(d.pop("max_summary_tokens", UNSET))


        def _parse_constraints(data: object) -> ConstraintMode | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                constraints_type_0 = ConstraintMode(data)



                return constraints_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ConstraintMode | None | Unset, data)

        constraints = _parse_constraints(d.pop("constraints", UNSET))


        def _parse_metadata(data: object) -> None | SettingsMetadataType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = SettingsMetadataType0.from_dict(data)



                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SettingsMetadataType0 | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))


        def _parse_tools(data: object) -> None | ToolMode | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tools_type_0 = ToolMode(data)



                return tools_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ToolMode | Unset, data)

        tools = _parse_tools(d.pop("tools", UNSET))


        settings = cls(
            model=model,
            context_window=context_window,
            reserved_output_tokens=reserved_output_tokens,
            system_tokens=system_tokens,
            safety_buffer=safety_buffer,
            policy=policy,
            thresholds=thresholds,
            mask=mask,
            fill=fill,
            preserve_recent=preserve_recent,
            preserve_recent_tokens=preserve_recent_tokens,
            min_messages=min_messages,
            auto=auto,
            strategy=strategy,
            engine=engine,
            summary_model=summary_model,
            exam=exam,
            tokenizer=tokenizer,
            phase=phase,
            task_id=task_id,
            parent_session_id=parent_session_id,
            user=user,
            critical=critical,
            max_summary_tokens=max_summary_tokens,
            constraints=constraints,
            metadata=metadata,
            tools=tools,
        )

        return settings

