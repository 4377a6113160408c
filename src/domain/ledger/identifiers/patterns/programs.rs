//! Rules for commands and for what programs print about themselves.

use super::super::look::{BRANCH_LINE, DIGIT, Needs, OPENING, POINT, POINTS, SLASHES, UPPER, V_DIGIT};
use super::values::{group, hit, url, version};
use super::{Rule, needs};

pub(super) const OUTPUT: &[Rule] = &[
    // `[main 45ffe0a] Subject` is git's own word for a new commit.
    (r"^\[([^\s\]]+)(?: \([\w\- ]+\))? ([0-9a-f]{7,40})\] (.+)$", |c| {
        hit("commit", &format!("{} {}", group(c, 2), group(c, 3)), 8)
    }),
    (r"^\s+[0-9a-f]{7,40}\.\.\.?[0-9a-f]{7,40}\s+\S+ -> (\S+)$", |c| hit("pushed_branch", &group(c, 1), 4)),
    (r"^(?:On branch|Switched to (?:a new )?branch|branch) '?([\w./\-]+)'?", |c| {
        hit("branch", &group(c, 1), 4)
    }),
    (r"^\* \[new branch\]\s+(\S+) ->", |c| hit("branch", &group(c, 1), 4)),
    (
        r"^(?:remote:\s+)?(https://(?:github|gitlab|bitbucket)\S*/(?:pull|merge_requests|issues|pull-requests)/\d+)\S*$",
        |c| hit("url", &group(c, 1), 5),
    ),
    (
        r"(?i)(?:listening|running|server|serving|started|available|local:).{0,60}?\b(https?://[\w.\-]+:\d{2,5}\S*)",
        |c| hit("url", &group(c, 1), 4),
    ),
    (r"(?i)\blistening\b.{0,40}?\bport:? (\d{2,5})\b", |c| hit("port", &group(c, 1), 4)),
    (
        r"^(Python|Node\.?js|node|npm|go|rustc|cargo|ruby|java|openjdk|docker|psql|gcc|clang|php|PHP|dotnet|swift|kotlin|git)(?: version)?:? (?:\(\w+\) )?\x22?v?(?:go)?(\d+\.\d+(?:\.\d+)*)",
        version,
    ),
    (r"^v(\d+\.\d+\.\d+)$", |c| hit("version", &group(c, 1), 2)),
    (
        r"^(?:Successfully installed|Installed|Installing|Added|\+) ([\w.\-@/]{2,60})[-@= ]v?(\d+\.\d+(?:\.\d+)?)",
        version,
    ),
    (r"^(?:Created|created|Deployed|Published)[\w ]{0,30}?:? ([\w\-]*\d[\w\-]{3,60})$", |c| {
        hit("created_id", &group(c, 1), 3)
    }),
];

/// What a line must have for the rule at the same place to match.
pub(super) const OUTPUT_NEEDS: &[Needs] = &[
    needs(OPENING, &["] "]),
    needs(POINTS, &[" -> "]),
    needs(BRANCH_LINE, &["branch"]),
    needs(OPENING, &["[new branch]"]),
    needs(DIGIT, &["https://"]),
    needs(DIGIT, &["://"]),
    needs(DIGIT, &["listening"]),
    needs(DIGIT | POINT, &[]),
    needs(DIGIT | POINT | V_DIGIT, &[]),
    needs(DIGIT | POINT, &["install", "added", "+"]),
    needs(DIGIT, &["created", "deployed", "published"]),
];

pub(super) const COMMAND: &[Rule] = &[
    (r#"https?://[^\s<>"'`\\|)$]+"#, url),
    (
        r"\bgit (?:checkout -[bB]|switch -[cC]|branch|worktree add -b|push(?: -u)?(?: --set-upstream)? \w+) ([\w][\w./\-]*)",
        |c| hit("branch", &group(c, 1), 3),
    ),
    (r"(?:--port[= ]|-p )(\d{2,5})(?::\d{2,5})?\b", |c| hit("port", &group(c, 1), 2)),
    (r"\bexport ([A-Z][A-Z0-9_]{2,60})=", |c| hit("env", &group(c, 1), 2)),
    (r"\bgh (?:pr|issue) (?:view|checkout|edit|merge|diff|comment|close|review) (\d{1,7})\b", |c| {
        hit("pull_request_or_issue", &format!("#{}", group(c, 1)), 3)
    }),
    (r"\bgh run (?:view|watch|rerun) (\d{6,})\b", |c| hit("ci_run_id", &group(c, 1), 3)),
];

/// What a line must have for the rule at the same place to match.
pub(super) const COMMAND_NEEDS: &[Needs] = &[
    needs(SLASHES, &["://"]),
    needs(0, &["git "]),
    needs(DIGIT, &["port", "-p "]),
    needs(UPPER, &["export "]),
    needs(DIGIT, &["gh "]),
    needs(DIGIT, &["gh run "]),
];
