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
  from ..models.message import Message
  from ..models.transcript_request_metadata_type_0 import TranscriptRequestMetadataType0





T = TypeVar("T", bound="TranscriptRequest")



@_attrs_define
class TranscriptRequest:
    """ All messages of an agent, as its framework keeps them.

        Attributes:
            messages (list[Message]): All messages from the first on, or from the one behind `after`; oldest first, as the
                format writes them.
            format_ (MessageFormat | Unset): A conversation format, in and out.
            model (None | str | Unset): The model that the session talks to from now on, as in an append.
            after (int | Unset): The position of a message in its session: 1, 2, 3 … without gaps.
            may_be_longer (bool | Unset): Whether the branch may have more than the list. Then it stays as it is, and does
                not go back to the list's last
                message; the context is that of the list. Default false.
            task_boundary (bool | Unset): Whether a task has just ended; some policies then compress. It is of no effect
                when nothing is stored.
            user (None | str | Unset): The session's `user`, when this list makes the session; one that is there keeps its
                own.
            metadata (None | TranscriptRequestMetadataType0 | Unset): The session's `metadata`, when this list makes the
                session; one that is there keeps its own.
     """

    messages: list[Message]
    format_: MessageFormat | Unset = UNSET
    model: None | str | Unset = UNSET
    after: int | Unset = UNSET
    may_be_longer: bool | Unset = UNSET
    task_boundary: bool | Unset = UNSET
    user: None | str | Unset = UNSET
    metadata: None | TranscriptRequestMetadataType0 | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.message import Message # noqa: PLC0415
        from ..models.transcript_request_metadata_type_0 import TranscriptRequestMetadataType0 # noqa: PLC0415
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

        after = self.after

        may_be_longer = self.may_be_longer

        task_boundary = self.task_boundary

        user: None | str | Unset
        if isinstance(self.user, Unset):
            user = UNSET
        else:
            user = self.user

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, TranscriptRequestMetadataType0):
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
        if after is not UNSET:
            field_dict["after"] = after
        if may_be_longer is not UNSET:
            field_dict["may_be_longer"] = may_be_longer
        if task_boundary is not UNSET:
            field_dict["task_boundary"] = task_boundary
        if user is not UNSET:
            field_dict["user"] = user
        if metadata is not UNSET:
            field_dict["metadata"] = metadata

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message import Message # noqa: PLC0415
        from ..models.transcript_request_metadata_type_0 import TranscriptRequestMetadataType0 # noqa: PLC0415
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


        after = d.pop("after", UNSET)

        may_be_longer = d.pop("may_be_longer", UNSET)

        task_boundary = d.pop("task_boundary", UNSET)

        def _parse_user(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        user = _parse_user(d.pop("user", UNSET))


        def _parse_metadata(data: object) -> None | TranscriptRequestMetadataType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = TranscriptRequestMetadataType0.from_dict(data)



                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TranscriptRequestMetadataType0 | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))


        transcript_request = cls(
            messages=messages,
            format_=format_,
            model=model,
            after=after,
            may_be_longer=may_be_longer,
            task_boundary=task_boundary,
            user=user,
            metadata=metadata,
        )

        return transcript_request

