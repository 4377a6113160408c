//! The `anchord` program.

fn main() {}
