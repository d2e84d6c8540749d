//! Speaks RCON, the protocol by which a game server takes commands from other programs.
//!
//! A packet is its length, an id, a kind and a text that ends with two zero bytes; numbers have
//! four bytes, the least first. Servers take a command only after the password, and cut long
//! answers into pieces. The game's server expects one packet at a time, so a command is only sent
//! when the last one was answered.
//!
//! Source: the page "RCON" of the Minecraft Wiki.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// How long to wait for a connection, and for each piece of an answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// The length of a piece of a long answer. A shorter piece is the last one.
const PIECE: usize = 4096;
/// The longest piece, and the longest answer.
const MAX_PIECE: usize = 1 << 16;
const MAX_ANSWER: usize = 1 << 20;
/// The bytes of a packet behind its length, other than its text.
const AROUND: usize = 10;

const PASSWORD: i32 = 3;
const COMMAND: i32 = 2;
/// The kind of the answer to a password.
const PASSWORD_ANSWER: i32 = 2;
/// The id of the answer to a wrong password.
const REFUSED: i32 = -1;

/// A connection to a game server that has taken the password.
#[derive(Debug)]
pub(super) struct Rcon {
    stream: TcpStream,
    last: i32,
}

impl Rcon {
    /// Connects to `address`, a host and a port.
    ///
    /// # Errors
    /// The server cannot be reached, or it refuses the password (`PermissionDenied`).
    pub(super) fn connect(address: &str, password: &str) -> io::Result<Self> {
        let mut result = Err(io::Error::new(
            io::ErrorKind::NotFound,
            "the host has no address",
        ));

        for address in address.to_socket_addrs()? {
            result = TcpStream::connect_timeout(&address, PATIENCE);
            if result.is_ok() {
                break;
            }
        }

        let stream = result?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;

        let mut rcon = Self { stream, last: 0 };
        let id = rcon.send(PASSWORD, password)?;
        loop {
            match rcon.receive()? {
                (REFUSED, PASSWORD_ANSWER, _) => return Err(io::ErrorKind::PermissionDenied.into()),
                (answered, PASSWORD_ANSWER, _) if answered == id => return Ok(rcon),
                // Some servers send an empty answer first.
                _ => {}
            }
        }
    }

    /// Runs a command and returns its answer.
    ///
    /// # Errors
    /// The connection is unusable from now on.
    pub(super) fn run(&mut self, command: &str) -> io::Result<String> {
        let id = self.send(COMMAND, command)?;
        let mut answer = Vec::new();
        loop {
            let (answered, _, piece) = match self.receive() {
                // The answer ended with a whole piece.
                Err(error) if is_timeout(&error) && !answer.is_empty() => break,
                received => received?,
            };

            if answered != id {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "an answer to another command",
                ));
            }

            answer.extend_from_slice(&piece);

            if piece.len() < PIECE || answer.len() > MAX_ANSWER {
                break;
            }
        }

        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    fn send(&mut self, kind: i32, text: &str) -> io::Result<i32> {
        self.last = self.last % 1_000_000 + 1;

        let length = i32::try_from(text.len() + AROUND).map_err(io::Error::other)?;
        let mut packet = Vec::with_capacity(text.len() + AROUND + 4);
        for number in [length, self.last, kind] {
            packet.extend(number.to_le_bytes());
        }

        packet.extend_from_slice(text.as_bytes());
        packet.extend([0, 0]);
        self.stream.write_all(&packet)?;

        Ok(self.last)
    }

    /// Receives the id, the kind and the text of a packet.
    fn receive(&mut self) -> io::Result<(i32, i32, Vec<u8>)> {
        let mut number = || -> io::Result<i32> {
            let mut bytes = [0; 4];
            self.stream.read_exact(&mut bytes)?;
            Ok(i32::from_le_bytes(bytes))
        };

        let (length, id, kind) = (number()?, number()?, number()?);
        let text = usize::try_from(length)
            .ok()
            .and_then(|length| length.checked_sub(AROUND));

        let Some(text) = text.filter(|&text| text <= MAX_PIECE) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "no server that speaks RCON",
            ));
        };

        let mut bytes = vec![0; text + 2];
        self.stream.read_exact(&mut bytes)?;
        bytes.truncate(text);

        Ok((id, kind, bytes))
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}
