//! Branches, as tests make them where it does not matter how callers do.

use anchord_messages::id::{BranchName, Seq, SessionId, SessionName, SessionRef, TenantId};
use anchord_store::Store;
use anchord_store::branches::{Fork, ForkOutcome};

/// A session's branch.
pub fn branch_of(session: &str, branch: &str) -> SessionRef {
    SessionRef {
        name: SessionName::parse(session).expect("a session's name"),
        branch: Some(BranchName::parse(branch).expect("a branch's name")),
    }
}

/// Forks a branch that has a name from another one.
pub async fn fork(store: &Store, tenant: TenantId, of: &SessionRef, branch: &str, seq: Seq) -> SessionId {
    let name = Some(BranchName::parse(branch).expect("a branch's name"));
    let asked = Fork { name, seq: Some(seq), ..Fork::default() };
    let outcome = store.fork(tenant, of, asked).await.expect("a fork");
    let ForkOutcome::Forked(forked) = outcome else { panic!("{branch}: {outcome:?}") };
    forked.id
}

/// Makes a branch the current one.
pub async fn switch(store: &Store, tenant: TenantId, session: &str, to: &str) {
    let SessionRef { name, branch } = branch_of(session, to);
    let found = store.switch_branch(tenant, &name, &branch.expect("a branch")).await.expect("a switch");
    assert!(found.is_some_and(|branch| branch.is_current), "{session} has no branch {to}");
}
