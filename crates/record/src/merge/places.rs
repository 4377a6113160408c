//! Entries of a list by their places in it.

/// Removes the entries at these indexes, which are ascending.
pub(super) fn remove<T>(entries: &mut Vec<T>, gone: &[usize]) {
    let (mut at, mut gone) = (0, gone.iter().peekable());
    if gone.peek().is_none() {
        return;
    }
    entries.retain(|_| {
        at += 1;
        gone.next_if_eq(&&(at - 1)).is_none()
    });
}
