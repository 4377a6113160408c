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





T = TypeVar("T", bound="BriefUsage")



@_attrs_define
class BriefUsage:
    """ How full the context is: the figures that decide, and the rest when it is asked for.

        Attributes:
            effective_utilization (float): `context_tokens` as a share of the effective window; at most 1.
            context_tokens (int): What a default context would serve now, in tokens: beside a context its own, elsewhere as
                the session counts it, with
                placeholders about, and the effective window where something has to be cut to fit.
            effective_window (int): Usable tokens: the window minus what anchord does not store.
            assumed (bool | Unset): The window is assumed, because nobody told it; absent when somebody did. `warnings` has
                the reason.
            static_utilization (float | None | Unset): `context_tokens` as a share of the context window.
            uncompressed_messages (int | None | Unset): Messages after the anchor, the system prompt aside.
            calibration (Calibration | None | Unset): How the provider counts otherwise; absent until its figures are
                reported.
            components (ComponentTokens | None | Unset): The tokens by component, before anything is cut to fit.
            shares (ComponentShares | None | Unset): The components as shares.
            advice (list[ComponentAdvice] | None | Unset): Advice about dominant components, the largest first; nothing acts
                on it.
     """

    effective_utilization: float
    context_tokens: int
    effective_window: int
    assumed: bool | Unset = UNSET
    static_utilization: float | None | Unset = UNSET
    uncompressed_messages: int | None | Unset = UNSET
    calibration: Calibration | None | Unset = UNSET
    components: ComponentTokens | None | Unset = UNSET
    shares: ComponentShares | None | Unset = UNSET
    advice: list[ComponentAdvice] | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.calibration import Calibration # noqa: PLC0415
        from ..models.component_advice import ComponentAdvice # noqa: PLC0415
        from ..models.component_shares import ComponentShares # noqa: PLC0415
        from ..models.component_tokens import ComponentTokens # noqa: PLC0415
        effective_utilization = self.effective_utilization

        context_tokens = self.context_tokens

        effective_window = self.effective_window

        assumed = self.assumed

        static_utilization: float | None | Unset
        if isinstance(self.static_utilization, Unset):
            static_utilization = UNSET
        else:
            static_utilization = self.static_utilization

        uncompressed_messages: int | None | Unset
        if isinstance(self.uncompressed_messages, Unset):
            uncompressed_messages = UNSET
        else:
            uncompressed_messages = self.uncompressed_messages

        calibration: dict[str, Any] | None | Unset
        if isinstance(self.calibration, Unset):
            calibration = UNSET
        elif isinstance(self.calibration, Calibration):
            calibration = self.calibration.to_dict()
        else:
            calibration = self.calibration

        components: dict[str, Any] | None | Unset
        if isinstance(self.components, Unset):
            components = UNSET
        elif isinstance(self.components, ComponentTokens):
            components = self.components.to_dict()
        else:
            components = self.components

        shares: dict[str, Any] | None | Unset
        if isinstance(self.shares, Unset):
            shares = UNSET
        elif isinstance(self.shares, ComponentShares):
            shares = self.shares.to_dict()
        else:
            shares = self.shares

        advice: list[dict[str, Any]] | None | Unset
        if isinstance(self.advice, Unset):
            advice = UNSET
        elif isinstance(self.advice, list):
            advice = []
            for advice_type_0_item_data in self.advice:
                advice_type_0_item = advice_type_0_item_data.to_dict()
                advice.append(advice_type_0_item)


        else:
            advice = self.advice


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "effective_utilization": effective_utilization,
            "context_tokens": context_tokens,
            "effective_window": effective_window,
        })
        if assumed is not UNSET:
            field_dict["assumed"] = assumed
        if static_utilization is not UNSET:
            field_dict["static_utilization"] = static_utilization
        if uncompressed_messages is not UNSET:
            field_dict["uncompressed_messages"] = uncompressed_messages
        if calibration is not UNSET:
            field_dict["calibration"] = calibration
        if components is not UNSET:
            field_dict["components"] = components
        if shares is not UNSET:
            field_dict["shares"] = shares
        if advice is not UNSET:
            field_dict["advice"] = advice

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.calibration import Calibration # noqa: PLC0415
        from ..models.component_advice import ComponentAdvice # noqa: PLC0415
        from ..models.component_shares import ComponentShares # noqa: PLC0415
        from ..models.component_tokens import ComponentTokens # noqa: PLC0415
        d = dict(src_dict)
        effective_utilization = d.pop("effective_utilization")

        context_tokens = d.pop("context_tokens")

        effective_window = d.pop("effective_window")

        assumed = d.pop("assumed", UNSET)

        def _parse_static_utilization(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        static_utilization = _parse_static_utilization(d.pop("static_utilization", UNSET))


        def _parse_uncompressed_messages(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        uncompressed_messages = _parse_uncompressed_messages(d.pop("uncompressed_messages", UNSET))


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


        def _parse_components(data: object) -> ComponentTokens | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                components_type_0 = ComponentTokens.from_dict(data)



                return components_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ComponentTokens | None | Unset, data)

        components = _parse_components(d.pop("components", UNSET))


        def _parse_shares(data: object) -> ComponentShares | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                shares_type_0 = ComponentShares.from_dict(data)



                return shares_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ComponentShares | None | Unset, data)

        shares = _parse_shares(d.pop("shares", UNSET))


        def _parse_advice(data: object) -> list[ComponentAdvice] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                advice_type_0 = []
                _advice_type_0 = data
                for advice_type_0_item_data in (_advice_type_0):
                    advice_type_0_item = ComponentAdvice.from_dict(advice_type_0_item_data)



                    advice_type_0.append(advice_type_0_item)

                return advice_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ComponentAdvice] | None | Unset, data)

        advice = _parse_advice(d.pop("advice", UNSET))


        brief_usage = cls(
            effective_utilization=effective_utilization,
            context_tokens=context_tokens,
            effective_window=effective_window,
            assumed=assumed,
            static_utilization=static_utilization,
            uncompressed_messages=uncompressed_messages,
            calibration=calibration,
            components=components,
            shares=shares,
            advice=advice,
        )


        brief_usage.additional_properties = d
        return brief_usage

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
