from enum import StrEnum

class SummarySection(StrEnum):
    BLOCKERS = "blockers"
    CONSTRAINTS = "constraints"
    CURRENT_STATE = "current_state"
    DECISIONS_MADE = "decisions_made"
    ERRORS = "errors"
    FILES_MODIFIED = "files_modified"
    FILES_READ = "files_read"
    FINDINGS = "findings"
    NEXT_STEPS = "next_steps"
    NOTES = "notes"
    OPEN_QUESTIONS = "open_questions"
    REQUESTS = "requests"
    SESSION_INTENT = "session_intent"
    TEST_RESULTS = "test_results"
    THINGS = "things"

    def __str__(self) -> str:
        return str(self.value)
