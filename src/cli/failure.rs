//! Words a failure for a person: what went wrong, and why, each said once.

/// Joins an error and its causes, without the causes whose words the error in front of them has already.
pub(super) fn tell(error: &anyhow::Error) -> String {
    let mut told = String::new();
    let mut before = String::new();
    for cause in error.chain() {
        let words = cause.to_string();
        // Libraries disagree whether an error's own words hold its cause's.
        if before.ends_with(&words) {
            continue;
        }
        if !told.is_empty() {
            told.push_str(": ");
        }
        told.push_str(&words);
        before = words;
    }
    told
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn a_cause_that_was_said_is_not_said_again() {
        let refused = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "connection refused");
        let error =
            Err::<(), _>(sqlx::Error::Io(refused)).context("the database cannot be migrated").unwrap_err();
        assert_eq!(error.chain().count(), 3, "the case is one where a library says it twice");
        let told = tell(&error);
        assert_eq!(told.matches("connection refused").count(), 1, "{told}");
        assert!(told.starts_with("the database cannot be migrated: "), "{told}");
    }

    #[test]
    fn causes_that_say_something_new_are_all_said() {
        let error = anyhow::anyhow!("no such file")
            .context("the folder cannot be read")
            .context("nothing was started");
        assert_eq!(tell(&error), "nothing was started: the folder cannot be read: no such file");
    }
}
