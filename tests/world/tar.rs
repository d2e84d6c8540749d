//! Builds tars as the usual programs write them: GNU tar, and Python and Go with PAX records.

use std::collections::BTreeMap;
use std::io::Write as _;

/// The way in which names are stored that are longer than a header's field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TarForm {
    Gnu,
    Pax,
}

/// The program that compresses a tar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packer {
    None,
    Gzip,
    Zstd,
}

/// A tar that grows entry by entry.
#[derive(Debug)]
pub struct TarBuilder {
    form: TarForm,
    bytes: Vec<u8>,
}

impl TarBuilder {
    /// Begins a tar.
    pub fn new(form: TarForm) -> Self {
        Self {
            form,
            bytes: Vec::new(),
        }
    }

    /// A tar of these files, in the order of their names.
    pub fn of(form: TarForm, files: &BTreeMap<String, Vec<u8>>) -> Self {
        let mut tar = Self::new(form);
        for (name, bytes) in files {
            tar.file(name, bytes);
        }
        tar
    }

    /// Adds a file.
    pub fn file(&mut self, name: &str, bytes: &[u8]) {
        self.entry(name, b'0', "", bytes);
    }

    /// Adds a folder without its contents.
    pub fn folder(&mut self, name: &str) {
        self.entry(name, b'5', "", b"");
    }

    /// Adds a symbolic link.
    pub fn symlink(&mut self, name: &str, target: &str) {
        self.entry(name, b'2', target, b"");
    }

    /// Adds a second name of a file.
    pub fn hard_link(&mut self, name: &str, target: &str) {
        self.entry(name, b'1', target, b"");
    }

    /// Adds a file whose holes are left out.
    pub fn sparse_file(&mut self, name: &str, bytes: &[u8]) {
        self.entry(name, b'S', "", bytes);
    }

    /// The whole tar.
    pub fn finish(mut self, packer: Packer) -> Vec<u8> {
        self.bytes.resize(self.bytes.len() + 1024, 0);
        match packer {
            Packer::None => self.bytes,
            Packer::Gzip => {
                let level = flate2::Compression::fast();
                let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
                gzip.write_all(&self.bytes).unwrap();
                gzip.finish().unwrap()
            }
            Packer::Zstd => zstd::encode_all(&*self.bytes, 1).unwrap(),
        }
    }

    fn entry(&mut self, name: &str, kind: u8, target: &str, bytes: &[u8]) {
        if name.len() > 100 {
            match self.form {
                TarForm::Gnu => {
                    let stored = [name.as_bytes(), b"\0"].concat();
                    self.header("././@LongLink", b'L', "", stored.len());
                    self.contents(&stored);
                }
                TarForm::Pax => {
                    let record = pax_record("path", name);
                    self.header("PaxHeaders/0", b'x', "", record.len());
                    self.contents(record.as_bytes());
                }
            }
        }

        let short: String = name.chars().take(100).collect();
        self.header(&short, kind, target, bytes.len());
        self.contents(bytes);
    }

    fn header(&mut self, name: &str, kind: u8, target: &str, len: usize) {
        let mut block = [0; 512];
        let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
        put(0, name.as_bytes());
        put(100, b"0000644\0");
        put(124, format!("{len:011o}\0").as_bytes());
        put(136, b"14000000000\0");
        put(148, b"        ");
        put(156, &[kind]);
        put(157, target.as_bytes());
        put(
            257,
            match self.form {
                TarForm::Gnu => b"ustar  \0",
                TarForm::Pax => b"ustar\x0000",
            },
        );

        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.bytes.extend(block);
    }

    fn contents(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(512), 0);
    }
}

/// The header of a file of any length, without its contents.
pub fn header_of(name: &str, len: usize) -> Vec<u8> {
    let mut tar = TarBuilder::new(TarForm::Gnu);
    tar.header(name, b'0', "", len);
    tar.bytes
}

/// A PAX record, which begins with its own length.
fn pax_record(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let digits = (1..10)
        .find(|digits| (rest.len() + digits).to_string().len() == *digits)
        .unwrap();
    format!("{}{rest}", rest.len() + digits)
}
