//! The kinds of constants that modules have.

/// A kind of constant: the end of its name, what it means, its unit and its range.
pub(super) struct SettingKind {
    pub(super) suffix: &'static str,
    pub(super) phrase: &'static str,
    pub(super) unit: &'static str,
    pub(super) low: usize,
    pub(super) high: usize,
    pub(super) step: usize,
}

#[rustfmt::skip]
pub(super) const SETTINGS: &[SettingKind] = &[
    SettingKind { suffix: "GRACE_DAYS", phrase: "the grace period of a {noun}", unit: "days", low: 3, high: 40, step: 1 },
    SettingKind { suffix: "RETRY_LIMIT", phrase: "the number of tries for a {noun}", unit: "times", low: 2, high: 12, step: 1 },
    SettingKind { suffix: "BATCH_SIZE", phrase: "the batch size of the {noun} job", unit: "rows", low: 2, high: 60, step: 50 },
    SettingKind { suffix: "TIMEOUT_SECONDS", phrase: "the time limit for calls to the {noun} service", unit: "seconds", low: 2, high: 45, step: 1 },
    SettingKind { suffix: "CACHE_MINUTES", phrase: "the cache time of a {noun}", unit: "minutes", low: 1, high: 36, step: 5 },
    SettingKind { suffix: "MAX_OPEN", phrase: "the most open {noun} entries of one customer", unit: "", low: 3, high: 30, step: 1 },
    SettingKind { suffix: "REMINDER_HOURS", phrase: "the lead time of the {noun} reminder", unit: "hours", low: 2, high: 72, step: 1 },
    SettingKind { suffix: "FEE_CENTS", phrase: "the handling fee of a {noun}", unit: "cents", low: 5, high: 99, step: 25 },
    SettingKind { suffix: "DISCOUNT_PERCENT", phrase: "the discount on an early {noun}", unit: "percent", low: 2, high: 25, step: 1 },
    SettingKind { suffix: "PAGE_ROWS", phrase: "the page length of the {noun} list", unit: "rows", low: 2, high: 40, step: 5 },
    SettingKind { suffix: "LOCK_SECONDS", phrase: "the lock time of a {noun}", unit: "seconds", low: 3, high: 60, step: 5 },
    SettingKind { suffix: "WINDOW_DAYS", phrase: "the window for correcting a {noun}", unit: "days", low: 2, high: 60, step: 1 },
    SettingKind { suffix: "ALERT_PERCENT", phrase: "the share of failures that rings the {noun} alarm", unit: "percent", low: 2, high: 35, step: 1 },
    SettingKind { suffix: "KEEP_MONTHS", phrase: "the retention of a closed {noun}", unit: "months", low: 3, high: 84, step: 1 },
    SettingKind { suffix: "POLL_SECONDS", phrase: "the pause between two questions for a new {noun}", unit: "seconds", low: 2, high: 60, step: 5 },
    SettingKind { suffix: "MINIMUM_CENTS", phrase: "the smallest amount of a {noun}", unit: "cents", low: 2, high: 80, step: 50 },
    SettingKind { suffix: "CUTOFF_HOUR", phrase: "the cut-off hour for a same-day {noun}", unit: "o'clock", low: 9, high: 22, step: 1 },
    SettingKind { suffix: "PARALLEL_JOBS", phrase: "the number of {noun} jobs at a time", unit: "jobs", low: 2, high: 24, step: 1 },
    SettingKind { suffix: "UPLOAD_MB", phrase: "the size limit of a file with a {noun}", unit: "MB", low: 2, high: 64, step: 1 },
    SettingKind { suffix: "QUOTA_PER_DAY", phrase: "the daily quota of {noun} calls for a partner", unit: "calls", low: 2, high: 90, step: 100 },
    SettingKind { suffix: "WARN_AFTER_MINUTES", phrase: "the delay before a stuck {noun} is reported", unit: "minutes", low: 5, high: 90, step: 1 },
    SettingKind { suffix: "STALE_HOURS", phrase: "the age at which a {noun} counts as stale", unit: "hours", low: 2, high: 96, step: 1 },
    SettingKind { suffix: "SAMPLE_PERMILLE", phrase: "the recorded part of the {noun} traffic", unit: "per mille", low: 1, high: 60, step: 1 },
    SettingKind { suffix: "NOTE_CHARS", phrase: "the length of the note on a {noun}", unit: "characters", low: 4, high: 50, step: 20 },
];
