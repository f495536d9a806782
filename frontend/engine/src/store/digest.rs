//! Digests, which identify blobs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// SHA-256 of a blob's bytes, or of a chunk's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// The text is not `sha256:` (or `sha256-`) and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\u{ab}{text}\u{bb} is not a digest: `sha256:` and 64 hexadecimal digits")]
pub struct BadDigest {
    /// The text.
    pub text: String,
}

impl Digest {
    /// Returns the digest with this hash.
    pub fn new(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// `sha256-` and the digits: the file name in stores.
    pub fn file_name(&self) -> String {
        format!("sha256-{}", self.hex())
    }

    fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = BadDigest;

    fn try_from(text: String) -> Result<Self, BadDigest> {
        text.parse()
    }
}

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        let bad = || BadDigest { text: text.chars().take(80).collect() };
        let hex = text.strip_prefix("sha256:").or_else(|| text.strip_prefix("sha256-")).ok_or_else(bad)?;
        if hex.len() != 64 || !hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let mut hash = [0; 32];
        for (byte, digits) in hash.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| bad())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        }
        Ok(Self(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read_and_one_is_written() {
        let hex = "0123456789abcdefFEDCBA98765432100123456789abcdef0123456789abcdef";
        let colon: Digest = format!("sha256:{hex}").parse().expect("as registries write it");
        let dash: Digest = format!("sha256-{hex}").parse().expect("as files are named");
        assert_eq!(colon, dash);
        assert_eq!(colon.to_string(), format!("sha256:{}", hex.to_lowercase()));
        assert_eq!(colon.file_name(), format!("sha256-{}", hex.to_lowercase()));
    }

    #[test]
    fn nothing_else_is_a_digest() {
        let hex = "0".repeat(64);
        for wrong in ["", "sha256:", &hex, &format!("sha256:{hex}0"), &format!("md5:{hex}"), "sha256:../../x"]
        {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
        let signs = format!("sha256:{}", "+1".repeat(32));
        assert!(signs.parse::<Digest>().is_err(), "from_str_radix alone would take a sign");
    }
}
