//! The promise for requests: bytes from anyone.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;

use pixelmap_map::atlas::MapFile;
use pixelmap_serve::{AccessRules, BasePath, Server, Site};

use super::put;

/// The text of a file that no request may reach.
const SECRET: &str = "what nobody may read";

/// Bytes that anyone sends to `serve`: it answers them or closes the connection, sends no file from
/// outside the map or from its state, and answers the next request.
pub fn request(bytes: &[u8]) {
    static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap().keep();
        let map = folder.join("map");
        put(
            &map.join(MapFile::FILE),
            MapFile::new("w".to_owned()).json().as_bytes(),
        );

        for hidden in ["map/.pixelmap/journal", "outside"] {
            put(&folder.join(hidden), SECRET.as_bytes());
        }

        let server = Server::listen("127.0.0.1:0", AccessRules::default()).unwrap();
        let (address, site) = (
            server.address(),
            Site::open(&map, BasePath::default()).unwrap(),
        );
        std::thread::spawn(move || server.run(site).unwrap());

        address
    });

    let answer = answer(*ADDRESS, &[bytes, LAST].concat());
    assert!(
        !answer
            .windows(SECRET.len())
            .any(|part| part == SECRET.as_bytes())
    );

    assert!(
        answer.is_empty() || answer.starts_with(b"HTTP/1."),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    assert!(self::answer(*ADDRESS, LAST).starts_with(b"HTTP/1.1 200"));
}

/// A request after which the server closes the connection.
const LAST: &[u8] = b"HEAD /map.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Sends bytes to a server, and returns all that it sends back.
fn answer(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(2)))
        .unwrap();

    // The server may close the connection at the first byte that it refuses.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();

    // If the server waits for more bytes, such as the body of a request, only its own time limit
    // would end the connection.
    let _ = stream.read_to_end(&mut answer);

    answer
}
