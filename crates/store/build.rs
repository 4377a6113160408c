//! Tells cargo that the schema is built into the program.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
