""" Contains all the data models used in inputs/outputs """

from .added_latency import AddedLatency
from .agent_note import AgentNote
from .agent_notes import AgentNotes
from .answered_by import AnsweredBy
from .api_key import ApiKey
from .api_key_page import ApiKeyPage
from .api_key_rotation import ApiKeyRotation
from .api_key_scope import ApiKeyScope
from .append_request import AppendRequest
from .append_request_metadata_type_0 import AppendRequestMetadataType0
from .append_result import AppendResult
from .audit_event import AuditEvent
from .audit_event_page import AuditEventPage
from .blocker import Blocker
from .branch import Branch
from .branch_page import BranchPage
from .brief_usage import BriefUsage
from .calibration import Calibration
from .command_fact import CommandFact
from .command_fact_kind import CommandFactKind
from .component_advice import ComponentAdvice
from .component_remedy import ComponentRemedy
from .component_shares import ComponentShares
from .component_tokens import ComponentTokens
from .compress_request import CompressRequest
from .compressed_messages import CompressedMessages
from .compressed_tokens import CompressedTokens
from .compression import Compression
from .compression_error import CompressionError
from .compression_page import CompressionPage
from .compression_status import CompressionStatus
from .compression_timings import CompressionTimings
from .condensed_file import CondensedFile
from .constraint import Constraint
from .constraint_fact import ConstraintFact
from .constraint_fact_kind import ConstraintFactKind
from .constraint_mode import ConstraintMode
from .constraint_source import ConstraintSource
from .context import Context
from .context_component import ContextComponent
from .context_get_cache_control import ContextGetCacheControl
from .context_tokens import ContextTokens
from .context_usage import ContextUsage
from .create_api_key import CreateApiKey
from .create_branch import CreateBranch
from .create_compression import CreateCompression
from .create_evaluation import CreateEvaluation
from .create_probe import CreateProbe
from .create_tenant import CreateTenant
from .create_webhook import CreateWebhook
from .created_api_key import CreatedApiKey
from .criterion_score import CriterionScore
from .current_state import CurrentState
from .decision import Decision
from .degraded import Degraded
from .dimension_score import DimensionScore
from .engine import Engine
from .engine_choice import EngineChoice
from .entity import Entity
from .entity_property import EntityProperty
from .error_entry import ErrorEntry
from .error_fact import ErrorFact
from .error_fact_kind import ErrorFactKind
from .error_status import ErrorStatus
from .evaluation import Evaluation
from .evaluation_detail import EvaluationDetail
from .evaluation_page import EvaluationPage
from .event import Event
from .event_data import EventData
from .event_error import EventError
from .event_type import EventType
from .exam_mode import ExamMode
from .exam_scores import ExamScores
from .export_line import ExportLine
from .export_line_document_type_0 import ExportLineDocumentType0
from .export_line_kind import ExportLineKind
from .export_line_meta_type_0 import ExportLineMetaType0
from .export_line_note import ExportLineNote
from .export_line_settings_type_0 import ExportLineSettingsType0
from .field_error import FieldError
from .file_action import FileAction
from .file_fact import FileFact
from .file_fact_kind import FileFactKind
from .file_status import FileStatus
from .gate_outcome import GateOutcome
from .gate_record import GateRecord
from .handoff import Handoff
from .handoff_session import HandoffSession
from .health import Health
from .held_back import HeldBack
from .history_thresholds import HistoryThresholds
from .identifier_fact import IdentifierFact
from .identifier_fact_kind import IdentifierFactKind
from .import_result import ImportResult
from .job_kind import JobKind
from .keep_output import KeepOutput
from .ledger_file_action import LedgerFileAction
from .ledger_list_kind import LedgerListKind
from .ledger_page import LedgerPage
from .live_compression import LiveCompression
from .llm_breaker import LlmBreaker
from .mask_mode import MaskMode
from .masked_output import MaskedOutput
from .message import Message
from .message_format import MessageFormat
from .message_mark import MessageMark
from .message_mark_component import MessageMarkComponent
from .message_thresholds import MessageThresholds
from .messages_append_cache_control import MessagesAppendCacheControl
from .messages_append_format import MessagesAppendFormat
from .messages_append_include_item import MessagesAppendIncludeItem
from .messages_append_return import MessagesAppendReturn
from .model import Model
from .model_answer_counts import ModelAnswerCounts
from .model_call import ModelCall
from .model_call_page import ModelCallPage
from .model_cost import ModelCost
from .model_origin import ModelOrigin
from .model_page import ModelPage
from .model_request import ModelRequest
from .model_usage import ModelUsage
from .modified_file import ModifiedFile
from .named_file import NamedFile
from .note import Note
from .omitted_range import OmittedRange
from .pending_compression import PendingCompression
from .phase import Phase
from .pin import Pin
from .pin_input import PinInput
from .policy_name import PolicyName
from .preaggregate_report import PreaggregateReport
from .preaggregate_request import PreaggregateRequest
from .preaggregate_result import PreaggregateResult
from .probe import Probe
from .probe_kind import ProbeKind
from .probe_match import ProbeMatch
from .probe_match_kind import ProbeMatchKind
from .probe_patch import ProbePatch
from .probe_result import ProbeResult
from .probe_source import ProbeSource
from .probe_verdict import ProbeVerdict
from .problem import Problem
from .quality_flag import QualityFlag
from .quality_flag_level import QualityFlagLevel
from .quality_metric import QualityMetric
from .quota_report import QuotaReport
from .quota_scope import QuotaScope
from .quota_status import QuotaStatus
from .read_file import ReadFile
from .recall_hit import RecallHit
from .recall_mode import RecallMode
from .recall_result import RecallResult
from .recall_search_mode import RecallSearchMode
from .recall_search_sessions_mode import RecallSearchSessionsMode
from .refetched_usage import RefetchedUsage
from .reject_reason import RejectReason
from .rejected_finding import RejectedFinding
from .replace_current_branch import ReplaceCurrentBranch
from .replace_pins import ReplacePins
from .replace_todos import ReplaceTodos
from .reported_usage import ReportedUsage
from .resolved_policy import ResolvedPolicy
from .retry_measure import RetryMeasure
from .role import Role
from .rollback_request import RollbackRequest
from .rubric import Rubric
from .session import Session
from .session_item import SessionItem
from .session_page import SessionPage
from .session_pins import SessionPins
from .session_probe import SessionProbe
from .session_probe_page import SessionProbePage
from .session_state import SessionState
from .session_state_compression_state import SessionStateCompressionState
from .session_state_current_task import SessionStateCurrentTask
from .session_state_meta import SessionStateMeta
from .sessions_list_include_item import SessionsListIncludeItem
from .sessions_recall_hit import SessionsRecallHit
from .sessions_recall_result import SessionsRecallResult
from .settings import Settings
from .settings_metadata_type_0 import SettingsMetadataType0
from .signal import Signal
from .signal_action import SignalAction
from .signal_kind import SignalKind
from .stable_prefix import StablePrefix
from .stored_message import StoredMessage
from .stored_message_page import StoredMessagePage
from .strategy import Strategy
from .summaries_get_current_style import SummariesGetCurrentStyle
from .summaries_get_style import SummariesGetStyle
from .summary import Summary
from .summary_diff import SummaryDiff
from .summary_entry_change import SummaryEntryChange
from .summary_form import SummaryForm
from .summary_left_out import SummaryLeftOut
from .summary_section import SummarySection
from .summary_section_diff import SummarySectionDiff
from .summary_version import SummaryVersion
from .summary_version_page import SummaryVersionPage
from .sync_outcome import SyncOutcome
from .sync_result import SyncResult
from .sync_state import SyncState
from .task import Task
from .task_outcomes import TaskOutcomes
from .task_status import TaskStatus
from .task_update import TaskUpdate
from .tasks_usage import TasksUsage
from .tenant import Tenant
from .tenant_page import TenantPage
from .tenant_patch import TenantPatch
from .tenant_pins import TenantPins
from .tenant_quotas import TenantQuotas
from .tenant_replacement import TenantReplacement
from .tenant_settings import TenantSettings
from .tenant_status import TenantStatus
from .tenant_usage import TenantUsage
from .test_outcome import TestOutcome
from .test_result import TestResult
from .test_run_fact import TestRunFact
from .test_run_fact_kind import TestRunFactKind
from .thresholds import Thresholds
from .todo import Todo
from .todo_change import TodoChange
from .todo_input import TodoInput
from .todo_status import TodoStatus
from .todos import Todos
from .token_count import TokenCount
from .token_count_request import TokenCountRequest
from .tokenizer import Tokenizer
from .tool_call_request import ToolCallRequest
from .tool_call_result import ToolCallResult
from .tool_call_result_next_type_0 import ToolCallResultNextType0
from .tool_definitions import ToolDefinitions
from .tool_definitions_tools_item import ToolDefinitionsToolsItem
from .tool_mode import ToolMode
from .tool_output import ToolOutput
from .tools_list_format import ToolsListFormat
from .transcript_request import TranscriptRequest
from .transcript_request_metadata_type_0 import TranscriptRequestMetadataType0
from .transcript_sync_cache_control import TranscriptSyncCacheControl
from .transcript_sync_format import TranscriptSyncFormat
from .transcript_sync_include_item import TranscriptSyncIncludeItem
from .trigger_decision import TriggerDecision
from .truncate_session import TruncateSession
from .unpublished_entry import UnpublishedEntry
from .usage_day import UsageDay
from .usage_figures import UsageFigures
from .usage_report import UsageReport
from .usage_report_basis import UsageReportBasis
from .usage_report_result import UsageReportResult
from .usage_report_verdict import UsageReportVerdict
from .user_request import UserRequest
from .user_request_state import UserRequestState
from .verifiability import Verifiability
from .warning import Warning_
from .warning_code import WarningCode
from .webhook import Webhook
from .webhook_delivery import WebhookDelivery
from .webhook_delivery_detail import WebhookDeliveryDetail
from .webhook_delivery_failure import WebhookDeliveryFailure
from .webhook_delivery_page import WebhookDeliveryPage
from .webhook_delivery_status import WebhookDeliveryStatus
from .webhook_disabled_reason import WebhookDisabledReason
from .webhook_event_type import WebhookEventType
from .webhook_page import WebhookPage
from .webhook_patch import WebhookPatch
from .webhook_secret_rotation import WebhookSecretRotation
from .webhook_with_secret import WebhookWithSecret
from .webhooks_list_deliveries_status import WebhooksListDeliveriesStatus

__all__ = (
    "AddedLatency",
    "AgentNote",
    "AgentNotes",
    "AnsweredBy",
    "ApiKey",
    "ApiKeyPage",
    "ApiKeyRotation",
    "ApiKeyScope",
    "AppendRequest",
    "AppendRequestMetadataType0",
    "AppendResult",
    "AuditEvent",
    "AuditEventPage",
    "Blocker",
    "Branch",
    "BranchPage",
    "BriefUsage",
    "Calibration",
    "CommandFact",
    "CommandFactKind",
    "ComponentAdvice",
    "ComponentRemedy",
    "ComponentShares",
    "ComponentTokens",
    "CompressedMessages",
    "CompressedTokens",
    "Compression",
    "CompressionError",
    "CompressionPage",
    "CompressionStatus",
    "CompressionTimings",
    "CompressRequest",
    "CondensedFile",
    "Constraint",
    "ConstraintFact",
    "ConstraintFactKind",
    "ConstraintMode",
    "ConstraintSource",
    "Context",
    "ContextComponent",
    "ContextGetCacheControl",
    "ContextTokens",
    "ContextUsage",
    "CreateApiKey",
    "CreateBranch",
    "CreateCompression",
    "CreatedApiKey",
    "CreateEvaluation",
    "CreateProbe",
    "CreateTenant",
    "CreateWebhook",
    "CriterionScore",
    "CurrentState",
    "Decision",
    "Degraded",
    "DimensionScore",
    "Engine",
    "EngineChoice",
    "Entity",
    "EntityProperty",
    "ErrorEntry",
    "ErrorFact",
    "ErrorFactKind",
    "ErrorStatus",
    "Evaluation",
    "EvaluationDetail",
    "EvaluationPage",
    "Event",
    "EventData",
    "EventError",
    "EventType",
    "ExamMode",
    "ExamScores",
    "ExportLine",
    "ExportLineDocumentType0",
    "ExportLineKind",
    "ExportLineMetaType0",
    "ExportLineNote",
    "ExportLineSettingsType0",
    "FieldError",
    "FileAction",
    "FileFact",
    "FileFactKind",
    "FileStatus",
    "GateOutcome",
    "GateRecord",
    "Handoff",
    "HandoffSession",
    "Health",
    "HeldBack",
    "HistoryThresholds",
    "IdentifierFact",
    "IdentifierFactKind",
    "ImportResult",
    "JobKind",
    "KeepOutput",
    "LedgerFileAction",
    "LedgerListKind",
    "LedgerPage",
    "LiveCompression",
    "LlmBreaker",
    "MaskedOutput",
    "MaskMode",
    "Message",
    "MessageFormat",
    "MessageMark",
    "MessageMarkComponent",
    "MessagesAppendCacheControl",
    "MessagesAppendFormat",
    "MessagesAppendIncludeItem",
    "MessagesAppendReturn",
    "MessageThresholds",
    "Model",
    "ModelAnswerCounts",
    "ModelCall",
    "ModelCallPage",
    "ModelCost",
    "ModelOrigin",
    "ModelPage",
    "ModelRequest",
    "ModelUsage",
    "ModifiedFile",
    "NamedFile",
    "Note",
    "OmittedRange",
    "PendingCompression",
    "Phase",
    "Pin",
    "PinInput",
    "PolicyName",
    "PreaggregateReport",
    "PreaggregateRequest",
    "PreaggregateResult",
    "Probe",
    "ProbeKind",
    "ProbeMatch",
    "ProbeMatchKind",
    "ProbePatch",
    "ProbeResult",
    "ProbeSource",
    "ProbeVerdict",
    "Problem",
    "QualityFlag",
    "QualityFlagLevel",
    "QualityMetric",
    "QuotaReport",
    "QuotaScope",
    "QuotaStatus",
    "ReadFile",
    "RecallHit",
    "RecallMode",
    "RecallResult",
    "RecallSearchMode",
    "RecallSearchSessionsMode",
    "RefetchedUsage",
    "RejectedFinding",
    "RejectReason",
    "ReplaceCurrentBranch",
    "ReplacePins",
    "ReplaceTodos",
    "ReportedUsage",
    "ResolvedPolicy",
    "RetryMeasure",
    "Role",
    "RollbackRequest",
    "Rubric",
    "Session",
    "SessionItem",
    "SessionPage",
    "SessionPins",
    "SessionProbe",
    "SessionProbePage",
    "SessionsListIncludeItem",
    "SessionsRecallHit",
    "SessionsRecallResult",
    "SessionState",
    "SessionStateCompressionState",
    "SessionStateCurrentTask",
    "SessionStateMeta",
    "Settings",
    "SettingsMetadataType0",
    "Signal",
    "SignalAction",
    "SignalKind",
    "StablePrefix",
    "StoredMessage",
    "StoredMessagePage",
    "Strategy",
    "SummariesGetCurrentStyle",
    "SummariesGetStyle",
    "Summary",
    "SummaryDiff",
    "SummaryEntryChange",
    "SummaryForm",
    "SummaryLeftOut",
    "SummarySection",
    "SummarySectionDiff",
    "SummaryVersion",
    "SummaryVersionPage",
    "SyncOutcome",
    "SyncResult",
    "SyncState",
    "Task",
    "TaskOutcomes",
    "TaskStatus",
    "TasksUsage",
    "TaskUpdate",
    "Tenant",
    "TenantPage",
    "TenantPatch",
    "TenantPins",
    "TenantQuotas",
    "TenantReplacement",
    "TenantSettings",
    "TenantStatus",
    "TenantUsage",
    "TestOutcome",
    "TestResult",
    "TestRunFact",
    "TestRunFactKind",
    "Thresholds",
    "Todo",
    "TodoChange",
    "TodoInput",
    "Todos",
    "TodoStatus",
    "TokenCount",
    "TokenCountRequest",
    "Tokenizer",
    "ToolCallRequest",
    "ToolCallResult",
    "ToolCallResultNextType0",
    "ToolDefinitions",
    "ToolDefinitionsToolsItem",
    "ToolMode",
    "ToolOutput",
    "ToolsListFormat",
    "TranscriptRequest",
    "TranscriptRequestMetadataType0",
    "TranscriptSyncCacheControl",
    "TranscriptSyncFormat",
    "TranscriptSyncIncludeItem",
    "TriggerDecision",
    "TruncateSession",
    "UnpublishedEntry",
    "UsageDay",
    "UsageFigures",
    "UsageReport",
    "UsageReportBasis",
    "UsageReportResult",
    "UsageReportVerdict",
    "UserRequest",
    "UserRequestState",
    "Verifiability",
    "Warning_",
    "WarningCode",
    "Webhook",
    "WebhookDelivery",
    "WebhookDeliveryDetail",
    "WebhookDeliveryFailure",
    "WebhookDeliveryPage",
    "WebhookDeliveryStatus",
    "WebhookDisabledReason",
    "WebhookEventType",
    "WebhookPage",
    "WebhookPatch",
    "WebhookSecretRotation",
    "WebhooksListDeliveriesStatus",
    "WebhookWithSecret",
)
