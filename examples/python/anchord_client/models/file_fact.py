from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.file_fact_kind import FileFactKind
from ..models.file_status import FileStatus
from ..models.ledger_file_action import LedgerFileAction
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="FileFact")



@_attrs_define
class FileFact:
    """ A file that the session read or changed.

        Attributes:
            path (str): The path, one spelling for one file.
            action (LedgerFileAction): The change of a file.
            changes (list[str]): Its changes, oldest first.
            transient (bool): Created and deleted within the session.
            seqs (list[int]): The messages that show it.
            kind (FileFactKind):
            renamed_from (None | str | Unset): Its path before it was renamed.
            status (FileStatus | None | Unset): Whether the latest test run after the change passed.
            reason (None | str | Unset): Why it was read, when the session says so.
     """

    path: str
    action: LedgerFileAction
    changes: list[str]
    transient: bool
    seqs: list[int]
    kind: FileFactKind
    renamed_from: None | str | Unset = UNSET
    status: FileStatus | None | Unset = UNSET
    reason: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        path = self.path

        action = self.action.value

        changes = self.changes



        transient = self.transient

        seqs = self.seqs



        kind = self.kind.value

        renamed_from: None | str | Unset
        if isinstance(self.renamed_from, Unset):
            renamed_from = UNSET
        else:
            renamed_from = self.renamed_from

        status: None | str | Unset
        if isinstance(self.status, Unset):
            status = UNSET
        elif isinstance(self.status, FileStatus):
            status = self.status.value
        else:
            status = self.status

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "path": path,
            "action": action,
            "changes": changes,
            "transient": transient,
            "seqs": seqs,
            "kind": kind,
        })
        if renamed_from is not UNSET:
            field_dict["renamed_from"] = renamed_from
        if status is not UNSET:
            field_dict["status"] = status
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        path = d.pop("path")

        action = LedgerFileAction(d.pop("action"))




        changes = cast(list[str], d.pop("changes"))


        transient = d.pop("transient")

        seqs = cast(list[int], d.pop("seqs"))


        kind = FileFactKind(d.pop("kind"))




        def _parse_renamed_from(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        renamed_from = _parse_renamed_from(d.pop("renamed_from", UNSET))


        def _parse_status(data: object) -> FileStatus | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_0 = FileStatus(data)



                return status_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(FileStatus | None | Unset, data)

        status = _parse_status(d.pop("status", UNSET))


        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        file_fact = cls(
            path=path,
            action=action,
            changes=changes,
            transient=transient,
            seqs=seqs,
            kind=kind,
            renamed_from=renamed_from,
            status=status,
            reason=reason,
        )


        file_fact.additional_properties = d
        return file_fact

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
