//! Sessions that are never compressed, in contexts that are much smaller than they: how much of the newest outputs is
//! served whole, and how much of a prompt the next one begins with.

use anchord_economy::known::Share;
use anchord_economy::piece::count;
use anchord_economy::sessions::Session;
use anchord_economy::ways::Play;
use anchord_session::settings::Settings;

use crate::say;

/// Plays the sessions within each budget, and prints a table.
pub fn crowded(group: &str, sessions: &[Session], budgets: &[u32]) {
    say(&format!("\n{group}, never compressed: {} sessions\n", sessions.len()));
    say(
        "| budget | prompts that are crowded | prefix kept | breaks | cached | sent, million | last 3, 10 outputs whole | first request, newest request | needs |",
    );
    say("|---|---|---|---|---|---|---|---|---|");
    for budget in budgets {
        let mut sums = Sums::default();
        for session in sessions {
            sums.play(session, *budget);
        }
        sums.print(*budget);
    }
}

/// Sums over the prompts that do not hold the whole session.
#[derive(Default)]
struct Sums {
    prompts: usize,
    tokens: f64,
    cached: f64,
    breaks: usize,
    /// Bytes of the prompts before, and those of them that the next one begins with.
    before: usize,
    shared: usize,
    last_three: Share,
    last_ten: Share,
    needs: Share,
    first_request: Share,
    newest_request: Share,
    refused: usize,
}

impl Sums {
    fn play(&mut self, session: &Session, budget: u32) {
        let settings = Settings { auto: Some(false), ..Settings::default() };
        let mut play = Play::new(session, f64::from(budget));
        let entries = &session.transcript.entries;
        let asks = |at: &usize| {
            let newest = anchord_messages::group::newest_user(entries.get(*at..=*at)?);
            newest.map(|_| *at)
        };
        let first = (0..entries.len()).find_map(|at| asks(&at));
        play.serve((settings, None), Some(budget), |play, at, prompt| {
            let whole: u32 = entries.iter().take(at + 1).map(|entry| entry.tokens).sum();
            let (sent, known) = (play.sent.tally, play.look.known);
            let (before, shared) = play.sent.shared_with(prompt);
            play.ask(at, prompt);
            if whole <= budget {
                return;
            }
            let now = (play.sent.tally, play.look.known);
            self.prompts += 1;
            self.tokens += now.0.tokens - sent.tokens;
            self.cached += now.0.cached - sent.cached;
            self.breaks += now.0.breaks - sent.breaks;
            self.before += before;
            self.shared += shared;
            self.last_three.add(now.1.last_three.since(known.last_three));
            self.last_ten.add(now.1.last_ten.since(known.last_ten));
            self.needs.add(now.1.needs.since(known.needs));
            let stands = |at: usize| {
                let text = session.pieces.get(at).map_or("", |piece| &*piece.text);
                let start = text.get(..text.floor_char_boundary(SOUGHT)).unwrap_or_default();
                prompt.iter().any(|piece| piece.text.contains(start))
            };
            if let Some(first) = first.filter(|first| *first <= at) {
                self.first_request.count(stands(first));
            }
            if let Some(newest) = (0..=at).rev().find_map(|at| asks(&at)) {
                self.newest_request.count(stands(newest));
            }
        });
        self.refused += play.sent.tally.refused;
    }

    fn print(&self, budget: u32) {
        let share = |share: Share| count(share.found) / count(share.of).max(1.0);
        say(&format!(
            "| {budget} | {} | {:.2} | {} | {:.0} % | {:.2} | {:.2} {:.2} | {:.2} {:.2} | {:.2} |",
            self.prompts,
            count(self.shared) / count(self.before).max(1.0),
            self.breaks,
            self.cached / self.tokens.max(1.0) * 100.0,
            self.tokens / 1e6,
            share(self.last_three),
            share(self.last_ten),
            share(self.first_request),
            share(self.newest_request),
            share(self.needs),
        ));
        if self.refused > 0 {
            say(&format!("\n{} calls had no prompt that fits.", self.refused));
        }
    }
}

/// So many bytes of a request are looked for: a long one is served clipped.
const SOUGHT: usize = 120;
