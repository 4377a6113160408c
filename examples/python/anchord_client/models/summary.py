from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.engine import Engine
from ..models.phase import Phase
from ..models.strategy import Strategy
from ..models.verifiability import Verifiability
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.blocker import Blocker
  from ..models.constraint import Constraint
  from ..models.current_state import CurrentState
  from ..models.decision import Decision
  from ..models.entity import Entity
  from ..models.error_entry import ErrorEntry
  from ..models.exam_scores import ExamScores
  from ..models.modified_file import ModifiedFile
  from ..models.note import Note
  from ..models.read_file import ReadFile
  from ..models.summary_left_out import SummaryLeftOut
  from ..models.test_result import TestResult
  from ..models.user_request import UserRequest





T = TypeVar("T", bound="Summary")



@_attrs_define
class Summary:
    """ A version as the API shows it: the document and its metadata in one object.

        Attributes:
            version (int): Its number in the session: 1, 2, 3 …
            strategy (Strategy): What a compression reads and what it makes of it.
            verifiable (Verifiability): How far a version can be checked against the originals.
            engine (Engine): The engine that read the span of a version.
            compression_count (int): Versions published by a compression so far, this one included.
            last_compressed_at (datetime.datetime): When it was published.
            from_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            through_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            tokens_before (int): Record and digest of the version before plus the span, as contexts would serve them, in
                tokens.
            tokens_after (int): Its record and digest when it was made, as contexts serve them, in tokens.
            max_tokens (int): The most tokens that its rendering was given.
            reduction (float | None): The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 %
                fewer, four to one.
            warnings (list[str]): Warnings about it.
            session_intent (str): The current request.
            session_intent_seqs (list[int]): The messages that the intent came from.
            requests (list[UserRequest]): Requests of people, oldest first.
            files_modified (list[ModifiedFile]): Files that the session changed.
            files_read (list[ReadFile]): Files that the session read and did not change.
            decisions_made (list[Decision]): Decisions, oldest first.
            current_state (CurrentState): The current state of the work.
            errors (list[ErrorEntry]): Errors, open and resolved.
            test_results (list[TestResult]): The latest run of each test command.
            blockers (list[Blocker]): Obstacles to progress.
            open_questions (list[Note]): Unanswered questions.
            findings (list[Note]): What was learnt and is not obvious: causes, limits, dead ends.
            next_steps (list[str]): The next steps, in order.
            next_steps_seqs (list[int]): The messages that the next steps came from.
            things (list[Entity]): Things with an identity in the session, and their properties as last known.
            notes (list[Note]): The agent's own notes.
            constraints (list[Constraint]): Requirements, verbatim.
            parent_version (int | None | Unset): The version that it was merged into.
            model (None | str | Unset): The model, when one was asked.
            probe_score (float | None | Unset): The share of the probes that passed, from 0 to 1; absent without probes.
            facts_score (float | None | Unset): The same of the probes that ask for facts which code found.
            exam (ExamScores | None | Unset): How a reader did in an exam that was written from the messages; absent without
                one.
            phase (None | Phase | Unset): The phase of the work that it was made in, which decides how it is rendered.
            proposed_constraints (list[Constraint] | Unset): Requirements found in messages that take effect only when the
                caller pins them (setting `constraints`: `propose`).
            left_out (SummaryLeftOut | Unset): How many entries of a section a bound left out; recall finds what they came
                from.
     """

    version: int
    strategy: Strategy
    verifiable: Verifiability
    engine: Engine
    compression_count: int
    last_compressed_at: datetime.datetime
    from_seq: int
    through_seq: int
    tokens_before: int
    tokens_after: int
    max_tokens: int
    reduction: float | None
    warnings: list[str]
    session_intent: str
    session_intent_seqs: list[int]
    requests: list[UserRequest]
    files_modified: list[ModifiedFile]
    files_read: list[ReadFile]
    decisions_made: list[Decision]
    current_state: CurrentState
    errors: list[ErrorEntry]
    test_results: list[TestResult]
    blockers: list[Blocker]
    open_questions: list[Note]
    findings: list[Note]
    next_steps: list[str]
    next_steps_seqs: list[int]
    things: list[Entity]
    notes: list[Note]
    constraints: list[Constraint]
    parent_version: int | None | Unset = UNSET
    model: None | str | Unset = UNSET
    probe_score: float | None | Unset = UNSET
    facts_score: float | None | Unset = UNSET
    exam: ExamScores | None | Unset = UNSET
    phase: None | Phase | Unset = UNSET
    proposed_constraints: list[Constraint] | Unset = UNSET
    left_out: SummaryLeftOut | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.blocker import Blocker # noqa: PLC0415
        from ..models.constraint import Constraint # noqa: PLC0415
        from ..models.current_state import CurrentState # noqa: PLC0415
        from ..models.decision import Decision # noqa: PLC0415
        from ..models.entity import Entity # noqa: PLC0415
        from ..models.error_entry import ErrorEntry # noqa: PLC0415
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        from ..models.modified_file import ModifiedFile # noqa: PLC0415
        from ..models.note import Note # noqa: PLC0415
        from ..models.read_file import ReadFile # noqa: PLC0415
        from ..models.summary_left_out import SummaryLeftOut # noqa: PLC0415
        from ..models.test_result import TestResult # noqa: PLC0415
        from ..models.user_request import UserRequest # noqa: PLC0415
        version = self.version

        strategy = self.strategy.value

        verifiable = self.verifiable.value

        engine = self.engine.value

        compression_count = self.compression_count

        last_compressed_at = self.last_compressed_at.isoformat()

        from_seq = self.from_seq

        through_seq = self.through_seq

        tokens_before = self.tokens_before

        tokens_after = self.tokens_after

        max_tokens = self.max_tokens

        reduction: float | None
        reduction = self.reduction

        warnings = self.warnings



        session_intent = self.session_intent

        session_intent_seqs = self.session_intent_seqs



        requests = []
        for requests_item_data in self.requests:
            requests_item = requests_item_data.to_dict()
            requests.append(requests_item)



        files_modified = []
        for files_modified_item_data in self.files_modified:
            files_modified_item = files_modified_item_data.to_dict()
            files_modified.append(files_modified_item)



        files_read = []
        for files_read_item_data in self.files_read:
            files_read_item = files_read_item_data.to_dict()
            files_read.append(files_read_item)



        decisions_made = []
        for decisions_made_item_data in self.decisions_made:
            decisions_made_item = decisions_made_item_data.to_dict()
            decisions_made.append(decisions_made_item)



        current_state = self.current_state.to_dict()

        errors = []
        for errors_item_data in self.errors:
            errors_item = errors_item_data.to_dict()
            errors.append(errors_item)



        test_results = []
        for test_results_item_data in self.test_results:
            test_results_item = test_results_item_data.to_dict()
            test_results.append(test_results_item)



        blockers = []
        for blockers_item_data in self.blockers:
            blockers_item = blockers_item_data.to_dict()
            blockers.append(blockers_item)



        open_questions = []
        for open_questions_item_data in self.open_questions:
            open_questions_item = open_questions_item_data.to_dict()
            open_questions.append(open_questions_item)



        findings = []
        for findings_item_data in self.findings:
            findings_item = findings_item_data.to_dict()
            findings.append(findings_item)



        next_steps = self.next_steps



        next_steps_seqs = self.next_steps_seqs



        things = []
        for things_item_data in self.things:
            things_item = things_item_data.to_dict()
            things.append(things_item)



        notes = []
        for notes_item_data in self.notes:
            notes_item = notes_item_data.to_dict()
            notes.append(notes_item)



        constraints = []
        for constraints_item_data in self.constraints:
            constraints_item = constraints_item_data.to_dict()
            constraints.append(constraints_item)



        parent_version: int | None | Unset
        if isinstance(self.parent_version, Unset):
            parent_version = UNSET
        else:
            parent_version = self.parent_version

        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model

        probe_score: float | None | Unset
        if isinstance(self.probe_score, Unset):
            probe_score = UNSET
        else:
            probe_score = self.probe_score

        facts_score: float | None | Unset
        if isinstance(self.facts_score, Unset):
            facts_score = UNSET
        else:
            facts_score = self.facts_score

        exam: dict[str, Any] | None | Unset
        if isinstance(self.exam, Unset):
            exam = UNSET
        elif isinstance(self.exam, ExamScores):
            exam = self.exam.to_dict()
        else:
            exam = self.exam

        phase: None | str | Unset
        if isinstance(self.phase, Unset):
            phase = UNSET
        elif isinstance(self.phase, Phase):
            phase = self.phase.value
        else:
            phase = self.phase

        proposed_constraints: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.proposed_constraints, Unset):
            proposed_constraints = []
            for proposed_constraints_item_data in self.proposed_constraints:
                proposed_constraints_item = proposed_constraints_item_data.to_dict()
                proposed_constraints.append(proposed_constraints_item)



        left_out: dict[str, Any] | Unset = UNSET
        if not isinstance(self.left_out, Unset):
            left_out = self.left_out.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "version": version,
            "strategy": strategy,
            "verifiable": verifiable,
            "engine": engine,
            "compression_count": compression_count,
            "last_compressed_at": last_compressed_at,
            "from_seq": from_seq,
            "through_seq": through_seq,
            "tokens_before": tokens_before,
            "tokens_after": tokens_after,
            "max_tokens": max_tokens,
            "reduction": reduction,
            "warnings": warnings,
            "session_intent": session_intent,
            "session_intent_seqs": session_intent_seqs,
            "requests": requests,
            "files_modified": files_modified,
            "files_read": files_read,
            "decisions_made": decisions_made,
            "current_state": current_state,
            "errors": errors,
            "test_results": test_results,
            "blockers": blockers,
            "open_questions": open_questions,
            "findings": findings,
            "next_steps": next_steps,
            "next_steps_seqs": next_steps_seqs,
            "things": things,
            "notes": notes,
            "constraints": constraints,
        })
        if parent_version is not UNSET:
            field_dict["parent_version"] = parent_version
        if model is not UNSET:
            field_dict["model"] = model
        if probe_score is not UNSET:
            field_dict["probe_score"] = probe_score
        if facts_score is not UNSET:
            field_dict["facts_score"] = facts_score
        if exam is not UNSET:
            field_dict["exam"] = exam
        if phase is not UNSET:
            field_dict["phase"] = phase
        if proposed_constraints is not UNSET:
            field_dict["proposed_constraints"] = proposed_constraints
        if left_out is not UNSET:
            field_dict["left_out"] = left_out

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.blocker import Blocker # noqa: PLC0415
        from ..models.constraint import Constraint # noqa: PLC0415
        from ..models.current_state import CurrentState # noqa: PLC0415
        from ..models.decision import Decision # noqa: PLC0415
        from ..models.entity import Entity # noqa: PLC0415
        from ..models.error_entry import ErrorEntry # noqa: PLC0415
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        from ..models.modified_file import ModifiedFile # noqa: PLC0415
        from ..models.note import Note # noqa: PLC0415
        from ..models.read_file import ReadFile # noqa: PLC0415
        from ..models.summary_left_out import SummaryLeftOut # noqa: PLC0415
        from ..models.test_result import TestResult # noqa: PLC0415
        from ..models.user_request import UserRequest # noqa: PLC0415
        d = dict(src_dict)
        version = d.pop("version")

        strategy = Strategy(d.pop("strategy"))




        verifiable = Verifiability(d.pop("verifiable"))




        engine = Engine(d.pop("engine"))




        compression_count = d.pop("compression_count")

        last_compressed_at = datetime.datetime.fromisoformat(d.pop("last_compressed_at"))




        from_seq = d.pop("from_seq")

        through_seq = d.pop("through_seq")

        tokens_before = d.pop("tokens_before")

        tokens_after = d.pop("tokens_after")

        max_tokens = d.pop("max_tokens")

        def _parse_reduction(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        reduction = _parse_reduction(d.pop("reduction"))


        warnings = cast(list[str], d.pop("warnings"))


        session_intent = d.pop("session_intent")

        session_intent_seqs = cast(list[int], d.pop("session_intent_seqs"))


        requests = []
        _requests = d.pop("requests")
        for requests_item_data in (_requests):
            requests_item = UserRequest.from_dict(requests_item_data)



            requests.append(requests_item)


        files_modified = []
        _files_modified = d.pop("files_modified")
        for files_modified_item_data in (_files_modified):
            files_modified_item = ModifiedFile.from_dict(files_modified_item_data)



            files_modified.append(files_modified_item)


        files_read = []
        _files_read = d.pop("files_read")
        for files_read_item_data in (_files_read):
            files_read_item = ReadFile.from_dict(files_read_item_data)



            files_read.append(files_read_item)


        decisions_made = []
        _decisions_made = d.pop("decisions_made")
        for decisions_made_item_data in (_decisions_made):
            decisions_made_item = Decision.from_dict(decisions_made_item_data)



            decisions_made.append(decisions_made_item)


        current_state = CurrentState.from_dict(d.pop("current_state"))




        errors = []
        _errors = d.pop("errors")
        for errors_item_data in (_errors):
            errors_item = ErrorEntry.from_dict(errors_item_data)



            errors.append(errors_item)


        test_results = []
        _test_results = d.pop("test_results")
        for test_results_item_data in (_test_results):
            test_results_item = TestResult.from_dict(test_results_item_data)



            test_results.append(test_results_item)


        blockers = []
        _blockers = d.pop("blockers")
        for blockers_item_data in (_blockers):
            blockers_item = Blocker.from_dict(blockers_item_data)



            blockers.append(blockers_item)


        open_questions = []
        _open_questions = d.pop("open_questions")
        for open_questions_item_data in (_open_questions):
            open_questions_item = Note.from_dict(open_questions_item_data)



            open_questions.append(open_questions_item)


        findings = []
        _findings = d.pop("findings")
        for findings_item_data in (_findings):
            findings_item = Note.from_dict(findings_item_data)



            findings.append(findings_item)


        next_steps = cast(list[str], d.pop("next_steps"))


        next_steps_seqs = cast(list[int], d.pop("next_steps_seqs"))


        things = []
        _things = d.pop("things")
        for things_item_data in (_things):
            things_item = Entity.from_dict(things_item_data)



            things.append(things_item)


        notes = []
        _notes = d.pop("notes")
        for notes_item_data in (_notes):
            notes_item = Note.from_dict(notes_item_data)



            notes.append(notes_item)


        constraints = []
        _constraints = d.pop("constraints")
        for constraints_item_data in (_constraints):
            constraints_item = Constraint.from_dict(constraints_item_data)



            constraints.append(constraints_item)


        def _parse_parent_version(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        parent_version = _parse_parent_version(d.pop("parent_version", UNSET))


        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))


        def _parse_probe_score(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        probe_score = _parse_probe_score(d.pop("probe_score", UNSET))


        def _parse_facts_score(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        facts_score = _parse_facts_score(d.pop("facts_score", UNSET))


        def _parse_exam(data: object) -> ExamScores | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                exam_type_0 = ExamScores.from_dict(data)



                return exam_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExamScores | None | Unset, data)

        exam = _parse_exam(d.pop("exam", UNSET))


        def _parse_phase(data: object) -> None | Phase | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                phase_type_0 = Phase(data)



                return phase_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Phase | Unset, data)

        phase = _parse_phase(d.pop("phase", UNSET))


        _proposed_constraints = d.pop("proposed_constraints", UNSET)
        proposed_constraints: list[Constraint] | Unset = UNSET
        if _proposed_constraints is not UNSET:
            proposed_constraints = []
            for proposed_constraints_item_data in _proposed_constraints:
                proposed_constraints_item = Constraint.from_dict(proposed_constraints_item_data)



                proposed_constraints.append(proposed_constraints_item)


        _left_out = d.pop("left_out", UNSET)
        left_out: SummaryLeftOut | Unset
        if isinstance(_left_out,  Unset):
            left_out = UNSET
        else:
            left_out = SummaryLeftOut.from_dict(_left_out)




        summary = cls(
            version=version,
            strategy=strategy,
            verifiable=verifiable,
            engine=engine,
            compression_count=compression_count,
            last_compressed_at=last_compressed_at,
            from_seq=from_seq,
            through_seq=through_seq,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            max_tokens=max_tokens,
            reduction=reduction,
            warnings=warnings,
            session_intent=session_intent,
            session_intent_seqs=session_intent_seqs,
            requests=requests,
            files_modified=files_modified,
            files_read=files_read,
            decisions_made=decisions_made,
            current_state=current_state,
            errors=errors,
            test_results=test_results,
            blockers=blockers,
            open_questions=open_questions,
            findings=findings,
            next_steps=next_steps,
            next_steps_seqs=next_steps_seqs,
            things=things,
            notes=notes,
            constraints=constraints,
            parent_version=parent_version,
            model=model,
            probe_score=probe_score,
            facts_score=facts_score,
            exam=exam,
            phase=phase,
            proposed_constraints=proposed_constraints,
            left_out=left_out,
        )


        summary.additional_properties = d
        return summary

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
