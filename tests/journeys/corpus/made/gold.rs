//! What is known of the session: files, test runs and errors.

use super::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl World {
    /// What the messages did to files, and every test run and error in them.
    pub(super) fn gold(&self) -> Value {
        let mut lists: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut written = self.shell.written.clone();
        let mut first = serde_json::Map::new();
        let mut last = serde_json::Map::new();
        for t in &self.tracks {
            let fate = match (t.before, t.now, t.changed) {
                (false, true, _) => "created",
                (true, true, true) => "modified",
                (true, true, false) => "read_only",
                (true, false, _) => "deleted",
                (false, false, _) => {
                    written.push(t.path.clone());
                    continue;
                }
            };
            let path = self.spelled(&t.path);
            first.insert(path.clone(), json!(t.first));
            last.insert(path.clone(), json!(t.last));
            lists.entry(fate).or_default().push(path);
        }
        let spell = |paths: &[String]| paths.iter().map(|p| self.spelled(p)).collect::<Vec<_>>();
        let named = |name: &str| lists.get(name).cloned().unwrap_or_default();
        json!({
            "kind": "coding", "cwd": self.root,
            "files": {
                "created": named("created"), "modified": named("modified"), "deleted": named("deleted"),
                "written_create_or_overwrite": [], "read_only": named("read_only"),
            },
            "files_first_msg": first, "files_last_msg": last,
            "shell_files": {"written": spell(&written),
                "removed": spell(&self.shell.removed), "read": spell(&self.shell.read), "edited_in_place": spell(&self.shell.edited)},
            "renamed": self.renamed, "tests": self.tests, "errors": self.errors,
        })
    }

    /// A path as the calls spell it.
    fn spelled(&self, path: &str) -> String {
        let absolute = self.tracks.iter().any(|t| t.path == path && t.absolute);
        if absolute && !path.starts_with('/') { self.full(path) } else { path.to_owned() }
    }
}
