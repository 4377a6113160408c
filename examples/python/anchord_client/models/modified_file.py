from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.file_action import FileAction
from ..models.file_status import FileStatus
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ModifiedFile")



@_attrs_define
class ModifiedFile:
    """ A file that the session changed.

        Attributes:
            path (str): The path, one spelling for one file.
            action (FileAction): The net change of a file over the session.
            changes (list[str]): Its changes, in words or identifiers, oldest first.
            status (FileStatus): Whether the latest test run after the change passed.
            seqs (list[int]): The messages that it came from.
            renamed_from (None | str | Unset): Its path before it was renamed.
            purpose (None | str | Unset): The change and its reason, as a model summarised them.
            overwrite_possible (bool | Unset): Written in full by a tool whose output does not show whether the file existed
                before.
            transient (bool | Unset): Created and deleted within the session.
     """

    path: str
    action: FileAction
    changes: list[str]
    status: FileStatus
    seqs: list[int]
    renamed_from: None | str | Unset = UNSET
    purpose: None | str | Unset = UNSET
    overwrite_possible: bool | Unset = UNSET
    transient: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        path = self.path

        action = self.action.value

        changes = self.changes



        status = self.status.value

        seqs = self.seqs



        renamed_from: None | str | Unset
        if isinstance(self.renamed_from, Unset):
            renamed_from = UNSET
        else:
            renamed_from = self.renamed_from

        purpose: None | str | Unset
        if isinstance(self.purpose, Unset):
            purpose = UNSET
        else:
            purpose = self.purpose

        overwrite_possible = self.overwrite_possible

        transient = self.transient


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "path": path,
            "action": action,
            "changes": changes,
            "status": status,
            "seqs": seqs,
        })
        if renamed_from is not UNSET:
            field_dict["renamed_from"] = renamed_from
        if purpose is not UNSET:
            field_dict["purpose"] = purpose
        if overwrite_possible is not UNSET:
            field_dict["overwrite_possible"] = overwrite_possible
        if transient is not UNSET:
            field_dict["transient"] = transient

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        path = d.pop("path")

        action = FileAction(d.pop("action"))




        changes = cast(list[str], d.pop("changes"))


        status = FileStatus(d.pop("status"))




        seqs = cast(list[int], d.pop("seqs"))


        def _parse_renamed_from(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        renamed_from = _parse_renamed_from(d.pop("renamed_from", UNSET))


        def _parse_purpose(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        purpose = _parse_purpose(d.pop("purpose", UNSET))


        overwrite_possible = d.pop("overwrite_possible", UNSET)

        transient = d.pop("transient", UNSET)

        modified_file = cls(
            path=path,
            action=action,
            changes=changes,
            status=status,
            seqs=seqs,
            renamed_from=renamed_from,
            purpose=purpose,
            overwrite_possible=overwrite_possible,
            transient=transient,
        )


        modified_file.additional_properties = d
        return modified_file

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
