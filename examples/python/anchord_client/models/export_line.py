from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.export_line_kind import ExportLineKind
from ..models.keep_output import KeepOutput
from ..models.message_format import MessageFormat
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.export_line_document_type_0 import ExportLineDocumentType0
  from ..models.export_line_meta_type_0 import ExportLineMetaType0
  from ..models.export_line_note import ExportLineNote
  from ..models.export_line_settings_type_0 import ExportLineSettingsType0
  from ..models.message import Message
  from ..models.todo_input import TodoInput





T = TypeVar("T", bound="ExportLine")



@_attrs_define
class ExportLine:
    """ A line of an export; which fields it has follows from its kind.

        Attributes:
            kind (ExportLineKind): The kind of a line of an export.
            session_id (None | str | Unset): Of the session: its id where it was exported.
            settings (ExportLineSettingsType0 | None | Unset): Of the session: its own settings.
            pins (list[str] | None | Unset): Of the session: its own pins.
            notes (list[ExportLineNote] | None | Unset): Of the session: its agent's notes.
            todos (list[TodoInput] | None | Unset): Of the session: its caller's todo list.
            removed_constraints (list[str] | None | Unset): Of the session: ids of extracted constraints that its caller
                dropped.
            probes (list[Any] | None | Unset): Of the session: its caller's probes.
            seq (int | None | Unset): Of a message: its position.
            format_ (MessageFormat | None | Unset): Of a message: its conversation format. The messages of an import that
                have none are one batch, whose format is
                recognised as that of an append.
            tokens (int | None | Unset): Of a message: its tokens where it was exported.
            role (None | str | Unset): Of a message: the role.
            keep (KeepOutput | None | Unset): Of a message: its mark.
            component (None | str | Unset): Of a message: what its tokens count as.
            message (Message | None | Unset): Of a message: exactly as it was sent.
            version (int | None | Unset): Of a version: its number.
            meta (ExportLineMetaType0 | None | Unset): Of a version: what is known about its making.
            document (ExportLineDocumentType0 | None | Unset): Of a version: its record.
            messages (int | None | Unset): Of the end: how many messages the session has.
            created_at (datetime.datetime | None | Unset): When the session, or the message, was stored.
     """

    kind: ExportLineKind
    session_id: None | str | Unset = UNSET
    settings: ExportLineSettingsType0 | None | Unset = UNSET
    pins: list[str] | None | Unset = UNSET
    notes: list[ExportLineNote] | None | Unset = UNSET
    todos: list[TodoInput] | None | Unset = UNSET
    removed_constraints: list[str] | None | Unset = UNSET
    probes: list[Any] | None | Unset = UNSET
    seq: int | None | Unset = UNSET
    format_: MessageFormat | None | Unset = UNSET
    tokens: int | None | Unset = UNSET
    role: None | str | Unset = UNSET
    keep: KeepOutput | None | Unset = UNSET
    component: None | str | Unset = UNSET
    message: Message | None | Unset = UNSET
    version: int | None | Unset = UNSET
    meta: ExportLineMetaType0 | None | Unset = UNSET
    document: ExportLineDocumentType0 | None | Unset = UNSET
    messages: int | None | Unset = UNSET
    created_at: datetime.datetime | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.export_line_document_type_0 import ExportLineDocumentType0 # noqa: PLC0415
        from ..models.export_line_meta_type_0 import ExportLineMetaType0 # noqa: PLC0415
        from ..models.export_line_note import ExportLineNote # noqa: PLC0415
        from ..models.export_line_settings_type_0 import ExportLineSettingsType0 # noqa: PLC0415
        from ..models.message import Message # noqa: PLC0415
        from ..models.todo_input import TodoInput # noqa: PLC0415
        kind = self.kind.value

        session_id: None | str | Unset
        if isinstance(self.session_id, Unset):
            session_id = UNSET
        else:
            session_id = self.session_id

        settings: dict[str, Any] | None | Unset
        if isinstance(self.settings, Unset):
            settings = UNSET
        elif isinstance(self.settings, ExportLineSettingsType0):
            settings = self.settings.to_dict()
        else:
            settings = self.settings

        pins: list[str] | None | Unset
        if isinstance(self.pins, Unset):
            pins = UNSET
        elif isinstance(self.pins, list):
            pins = self.pins


        else:
            pins = self.pins

        notes: list[dict[str, Any]] | None | Unset
        if isinstance(self.notes, Unset):
            notes = UNSET
        elif isinstance(self.notes, list):
            notes = []
            for notes_type_0_item_data in self.notes:
                notes_type_0_item = notes_type_0_item_data.to_dict()
                notes.append(notes_type_0_item)


        else:
            notes = self.notes

        todos: list[dict[str, Any]] | None | Unset
        if isinstance(self.todos, Unset):
            todos = UNSET
        elif isinstance(self.todos, list):
            todos = []
            for todos_type_0_item_data in self.todos:
                todos_type_0_item = todos_type_0_item_data.to_dict()
                todos.append(todos_type_0_item)


        else:
            todos = self.todos

        removed_constraints: list[str] | None | Unset
        if isinstance(self.removed_constraints, Unset):
            removed_constraints = UNSET
        elif isinstance(self.removed_constraints, list):
            removed_constraints = self.removed_constraints


        else:
            removed_constraints = self.removed_constraints

        probes: list[Any] | None | Unset
        if isinstance(self.probes, Unset):
            probes = UNSET
        elif isinstance(self.probes, list):
            probes = self.probes


        else:
            probes = self.probes

        seq: int | None | Unset
        if isinstance(self.seq, Unset):
            seq = UNSET
        else:
            seq = self.seq

        format_: None | str | Unset
        if isinstance(self.format_, Unset):
            format_ = UNSET
        elif isinstance(self.format_, MessageFormat):
            format_ = self.format_.value
        else:
            format_ = self.format_

        tokens: int | None | Unset
        if isinstance(self.tokens, Unset):
            tokens = UNSET
        else:
            tokens = self.tokens

        role: None | str | Unset
        if isinstance(self.role, Unset):
            role = UNSET
        else:
            role = self.role

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
        else:
            component = self.component

        message: dict[str, Any] | None | Unset
        if isinstance(self.message, Unset):
            message = UNSET
        elif isinstance(self.message, Message):
            message = self.message.to_dict()
        else:
            message = self.message

        version: int | None | Unset
        if isinstance(self.version, Unset):
            version = UNSET
        else:
            version = self.version

        meta: dict[str, Any] | None | Unset
        if isinstance(self.meta, Unset):
            meta = UNSET
        elif isinstance(self.meta, ExportLineMetaType0):
            meta = self.meta.to_dict()
        else:
            meta = self.meta

        document: dict[str, Any] | None | Unset
        if isinstance(self.document, Unset):
            document = UNSET
        elif isinstance(self.document, ExportLineDocumentType0):
            document = self.document.to_dict()
        else:
            document = self.document

        messages: int | None | Unset
        if isinstance(self.messages, Unset):
            messages = UNSET
        else:
            messages = self.messages

        created_at: None | str | Unset
        if isinstance(self.created_at, Unset):
            created_at = UNSET
        elif isinstance(self.created_at, datetime.datetime):
            created_at = self.created_at.isoformat()
        else:
            created_at = self.created_at


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
        })
        if session_id is not UNSET:
            field_dict["session_id"] = session_id
        if settings is not UNSET:
            field_dict["settings"] = settings
        if pins is not UNSET:
            field_dict["pins"] = pins
        if notes is not UNSET:
            field_dict["notes"] = notes
        if todos is not UNSET:
            field_dict["todos"] = todos
        if removed_constraints is not UNSET:
            field_dict["removed_constraints"] = removed_constraints
        if probes is not UNSET:
            field_dict["probes"] = probes
        if seq is not UNSET:
            field_dict["seq"] = seq
        if format_ is not UNSET:
            field_dict["format"] = format_
        if tokens is not UNSET:
            field_dict["tokens"] = tokens
        if role is not UNSET:
            field_dict["role"] = role
        if keep is not UNSET:
            field_dict["keep"] = keep
        if component is not UNSET:
            field_dict["component"] = component
        if message is not UNSET:
            field_dict["message"] = message
        if version is not UNSET:
            field_dict["version"] = version
        if meta is not UNSET:
            field_dict["meta"] = meta
        if document is not UNSET:
            field_dict["document"] = document
        if messages is not UNSET:
            field_dict["messages"] = messages
        if created_at is not UNSET:
            field_dict["created_at"] = created_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.export_line_document_type_0 import ExportLineDocumentType0 # noqa: PLC0415
        from ..models.export_line_meta_type_0 import ExportLineMetaType0 # noqa: PLC0415
        from ..models.export_line_note import ExportLineNote # noqa: PLC0415
        from ..models.export_line_settings_type_0 import ExportLineSettingsType0 # noqa: PLC0415
        from ..models.message import Message # noqa: PLC0415
        from ..models.todo_input import TodoInput # noqa: PLC0415
        d = dict(src_dict)
        kind = ExportLineKind(d.pop("kind"))




        def _parse_session_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        session_id = _parse_session_id(d.pop("session_id", UNSET))


        def _parse_settings(data: object) -> ExportLineSettingsType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                settings_type_0 = ExportLineSettingsType0.from_dict(data)



                return settings_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExportLineSettingsType0 | None | Unset, data)

        settings = _parse_settings(d.pop("settings", UNSET))


        def _parse_pins(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                pins_type_0 = cast(list[str], data)

                return pins_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        pins = _parse_pins(d.pop("pins", UNSET))


        def _parse_notes(data: object) -> list[ExportLineNote] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                notes_type_0 = []
                _notes_type_0 = data
                for notes_type_0_item_data in (_notes_type_0):
                    notes_type_0_item = ExportLineNote.from_dict(notes_type_0_item_data)



                    notes_type_0.append(notes_type_0_item)

                return notes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ExportLineNote] | None | Unset, data)

        notes = _parse_notes(d.pop("notes", UNSET))


        def _parse_todos(data: object) -> list[TodoInput] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                todos_type_0 = []
                _todos_type_0 = data
                for todos_type_0_item_data in (_todos_type_0):
                    todos_type_0_item = TodoInput.from_dict(todos_type_0_item_data)



                    todos_type_0.append(todos_type_0_item)

                return todos_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TodoInput] | None | Unset, data)

        todos = _parse_todos(d.pop("todos", UNSET))


        def _parse_removed_constraints(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                removed_constraints_type_0 = cast(list[str], data)

                return removed_constraints_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        removed_constraints = _parse_removed_constraints(d.pop("removed_constraints", UNSET))


        def _parse_probes(data: object) -> list[Any] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                probes_type_0 = cast(list[Any], data)

                return probes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Any] | None | Unset, data)

        probes = _parse_probes(d.pop("probes", UNSET))


        def _parse_seq(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        seq = _parse_seq(d.pop("seq", UNSET))


        def _parse_format_(data: object) -> MessageFormat | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                format_type_0 = MessageFormat(data)



                return format_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessageFormat | None | Unset, data)

        format_ = _parse_format_(d.pop("format", UNSET))


        def _parse_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        tokens = _parse_tokens(d.pop("tokens", UNSET))


        def _parse_role(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        role = _parse_role(d.pop("role", UNSET))


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


        def _parse_component(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        component = _parse_component(d.pop("component", UNSET))


        def _parse_message(data: object) -> Message | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                message_type_0 = Message.from_dict(data)



                return message_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Message | None | Unset, data)

        message = _parse_message(d.pop("message", UNSET))


        def _parse_version(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        version = _parse_version(d.pop("version", UNSET))


        def _parse_meta(data: object) -> ExportLineMetaType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                meta_type_0 = ExportLineMetaType0.from_dict(data)



                return meta_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExportLineMetaType0 | None | Unset, data)

        meta = _parse_meta(d.pop("meta", UNSET))


        def _parse_document(data: object) -> ExportLineDocumentType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                document_type_0 = ExportLineDocumentType0.from_dict(data)



                return document_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExportLineDocumentType0 | None | Unset, data)

        document = _parse_document(d.pop("document", UNSET))


        def _parse_messages(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        messages = _parse_messages(d.pop("messages", UNSET))


        def _parse_created_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                created_at_type_0 = datetime.datetime.fromisoformat(data)



                return created_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        created_at = _parse_created_at(d.pop("created_at", UNSET))


        export_line = cls(
            kind=kind,
            session_id=session_id,
            settings=settings,
            pins=pins,
            notes=notes,
            todos=todos,
            removed_constraints=removed_constraints,
            probes=probes,
            seq=seq,
            format_=format_,
            tokens=tokens,
            role=role,
            keep=keep,
            component=component,
            message=message,
            version=version,
            meta=meta,
            document=document,
            messages=messages,
            created_at=created_at,
        )

        return export_line

