from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.calibration import Calibration
  from ..models.component_advice import ComponentAdvice
  from ..models.component_shares import ComponentShares
  from ..models.component_tokens import ComponentTokens





T = TypeVar("T", bound="ContextUsage")



@_attrs_define
class ContextUsage:
    """ How full the context is, as every append and read of a session reports it.

        Attributes:
            static_utilization (float): `context_tokens` as a share of the context window.
            effective_utilization (float): `context_tokens` as a share of the effective window; at most 1.
            context_tokens (int): What a default context would serve now, in tokens: beside a context its own, elsewhere as
                the session counts it, with
                placeholders about, and the effective window where something has to be cut to fit.
            effective_window (int): Usable tokens: the window minus what anchord does not store, divided by the factor of
                `calibration`.
            uncompressed_messages (int): Messages after the anchor, the system prompt aside.
            components (ComponentTokens): Tokens by component.
            shares (ComponentShares): The components as shares of all that the caller sends, from 0 to 1.
            advice (list[ComponentAdvice]): Advice about dominant components, the largest first; nothing acts on it.
            assumed (bool | Unset): The window is assumed, because nobody told it; absent when somebody did. `warnings` has
                the reason.
            calibration (Calibration | None | Unset): How the provider counts otherwise; absent until its figures are
                reported.
     """

    static_utilization: float
    effective_utilization: float
    context_tokens: int
    effective_window: int
    uncompressed_messages: int
    components: ComponentTokens
    shares: ComponentShares
    advice: list[ComponentAdvice]
    assumed: bool | Unset = UNSET
    calibration: Calibration | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.calibration import Calibration # noqa: PLC0415
        from ..models.component_advice import ComponentAdvice # noqa: PLC0415
        from ..models.component_shares import ComponentShares # noqa: PLC0415
        from ..models.component_tokens import ComponentTokens # noqa: PLC0415
        static_utilization = self.static_utilization

        effective_utilization = self.effective_utilization

        context_tokens = self.context_tokens

        effective_window = self.effective_window

        uncompressed_messages = self.uncompressed_messages

        components = self.components.to_dict()

        shares = self.shares.to_dict()

        advice = []
        for advice_item_data in self.advice:
            advice_item = advice_item_data.to_dict()
            advice.append(advice_item)



        assumed = self.assumed

        calibration: dict[str, Any] | None | Unset
        if isinstance(self.calibration, Unset):
            calibration = UNSET
        elif isinstance(self.calibration, Calibration):
            calibration = self.calibration.to_dict()
        else:
            calibration = self.calibration


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "static_utilization": static_utilization,
            "effective_utilization": effective_utilization,
            "context_tokens": context_tokens,
            "effective_window": effective_window,
            "uncompressed_messages": uncompressed_messages,
            "components": components,
            "shares": shares,
            "advice": advice,
        })
        if assumed is not UNSET:
            field_dict["assumed"] = assumed
        if calibration is not UNSET:
            field_dict["calibration"] = calibration

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.calibration import Calibration # noqa: PLC0415
        from ..models.component_advice import ComponentAdvice # noqa: PLC0415
        from ..models.component_shares import ComponentShares # noqa: PLC0415
        from ..models.component_tokens import ComponentTokens # noqa: PLC0415
        d = dict(src_dict)
        static_utilization = d.pop("static_utilization")

        effective_utilization = d.pop("effective_utilization")

        context_tokens = d.pop("context_tokens")

        effective_window = d.pop("effective_window")

        uncompressed_messages = d.pop("uncompressed_messages")

        components = ComponentTokens.from_dict(d.pop("components"))




        shares = ComponentShares.from_dict(d.pop("shares"))




        advice = []
        _advice = d.pop("advice")
        for advice_item_data in (_advice):
            advice_item = ComponentAdvice.from_dict(advice_item_data)



            advice.append(advice_item)


        assumed = d.pop("assumed", UNSET)

        def _parse_calibration(data: object) -> Calibration | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                calibration_type_0 = Calibration.from_dict(data)



                return calibration_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Calibration | None | Unset, data)

        calibration = _parse_calibration(d.pop("calibration", UNSET))


        context_usage = cls(
            static_utilization=static_utilization,
            effective_utilization=effective_utilization,
            context_tokens=context_tokens,
            effective_window=effective_window,
            uncompressed_messages=uncompressed_messages,
            components=components,
            shares=shares,
            advice=advice,
            assumed=assumed,
            calibration=calibration,
        )


        context_usage.additional_properties = d
        return context_usage

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
