from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.held_back import HeldBack
from ..models.signal_action import SignalAction
from ..models.signal_kind import SignalKind
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.signal import Signal





T = TypeVar("T", bound="TriggerDecision")



@_attrs_define
class TriggerDecision:
    """ The decision from the signals, as the reply to an append says it.

        Attributes:
            action (SignalAction): The action that a signal requests, in order of severity.
            signals (list[Signal]): The signals that count and ask for something, and advice; or every signal, with its own
                action.
            reasons (list[SignalKind] | None | Unset): The signals that ask for it; only with every signal.
            held_back (HeldBack | None | Unset): Why no compression starts, although they ask for one; absent when one waits
                or runs.
     """

    action: SignalAction
    signals: list[Signal]
    reasons: list[SignalKind] | None | Unset = UNSET
    held_back: HeldBack | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.signal import Signal # noqa: PLC0415
        action = self.action.value

        signals = []
        for signals_item_data in self.signals:
            signals_item = signals_item_data.to_dict()
            signals.append(signals_item)



        reasons: list[str] | None | Unset
        if isinstance(self.reasons, Unset):
            reasons = UNSET
        elif isinstance(self.reasons, list):
            reasons = []
            for reasons_type_0_item_data in self.reasons:
                reasons_type_0_item = reasons_type_0_item_data.value
                reasons.append(reasons_type_0_item)


        else:
            reasons = self.reasons

        held_back: None | str | Unset
        if isinstance(self.held_back, Unset):
            held_back = UNSET
        elif isinstance(self.held_back, HeldBack):
            held_back = self.held_back.value
        else:
            held_back = self.held_back


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "action": action,
            "signals": signals,
        })
        if reasons is not UNSET:
            field_dict["reasons"] = reasons
        if held_back is not UNSET:
            field_dict["held_back"] = held_back

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.signal import Signal # noqa: PLC0415
        d = dict(src_dict)
        action = SignalAction(d.pop("action"))




        signals = []
        _signals = d.pop("signals")
        for signals_item_data in (_signals):
            signals_item = Signal.from_dict(signals_item_data)



            signals.append(signals_item)


        def _parse_reasons(data: object) -> list[SignalKind] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                reasons_type_0 = []
                _reasons_type_0 = data
                for reasons_type_0_item_data in (_reasons_type_0):
                    reasons_type_0_item = SignalKind(reasons_type_0_item_data)



                    reasons_type_0.append(reasons_type_0_item)

                return reasons_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[SignalKind] | None | Unset, data)

        reasons = _parse_reasons(d.pop("reasons", UNSET))


        def _parse_held_back(data: object) -> HeldBack | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                held_back_type_0 = HeldBack(data)



                return held_back_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(HeldBack | None | Unset, data)

        held_back = _parse_held_back(d.pop("held_back", UNSET))


        trigger_decision = cls(
            action=action,
            signals=signals,
            reasons=reasons,
            held_back=held_back,
        )


        trigger_decision.additional_properties = d
        return trigger_decision

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
