//! Looks back on the versions of a session, as the service does when the next one is made.

use std::collections::BTreeMap;

use anchord_messages::id::Seq;
use anchord_messages::message::Message;
use anchord_record::hindsight::{look_back, wanted};

use crate::replay::{Replay, Transcript};

/// How many messages are looked at for one name.
const HOLDERS: usize = 2;

/// A version that is served now.
struct Served {
    version: i64,
    anchor: Seq,
    head: Seq,
    told: String,
}

/// What looking back came to so far.
#[derive(Default)]
pub struct Looks {
    now: Option<Served>,
    /// Names that were asked for and found, of versions that were evaluated.
    pub asked: u32,
    /// Those that were found.
    pub found: u32,
}

impl Looks {
    /// Notes where a replay is; a version that another one has followed is looked back on.
    pub fn look(&mut self, replay: &Replay<'_>) {
        let Some(served) = &replay.served else { return };
        if self.now.as_ref().is_some_and(|now| now.version == served.version) {
            return;
        }
        let told = format!("{}\n{}", served.full.0, served.digest.text);
        let next = Served { version: served.version, anchor: replay.anchor, head: replay.head, told };
        if let Some(before) = self.now.replace(next) {
            let system = replay.counts.system_through;
            self.evaluate(&before, replay.transcript, (system, replay.head));
        }
    }

    fn evaluate(&mut self, before: &Served, transcript: &Transcript, (system, head): (Seq, Seq)) {
        let messages = |from: Seq, through: Seq| -> Vec<Message> {
            let within = transcript.numbered.iter().filter(|m| m.seq > from && m.seq <= through);
            within.map(|m| m.message.clone()).collect()
        };
        let mut word_for_word = messages(0, system);
        word_for_word.extend(messages(before.anchor.max(system), before.head));
        let wanted = wanted(&messages(before.head, head), &word_for_word);
        let covered: Vec<(Seq, String)> = transcript
            .entries
            .iter()
            .filter(|entry| entry.seq <= before.anchor)
            .map(|entry| (entry.seq, entry.raw.to_lowercase()))
            .collect();
        let mut holders: BTreeMap<String, Vec<Seq>> = BTreeMap::new();
        for name in &wanted {
            let holding = covered.iter().rev().filter(|(_, raw)| raw.contains(name.as_str()));
            holders.insert(name.clone(), holding.map(|(seq, _)| *seq).take(HOLDERS).collect());
        }
        let sought = holders.values().flatten();
        let originals = sought
            .filter_map(|seq| transcript.numbered.iter().find(|m| m.seq == *seq))
            .map(|m| (m.seq, m.message.clone()))
            .collect();
        let hindsight = look_back(&wanted, &holders, &originals, &before.told);
        if hindsight.score.is_some() {
            self.asked += hindsight.asked;
            self.found += hindsight.found;
        }
    }
}
