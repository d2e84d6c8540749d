//! The `pixelmap` command.

fn main() {}
