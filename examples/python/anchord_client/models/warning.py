from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.warning_code import WarningCode
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Warning_")



@_attrs_define
class Warning_:
    """ Warnings for a caller whose request was served.

        Attributes:
            code (WarningCode): The subject of a warning.
            model (None | str | Unset): The model that is not known.
            window (int | None | Unset): The tokens of the context window that is assumed; absent when the session's own was
                used.
            seqs (list[int] | Unset): The messages that it is about.
            tokens (int | None | Unset): The tokens of the output that is too large to be served whole.
            max_tokens (int | None | Unset): The most tokens that an output may have here to be served whole.
            detail (None | str | Unset): Its meaning, and what to do.
     """

    code: WarningCode
    model: None | str | Unset = UNSET
    window: int | None | Unset = UNSET
    seqs: list[int] | Unset = UNSET
    tokens: int | None | Unset = UNSET
    max_tokens: int | None | Unset = UNSET
    detail: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        code = self.code.value

        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model

        window: int | None | Unset
        if isinstance(self.window, Unset):
            window = UNSET
        else:
            window = self.window

        seqs: list[int] | Unset = UNSET
        if not isinstance(self.seqs, Unset):
            seqs = self.seqs



        tokens: int | None | Unset
        if isinstance(self.tokens, Unset):
            tokens = UNSET
        else:
            tokens = self.tokens

        max_tokens: int | None | Unset
        if isinstance(self.max_tokens, Unset):
            max_tokens = UNSET
        else:
            max_tokens = self.max_tokens

        detail: None | str | Unset
        if isinstance(self.detail, Unset):
            detail = UNSET
        else:
            detail = self.detail


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "code": code,
        })
        if model is not UNSET:
            field_dict["model"] = model
        if window is not UNSET:
            field_dict["window"] = window
        if seqs is not UNSET:
            field_dict["seqs"] = seqs
        if tokens is not UNSET:
            field_dict["tokens"] = tokens
        if max_tokens is not UNSET:
            field_dict["max_tokens"] = max_tokens
        if detail is not UNSET:
            field_dict["detail"] = detail

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = WarningCode(d.pop("code"))




        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))


        def _parse_window(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        window = _parse_window(d.pop("window", UNSET))


        seqs = cast(list[int], d.pop("seqs", UNSET))


        def _parse_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        tokens = _parse_tokens(d.pop("tokens", UNSET))


        def _parse_max_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_tokens = _parse_max_tokens(d.pop("max_tokens", UNSET))


        def _parse_detail(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        detail = _parse_detail(d.pop("detail", UNSET))


        warning = cls(
            code=code,
            model=model,
            window=window,
            seqs=seqs,
            tokens=tokens,
            max_tokens=max_tokens,
            detail=detail,
        )


        warning.additional_properties = d
        return warning

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
