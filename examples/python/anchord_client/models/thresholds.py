from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.message_thresholds import MessageThresholds





T = TypeVar("T", bound="Thresholds")



@_attrs_define
class Thresholds:
    """ Overrides of thresholds; shares are of the effective window, from 0 to 1.

        Attributes:
            warn (float | None | Unset): Share at which a warning is given. Default 0.60.
            compress (float | None | Unset): Share at which a compression starts. Default 0.70.
            force (float | None | Unset): Share at which a compression is forced, and large tool outputs are clipped where
                none helps. Default 0.85.
            critical (float | None | Unset): Share at which a compression is immediate. Default 0.90.
            exam (float | None | Unset): Share of right answers below which an exam is flagged as low and a model writes
                again what the reader missed.
                Default 0.50.
            messages (MessageThresholds | None | Unset): Message counts of the message-count signal.
            turns (int | None | Unset): Turns since the anchor above which a compression is evaluated. Default 20.
            savings (float | None | Unset): Share of the served tokens that a compression must save for `evaluate` to become
                `compress`. Default 0.20.
            repeats (int | None | Unset): Near-duplicate messages, or equal tool calls, among the last 12 that are called
                circular. Default 3.
            rereads (int | None | Unset): Readings of the same, or files read again, among the last 20 tool calls that are
                called re-reading. Default 3.
            reread_share (float | None | Unset): Share of all readings above which readings of the same are called re-
                reading. Default 0.20.
            verbosity (float | None | Unset): How many times the session's median length the last messages must have to be
                verbose. Default 2.
            growth (float | None | Unset): Share of the effective window within 5 minutes above which growth is warned of.
                Default 0.20.
            cycles (int | None | Unset): Published versions from which on a new session is advised. Default 10.
     """

    warn: float | None | Unset = UNSET
    compress: float | None | Unset = UNSET
    force: float | None | Unset = UNSET
    critical: float | None | Unset = UNSET
    exam: float | None | Unset = UNSET
    messages: MessageThresholds | None | Unset = UNSET
    turns: int | None | Unset = UNSET
    savings: float | None | Unset = UNSET
    repeats: int | None | Unset = UNSET
    rereads: int | None | Unset = UNSET
    reread_share: float | None | Unset = UNSET
    verbosity: float | None | Unset = UNSET
    growth: float | None | Unset = UNSET
    cycles: int | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.message_thresholds import MessageThresholds # noqa: PLC0415
        warn: float | None | Unset
        if isinstance(self.warn, Unset):
            warn = UNSET
        else:
            warn = self.warn

        compress: float | None | Unset
        if isinstance(self.compress, Unset):
            compress = UNSET
        else:
            compress = self.compress

        force: float | None | Unset
        if isinstance(self.force, Unset):
            force = UNSET
        else:
            force = self.force

        critical: float | None | Unset
        if isinstance(self.critical, Unset):
            critical = UNSET
        else:
            critical = self.critical

        exam: float | None | Unset
        if isinstance(self.exam, Unset):
            exam = UNSET
        else:
            exam = self.exam

        messages: dict[str, Any] | None | Unset
        if isinstance(self.messages, Unset):
            messages = UNSET
        elif isinstance(self.messages, MessageThresholds):
            messages = self.messages.to_dict()
        else:
            messages = self.messages

        turns: int | None | Unset
        if isinstance(self.turns, Unset):
            turns = UNSET
        else:
            turns = self.turns

        savings: float | None | Unset
        if isinstance(self.savings, Unset):
            savings = UNSET
        else:
            savings = self.savings

        repeats: int | None | Unset
        if isinstance(self.repeats, Unset):
            repeats = UNSET
        else:
            repeats = self.repeats

        rereads: int | None | Unset
        if isinstance(self.rereads, Unset):
            rereads = UNSET
        else:
            rereads = self.rereads

        reread_share: float | None | Unset
        if isinstance(self.reread_share, Unset):
            reread_share = UNSET
        else:
            reread_share = self.reread_share

        verbosity: float | None | Unset
        if isinstance(self.verbosity, Unset):
            verbosity = UNSET
        else:
            verbosity = self.verbosity

        growth: float | None | Unset
        if isinstance(self.growth, Unset):
            growth = UNSET
        else:
            growth = self.growth

        cycles: int | None | Unset
        if isinstance(self.cycles, Unset):
            cycles = UNSET
        else:
            cycles = self.cycles


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if warn is not UNSET:
            field_dict["warn"] = warn
        if compress is not UNSET:
            field_dict["compress"] = compress
        if force is not UNSET:
            field_dict["force"] = force
        if critical is not UNSET:
            field_dict["critical"] = critical
        if exam is not UNSET:
            field_dict["exam"] = exam
        if messages is not UNSET:
            field_dict["messages"] = messages
        if turns is not UNSET:
            field_dict["turns"] = turns
        if savings is not UNSET:
            field_dict["savings"] = savings
        if repeats is not UNSET:
            field_dict["repeats"] = repeats
        if rereads is not UNSET:
            field_dict["rereads"] = rereads
        if reread_share is not UNSET:
            field_dict["reread_share"] = reread_share
        if verbosity is not UNSET:
            field_dict["verbosity"] = verbosity
        if growth is not UNSET:
            field_dict["growth"] = growth
        if cycles is not UNSET:
            field_dict["cycles"] = cycles

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message_thresholds import MessageThresholds # noqa: PLC0415
        d = dict(src_dict)
        def _parse_warn(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        warn = _parse_warn(d.pop("warn", UNSET))


        def _parse_compress(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        compress = _parse_compress(d.pop("compress", UNSET))


        def _parse_force(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        force = _parse_force(d.pop("force", UNSET))


        def _parse_critical(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        critical = _parse_critical(d.pop("critical", UNSET))


        def _parse_exam(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        exam = _parse_exam(d.pop("exam", UNSET))


        def _parse_messages(data: object) -> MessageThresholds | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                messages_type_0 = MessageThresholds.from_dict(data)



                return messages_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessageThresholds | None | Unset, data)

        messages = _parse_messages(d.pop("messages", UNSET))


        def _parse_turns(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        turns = _parse_turns(d.pop("turns", UNSET))


        def _parse_savings(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        savings = _parse_savings(d.pop("savings", UNSET))


        def _parse_repeats(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        repeats = _parse_repeats(d.pop("repeats", UNSET))


        def _parse_rereads(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        rereads = _parse_rereads(d.pop("rereads", UNSET))


        def _parse_reread_share(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        reread_share = _parse_reread_share(d.pop("reread_share", UNSET))


        def _parse_verbosity(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        verbosity = _parse_verbosity(d.pop("verbosity", UNSET))


        def _parse_growth(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        growth = _parse_growth(d.pop("growth", UNSET))


        def _parse_cycles(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        cycles = _parse_cycles(d.pop("cycles", UNSET))


        thresholds = cls(
            warn=warn,
            compress=compress,
            force=force,
            critical=critical,
            exam=exam,
            messages=messages,
            turns=turns,
            savings=savings,
            repeats=repeats,
            rereads=rereads,
            reread_share=reread_share,
            verbosity=verbosity,
            growth=growth,
            cycles=cycles,
        )

        return thresholds

