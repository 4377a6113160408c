from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.condensed_file import CondensedFile
  from ..models.preaggregate_report import PreaggregateReport





T = TypeVar("T", bound="PreaggregateResult")



@_attrs_define
class PreaggregateResult:
    """ The condensed outputs.

        Attributes:
            condensed (bool): Whether the files together reached the threshold; if not, they are as they were.
            files (list[CondensedFile]): The files, in the order of the request.
            report (PreaggregateReport): Sizes, findings and coverage of all files.
     """

    condensed: bool
    files: list[CondensedFile]
    report: PreaggregateReport
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.condensed_file import CondensedFile # noqa: PLC0415
        from ..models.preaggregate_report import PreaggregateReport # noqa: PLC0415
        condensed = self.condensed

        files = []
        for files_item_data in self.files:
            files_item = files_item_data.to_dict()
            files.append(files_item)



        report = self.report.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "condensed": condensed,
            "files": files,
            "report": report,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.condensed_file import CondensedFile # noqa: PLC0415
        from ..models.preaggregate_report import PreaggregateReport # noqa: PLC0415
        d = dict(src_dict)
        condensed = d.pop("condensed")

        files = []
        _files = d.pop("files")
        for files_item_data in (_files):
            files_item = CondensedFile.from_dict(files_item_data)



            files.append(files_item)


        report = PreaggregateReport.from_dict(d.pop("report"))




        preaggregate_result = cls(
            condensed=condensed,
            files=files,
            report=report,
        )


        preaggregate_result.additional_properties = d
        return preaggregate_result

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
