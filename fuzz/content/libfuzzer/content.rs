//! The targets under libFuzzer: an input's first byte names the target, the rest is for it.

#![no_main]

#[path = "../targets.rs"]
mod targets;

// Patterns and vocabularies are loaded first: under a sanitizer that takes seconds, and would be reported
// as one slow input.
libfuzzer_sys::fuzz_target!(init: anchord_record::candidate::warm_up(), |data: &[u8]| {
    if let Some((first, rest)) = data.split_first() {
        let (_, target) = targets::ALL[usize::from(*first) % targets::ALL.len()];
        target(rest);
    }
});
