from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.message_format import MessageFormat
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.append_request_metadata_type_0 import AppendRequestMetadataType0
  from ..models.message import Message
  from ..models.message_mark import MessageMark





T = TypeVar("T", bound="AppendRequest")



@_attrs_define
class AppendRequest:
    """ A batch of messages to append.

        Attributes:
            messages (list[Message]): The messages, oldest first, as the format writes them. Each comes back exactly as it
                was sent.
            format_ (MessageFormat | Unset): A conversation format, in and out.
            model (None | str | Unset): The model that the session talks to from now on: it becomes the session's setting
                `model`, from which context window,
                output reserve and tokenizer follow. The tokenizer of a session that has messages stays.
            expected_next_seq (int | None | Unset): The position that the first message must get; another one is 409 and
                nothing is stored.
            task_boundary (bool | Unset): Whether a task has just ended; some policies then compress.
            marks (list[MessageMark] | Unset): The caller's marks of single messages of the batch.
            user (None | str | Unset): The session's `user`, when this batch makes the session; one that is there keeps its
                own.
            metadata (AppendRequestMetadataType0 | None | Unset): The session's `metadata`, when this batch makes the
                session; one that is there keeps its own.
     """

    messages: list[Message]
    format_: MessageFormat | Unset = UNSET
    model: None | str | Unset = UNSET
    expected_next_seq: int | None | Unset = UNSET
    task_boundary: bool | Unset = UNSET
    marks: list[MessageMark] | Unset = UNSET
    user: None | str | Unset = UNSET
    metadata: AppendRequestMetadataType0 | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.append_request_metadata_type_0 import AppendRequestMetadataType0 # noqa: PLC0415
        from ..models.message import Message # noqa: PLC0415
        from ..models.message_mark import MessageMark # noqa: PLC0415
        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)



        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_.value


        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model

        expected_next_seq: int | None | Unset
        if isinstance(self.expected_next_seq, Unset):
            expected_next_seq = UNSET
        else:
            expected_next_seq = self.expected_next_seq

        task_boundary = self.task_boundary

        marks: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.marks, Unset):
            marks = []
            for marks_item_data in self.marks:
                marks_item = marks_item_data.to_dict()
                marks.append(marks_item)



        user: None | str | Unset
        if isinstance(self.user, Unset):
            user = UNSET
        else:
            user = self.user

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, AppendRequestMetadataType0):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "messages": messages,
        })
        if format_ is not UNSET:
            field_dict["format"] = format_
        if model is not UNSET:
            field_dict["model"] = model
        if expected_next_seq is not UNSET:
            field_dict["expected_next_seq"] = expected_next_seq
        if task_boundary is not UNSET:
            field_dict["task_boundary"] = task_boundary
        if marks is not UNSET:
            field_dict["marks"] = marks
        if user is not UNSET:
            field_dict["user"] = user
        if metadata is not UNSET:
            field_dict["metadata"] = metadata

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.append_request_metadata_type_0 import AppendRequestMetadataType0 # noqa: PLC0415
        from ..models.message import Message # noqa: PLC0415
        from ..models.message_mark import MessageMark # noqa: PLC0415
        d = dict(src_dict)
        messages = []
        _messages = d.pop("messages")
        for messages_item_data in (_messages):
            messages_item = Message.from_dict(messages_item_data)



            messages.append(messages_item)


        _format_ = d.pop("format", UNSET)
        format_: MessageFormat | Unset
        if isinstance(_format_,  Unset):
            format_ = UNSET
        else:
            format_ = MessageFormat(_format_)




        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))


        def _parse_expected_next_seq(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        expected_next_seq = _parse_expected_next_seq(d.pop("expected_next_seq", UNSET))


        task_boundary = d.pop("task_boundary", UNSET)

        _marks = d.pop("marks", UNSET)
        marks: list[MessageMark] | Unset = UNSET
        if _marks is not UNSET:
            marks = []
            for marks_item_data in _marks:
                marks_item = MessageMark.from_dict(marks_item_data)



                marks.append(marks_item)


        def _parse_user(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        user = _parse_user(d.pop("user", UNSET))


        def _parse_metadata(data: object) -> AppendRequestMetadataType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = AppendRequestMetadataType0.from_dict(data)



                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AppendRequestMetadataType0 | None | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))


        append_request = cls(
            messages=messages,
            format_=format_,
            model=model,
            expected_next_seq=expected_next_seq,
            task_boundary=task_boundary,
            marks=marks,
            user=user,
            metadata=metadata,
        )

        return append_request

