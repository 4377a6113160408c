//! How much prompts knew.

use crate::piece::count;

/// Some of how many.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    /// How many were found.
    pub found: usize,
    /// All.
    pub of: usize,
}

impl Share {
    /// Counts one more.
    pub fn count(&mut self, is_found: bool) {
        self.of += 1;
        self.found += usize::from(is_found);
    }

    /// Takes another one in.
    pub fn add(&mut self, other: Self) {
        self.found += other.found;
        self.of += other.of;
    }

    /// The share that was found; `None` of nothing.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| count(self.found) / count(self.of))
    }

    /// What came to an earlier one.
    pub fn since(self, earlier: Self) -> Self {
        Self { found: self.found - earlier.found, of: self.of - earlier.of }
    }
}

/// How much prompts knew, of what they might have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// The outputs that follow the last call, whole.
    pub newest: Share,
    /// The last three outputs, whole.
    pub last_three: Share,
    /// The last ten outputs, whole.
    pub last_ten: Share,
    /// Old names that the agent's next message uses.
    pub needs: Share,
    /// Old texts that its next edit replaces.
    pub edits: Share,
    /// Conclusions of tasks that have ended.
    pub conclusions: Share,
    /// Wishes of a person.
    pub wishes: Share,
}

impl Known {
    /// Takes another one in.
    pub fn add(&mut self, other: &Self) {
        self.newest.add(other.newest);
        self.last_three.add(other.last_three);
        self.last_ten.add(other.last_ten);
        self.needs.add(other.needs);
        self.edits.add(other.edits);
        self.conclusions.add(other.conclusions);
        self.wishes.add(other.wishes);
    }
}
