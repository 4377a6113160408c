from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="LlmBreaker")



@_attrs_define
class LlmBreaker:
    """ The circuit breaker of a session's calls to models.

        Attributes:
            failures (int): Consecutive compressions for which the model gave no usable result, including those that fell
                back to code.
            open_until (datetime.datetime | None): Until when summaries are written by code only; null while the model is
                still called.
     """

    failures: int
    open_until: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        failures = self.failures

        open_until: None | str
        if isinstance(self.open_until, datetime.datetime):
            open_until = self.open_until.isoformat()
        else:
            open_until = self.open_until


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "failures": failures,
            "open_until": open_until,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        failures = d.pop("failures")

        def _parse_open_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                open_until_type_0 = datetime.datetime.fromisoformat(data)



                return open_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        open_until = _parse_open_until(d.pop("open_until"))


        llm_breaker = cls(
            failures=failures,
            open_until=open_until,
        )


        llm_breaker.additional_properties = d
        return llm_breaker

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
