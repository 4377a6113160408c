from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.named_file import NamedFile





T = TypeVar("T", bound="PreaggregateRequest")



@_attrs_define
class PreaggregateRequest:
    """ The outputs of several agents.

        Attributes:
            files (list[NamedFile]): The files.
            threshold_bytes (int | None | Unset): Bytes of all files together from which on they are condensed. Default
                25,000.
            prefix (None | str | Unset): The prefix of markers, as in `<!-- PREFIX:FINDING … -->`. Default `RUNE`.
            expected (list[str] | Unset): Names of the files that should be there.
     """

    files: list[NamedFile]
    threshold_bytes: int | None | Unset = UNSET
    prefix: None | str | Unset = UNSET
    expected: list[str] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.named_file import NamedFile # noqa: PLC0415
        files = []
        for files_item_data in self.files:
            files_item = files_item_data.to_dict()
            files.append(files_item)



        threshold_bytes: int | None | Unset
        if isinstance(self.threshold_bytes, Unset):
            threshold_bytes = UNSET
        else:
            threshold_bytes = self.threshold_bytes

        prefix: None | str | Unset
        if isinstance(self.prefix, Unset):
            prefix = UNSET
        else:
            prefix = self.prefix

        expected: list[str] | Unset = UNSET
        if not isinstance(self.expected, Unset):
            expected = self.expected




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "files": files,
        })
        if threshold_bytes is not UNSET:
            field_dict["threshold_bytes"] = threshold_bytes
        if prefix is not UNSET:
            field_dict["prefix"] = prefix
        if expected is not UNSET:
            field_dict["expected"] = expected

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.named_file import NamedFile # noqa: PLC0415
        d = dict(src_dict)
        files = []
        _files = d.pop("files")
        for files_item_data in (_files):
            files_item = NamedFile.from_dict(files_item_data)



            files.append(files_item)


        def _parse_threshold_bytes(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        threshold_bytes = _parse_threshold_bytes(d.pop("threshold_bytes", UNSET))


        def _parse_prefix(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        prefix = _parse_prefix(d.pop("prefix", UNSET))


        expected = cast(list[str], d.pop("expected", UNSET))


        preaggregate_request = cls(
            files=files,
            threshold_bytes=threshold_bytes,
            prefix=prefix,
            expected=expected,
        )

        return preaggregate_request

