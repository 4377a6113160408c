//! Holding the erasing of a session before its commit, with all the locks that it has by then.

use sqlx::PgConnection;

use super::plans::run;
use super::{number, until};

/// Has whoever erases a session wait before the commit, until the connection of `holder` ends or gives up its advisory lock 77.
pub async fn hold_erasing(holder: &mut PgConnection, session: &str) {
    let hold = format!(
        "create function hold() returns trigger language plpgsql as $$
         begin
           perform set_config('lock_timeout', '0', true);
           perform pg_advisory_xact_lock(77);
           return null;
         end $$;
         create constraint trigger hold after update on sessions deferrable initially deferred for each row
           when (old.name = '{session}' and new.erased_at is not null) execute function hold();
         select pg_advisory_lock(77)"
    );
    run(holder, &hold).await.expect("a trigger");
}

/// Waits until so many others wait for a lock.
pub async fn until_waiting(look: &mut PgConnection, most: i64) {
    until("a wait for a lock", async || {
        let waiting = "select count(*) from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'";
        (number(look, waiting).await == most).then_some(())
    })
    .await;
}
