//! The name of the folder in which the mod keeps the map of a server.

use pixelmap_base::file_names::NOT_IN_FILE_NAMES;

/// The folder of a server, by the address that players type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFolder(String);

impl ServerFolder {
    /// Makes the name as the mod does: without the port, without brackets and dots at the end.
    ///
    /// # Errors
    /// Fails if the name cannot be the one of a folder. The message contains the remedy.
    pub fn parse(address: &str) -> Result<Self, String> {
        let host = match address.split_once(']') {
            Some((host, _)) => host.trim_start_matches('['),
            None => match address.split_once(':') {
                Some((host, port)) if !port.contains(':') => host,
                _ => address,
            },
        };

        let host = host.trim_end_matches('.').replace(':', ".");

        let is_bad = |c: char| NOT_IN_FILE_NAMES.contains(&c) || c.is_control();
        if host.is_empty() || host.contains(is_bad) {
            return Err(
                "the address must be the one that players type, such as play.example.org"
                    .to_owned(),
            );
        }

        Ok(Self(format!("Multiplayer_{host}")))
    }

    pub fn name(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_names_of_the_mod() {
        let name = |address: &str| ServerFolder::parse(address).map(|folder| folder.0);
        let play = Ok("Multiplayer_play.example.org".to_owned());
        for address in [
            "play.example.org",
            "play.example.org:25565",
            "play.example.org.",
        ] {
            assert_eq!(name(address), play, "{address}");
        }

        assert_eq!(name("[::1]:25565"), Ok("Multiplayer_..1".to_owned()));
        assert_eq!(name("fe80::1"), Ok("Multiplayer_fe80..1".to_owned()));
        for bad in ["", ":25565", "a/../b", "..", "a\\b", "a\nb"] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
