//! Speaks RCON, the protocol by which a game server takes commands from other programs.
//!
//! A packet is its length, an id, a kind and a text that ends with two zero bytes; numbers have
//! four bytes, the least first. Servers take a command only after the password, and cut long
//! answers into pieces. The game's server expects one packet at a time, so a command is only sent
//! when the last one was answered.
//!
//! An exchange is a command with its whole answer, and it has one deadline. A server that sends
//! its answer byte by byte, or without end, would otherwise hold the connection for ever. The
//! functions are asynchronous so that the caller can drop an exchange when the program ends.
//!
//! Source: the page "RCON" of the Minecraft Wiki.

use std::io;
use std::time::Duration;

use thiserror::Error;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

/// How long an exchange may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long to wait for a piece that may follow a whole one.
const QUIET: Duration = Duration::from_millis(500);
/// The length of a piece of a long answer. A shorter piece is the last one.
const PIECE: usize = 4096;
/// The longest piece, and the longest answer.
const MAX_PIECE: usize = 1 << 16;
const MAX_ANSWER: usize = 1 << 20;
/// The most packets that a server may send before its answer to the password. Some send an empty
/// one.
const MAX_BEFORE: usize = 8;
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

/// Why a game server cannot be asked.
#[derive(Debug, Error)]
pub(super) enum RconError {
    /// The file with the password cannot be read.
    #[error("the password cannot be read: {0}")]
    NoPassword(io::Error),
    /// No connection is possible.
    #[error("nobody answers there: {0}")]
    Unreachable(io::Error),
    #[error("the password is wrong")]
    WrongPassword,
    /// The exchange took longer than its deadline.
    #[error("no answer came within {} seconds", PATIENCE.as_secs())]
    Late,
    /// The connection ended.
    #[error("the connection has ended: {0}")]
    Ended(io::Error),
    /// The bytes are not an answer to the command.
    #[error("the answers are not RCON")]
    NotRcon,
    #[error("an answer has more than {} MiB", MAX_ANSWER >> 20)]
    TooLong,
}

/// A packet that the server sent.
struct Packet {
    id: i32,
    kind: i32,
    text: Vec<u8>,
}

impl Rcon {
    /// Connects to `address`, a host and a port.
    ///
    /// # Errors
    /// The server cannot be reached in time, or it refuses the password.
    pub(super) async fn connect(address: &str, password: &str) -> Result<Self, RconError> {
        let connected = timeout(PATIENCE, Self::log_in(address, password)).await;
        connected.unwrap_or(Err(RconError::Late))
    }

    async fn log_in(address: &str, password: &str) -> Result<Self, RconError> {
        let stream = reach(address).await.map_err(RconError::Unreachable)?;
        stream.set_nodelay(true).map_err(RconError::Ended)?;

        let mut rcon = Self { stream, last: 0 };
        let sent = rcon.send(PASSWORD, password).await?;

        for _ in 0..=MAX_BEFORE {
            let Packet { id, kind, .. } = rcon.receive().await?;
            match (kind, id) {
                (PASSWORD_ANSWER, REFUSED) => return Err(RconError::WrongPassword),
                (PASSWORD_ANSWER, id) if id == sent => return Ok(rcon),
                _ => {}
            }
        }

        Err(RconError::NotRcon)
    }

    /// Runs a command and returns its answer.
    ///
    /// # Errors
    /// The connection must be closed, because the rest of the answer may still arrive.
    pub(super) async fn run(&mut self, command: &str) -> Result<String, RconError> {
        let answer = timeout(PATIENCE, self.exchange(command)).await;
        let answer = answer.unwrap_or(Err(RconError::Late))?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    async fn exchange(&mut self, command: &str) -> Result<Vec<u8>, RconError> {
        let sent = self.send(COMMAND, command).await?;
        let mut answer = Vec::new();

        loop {
            let Packet { id, text, .. } = self.receive().await?;
            if id != sent {
                return Err(RconError::NotRcon);
            }

            answer.extend_from_slice(&text);
            if answer.len() > MAX_ANSWER {
                return Err(RconError::TooLong);
            }

            if text.len() < PIECE || !self.has_more().await {
                return Ok(answer);
            }
        }
    }

    /// Returns whether more bytes arrive. An answer may end with a whole piece.
    async fn has_more(&self) -> bool {
        timeout(QUIET, self.stream.readable()).await.is_ok()
    }

    /// Sends a packet and returns its id.
    async fn send(&mut self, kind: i32, text: &str) -> Result<i32, RconError> {
        self.last = self.last % 1_000_000 + 1;

        let length = i32::try_from(text.len() + AROUND).map_err(|_| RconError::TooLong)?;
        let mut packet = Vec::with_capacity(text.len() + AROUND + 4);
        for number in [length, self.last, kind] {
            packet.extend(number.to_le_bytes());
        }

        packet.extend_from_slice(text.as_bytes());
        packet.extend([0, 0]);

        let written = self.stream.write_all(&packet).await;
        written.map_err(RconError::Ended)?;

        Ok(self.last)
    }

    async fn receive(&mut self) -> Result<Packet, RconError> {
        let length = self.number().await?;
        let id = self.number().await?;
        let kind = self.number().await?;

        let text = usize::try_from(length)
            .ok()
            .and_then(|length| length.checked_sub(AROUND));
        let Some(text) = text.filter(|&text| text <= MAX_PIECE) else {
            return Err(RconError::NotRcon);
        };

        let mut bytes = vec![0; text + 2];
        let read = self.stream.read_exact(&mut bytes).await;
        read.map_err(RconError::Ended)?;
        bytes.truncate(text);

        Ok(Packet {
            id,
            kind,
            text: bytes,
        })
    }

    async fn number(&mut self) -> Result<i32, RconError> {
        self.stream.read_i32_le().await.map_err(RconError::Ended)
    }
}

/// Connects to the first address of a host that answers. They share the time, because one that
/// drops packets must not use up all of it.
async fn reach(address: &str) -> io::Result<TcpStream> {
    let addresses: Vec<_> = lookup_host(address).await?.collect();
    let share = PATIENCE / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);

    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in addresses {
        match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => failure = error,
            Err(_) => failure = io::ErrorKind::TimedOut.into(),
        }
    }

    Err(failure)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::time::Instant;

    use super::*;

    /// A packet of a game server.
    fn packet(id: i32, kind: i32, text: &[u8]) -> Vec<u8> {
        let mut packet = [text.len() as i32 + 10, id, kind]
            .map(i32::to_le_bytes)
            .concat();
        packet.extend_from_slice(text);
        packet.extend([0, 0]);
        packet
    }

    /// Connects to a game server that sends these bytes after it has read something, each after a
    /// pause.
    fn connect(answers: Vec<Vec<u8>>, pause: Duration) -> Result<Rcon, RconError> {
        let game = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = game.local_addr().unwrap().to_string();

        std::thread::spawn(move || {
            let (mut stream, _) = game.accept().unwrap();
            let _ = stream.read(&mut [0; 1460]);
            for answer in answers {
                std::thread::sleep(pause);
                let _ = stream.write_all(&answer);
            }
        });

        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(Rcon::connect(&address, "secret"))
    }

    #[test]
    fn few_packets_may_precede_the_answer() {
        let answers = |before: usize| {
            let mut answers = vec![packet(1, 0, b""); before];
            answers.push(packet(1, 2, b""));
            answers
        };

        assert!(connect(answers(1), Duration::ZERO).is_ok());
        assert!(matches!(
            connect(answers(MAX_BEFORE + 1), Duration::ZERO),
            Err(RconError::NotRcon)
        ));
    }

    #[test]
    fn an_exchange_has_one_deadline() {
        let answers = packet(1, 2, b"").into_iter().map(|byte| vec![byte]);
        let start = Instant::now();
        let connected = connect(answers.collect(), Duration::from_millis(500));
        assert!(matches!(connected, Err(RconError::Late)));
        assert!(start.elapsed() < PATIENCE * 3 / 2);
    }
}
