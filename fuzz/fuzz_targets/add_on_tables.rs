#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pixelmap_fuzz::promises::add_on_tables(bytes));
