#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pixelmap_fuzz::promises::xaero_stream(bytes));
