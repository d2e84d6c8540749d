//! Chunks in files of their own, which are absent, empty or broken.

use std::path::Path;

use Expect::{Bad, Drawn};

use super::{Case, Expect, case, good};
use crate::world::Record;
use crate::world::payload::{gzip, zlib};
use crate::world::region::{CUSTOM, EXTERNAL, NONE, ZLIB};

/// Things that can take the place of a chunk's `.mcc` file.
#[cfg(unix)]
pub(crate) fn files_of_their_own() -> Vec<Case> {
    use std::fs::{File, create_dir};
    use std::io::Write as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    const NAME: &str = "c.10.12.mcc";
    let own = |name: &str, expect: Expect, beside: fn(&Path)| {
        let record = Record::external(ZLIB, None);
        Case {
            name: name.to_owned(),
            expect,
            record,
            beside,
        }
    };
    let missing = Bad("missing_mcc");
    let mut cases = vec![
        own("no file", missing, |_| {}),
        own("a folder", missing, |region| {
            create_dir(region.join(NAME)).unwrap();
        }),
        own("a pipe", missing, |region| {
            crate::worlds::broken::no_files::pipe(&region.join(NAME));
        }),
        own("a socket", missing, |region| {
            drop(UnixListener::bind(region.join(NAME)).unwrap());
        }),
        own("a link to a device without end", missing, |region| {
            symlink("/dev/zero", region.join(NAME)).unwrap();
        }),
        own("a link to an empty device", missing, |region| {
            symlink("/dev/null", region.join(NAME)).unwrap();
        }),
        own("a link to nothing", missing, |region| {
            symlink("nowhere", region.join(NAME)).unwrap();
        }),
        own("a link to itself", Bad("unreadable"), |region| {
            symlink(NAME, region.join(NAME)).unwrap();
        }),
        own("a file of 0 bytes", Bad("inflate"), |region| {
            drop(File::create(region.join(NAME)).unwrap());
        }),
        own(
            "a file of 40 GB without anything in it",
            Bad("too_large"),
            |region| {
                File::create(region.join(NAME))
                    .unwrap()
                    .set_len(40_000_000_000)
                    .unwrap();
            },
        ),
        own("a link to the region file", Bad("inflate"), |region| {
            symlink("r.0.0.mca", region.join(NAME)).unwrap();
        }),
    ];
    let stored = |compression, file| Record::external(compression, Some(file));
    cases.push(case(
        "a file of its own",
        Drawn,
        stored(ZLIB, zlib(&good())),
    ));
    cases.push(case(
        "a file of its own that is gzip",
        Bad("inflate"),
        stored(ZLIB, gzip(&good())),
    ));
    cases.push(case(
        "a plain file of its own that is zlib",
        Bad("nbt"),
        stored(NONE, zlib(&good())),
    ));
    cases.push(case(
        "a file of its own of compression 9",
        Bad("compression"),
        stored(9, vec![1]),
    ));
    cases.push(case(
        "a custom file of its own",
        Bad("compression"),
        stored(CUSTOM, b"\0\x02\x1b[".to_vec()),
    ));
    cases.push(case(
        "a file of its own and a payload",
        Drawn,
        Record::new(EXTERNAL | ZLIB, vec![0xff; 5000]),
    ));
    if let Some(last) = cases.last_mut() {
        last.beside = |region| {
            File::create(region.join(NAME))
                .unwrap()
                .write_all(&zlib(&good()))
                .unwrap();
        };
    }
    cases
}
