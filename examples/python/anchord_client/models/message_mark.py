from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.keep_output import KeepOutput
from ..models.message_mark_component import MessageMarkComponent
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="MessageMark")



@_attrs_define
class MessageMark:
    """ The caller's mark of one message of the batch.

        Attributes:
            index (int): The message's place in the batch, from 0.
            keep (KeepOutput | None | Unset): `always`: it is served in full, also when a summary covers it, until `DELETE
                …/messages/{seq}/mark` or a budget that
                holds nothing else. Together such messages may take a tenth of the effective window. `never`: its tool outputs
                are
                placeholders at once, and without any it is left out.
            component (MessageMarkComponent | None | Unset): The component that its tokens count as.
     """

    index: int
    keep: KeepOutput | None | Unset = UNSET
    component: MessageMarkComponent | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        index = self.index

        keep: None | str | Unset
        if isinstance(self.keep, Unset):
            keep = UNSET
        elif isinstance(self.keep, KeepOutput):
            keep = self.keep.value
        else:
            keep = self.keep

        component: None | str | Unset
        if isinstance(self.component, Unset):
            component = UNSET
        elif isinstance(self.component, MessageMarkComponent):
            component = self.component.value
        else:
            component = self.component


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "index": index,
        })
        if keep is not UNSET:
            field_dict["keep"] = keep
        if component is not UNSET:
            field_dict["component"] = component

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        index = d.pop("index")

        def _parse_keep(data: object) -> KeepOutput | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                keep_type_0 = KeepOutput(data)



                return keep_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(KeepOutput | None | Unset, data)

        keep = _parse_keep(d.pop("keep", UNSET))


        def _parse_component(data: object) -> MessageMarkComponent | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                component_type_0 = MessageMarkComponent(data)



                return component_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessageMarkComponent | None | Unset, data)

        component = _parse_component(d.pop("component", UNSET))


        message_mark = cls(
            index=index,
            keep=keep,
            component=component,
        )

        return message_mark

