//! The name under which a file is served.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

/// Identifies a file's content.
///
/// Written as `sha256:` and 64 hexadecimal digits, or `gguf:` and 64 hexadecimal digits: see [`Scheme`]. The hexadecimal
/// digits are kept in lower case, so equal digests are equal values however they were spelt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    scheme: Scheme,
    bytes: [u8; 32],
}

/// What the digits of a [`Digest`] mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// SHA-256 of the whole content: whoever receives the file can check it.
    Sha256,
    /// An identity that costs little to compute for a file of many gigabytes; it says whether two files are the same
    /// one, but is not a checksum of the content. See `identity` in the `folder` module.
    Gguf,
}

impl Digest {
    /// A digest from its parts.
    #[must_use]
    pub fn new(scheme: Scheme, bytes: [u8; 32]) -> Self {
        Self { scheme, bytes }
    }

    /// Whether it is the SHA-256 of the content.
    #[must_use]
    pub fn is_sha256(&self) -> bool {
        self.scheme == Scheme::Sha256
    }

    /// The name of the file in Ollama's blob folder, which is also the last part of the address: `sha256-…`.
    #[must_use]
    pub fn file_name(&self) -> String {
        self.to_string().replacen(':', "-", 1)
    }

    /// The address from which the server hands out the content.
    #[must_use]
    pub fn url(&self) -> String {
        format!("/api/blobs/{}", self.file_name())
    }
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Gguf => "gguf",
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.scheme.name())?;
        self.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is sha256 or gguf, a colon or hyphen, and 64 hexadecimal digits")]
pub struct NotADigest;

impl FromStr for Digest {
    type Err = NotADigest;

    /// Takes `:` and `-` between scheme and digits, and digits in either case, as Ollama does.
    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let (scheme, digits) = text.split_once([':', '-']).ok_or(NotADigest)?;
        let scheme =
            [Scheme::Sha256, Scheme::Gguf].into_iter().find(|s| s.name() == scheme).ok_or(NotADigest)?;
        let digits = digits.as_bytes();
        if digits.len() != 64 {
            return Err(NotADigest);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16).ok_or(NotADigest)?;
            let low = char::from(pair[1]).to_digit(16).ok_or(NotADigest)?;
            *byte = (high * 16 + low) as u8;
        }
        Ok(Self { scheme, bytes })
    }
}

/// SHA-256 of all that a reader gives.
///
/// # Errors
/// When reading fails.
pub fn sha256(mut reader: impl std::io::Read) -> std::io::Result<Digest> {
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; 1 << 18];
    loop {
        match reader.read(&mut chunk)? {
            0 => return Ok(Digest::new(Scheme::Sha256, hasher.finalize().into())),
            read => hasher.update(&chunk[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn spellings_of_one_digest_are_equal() {
        let digest: Digest = format!("sha256:{EMPTY}").parse().expect("a digest");
        assert_eq!(format!("sha256-{EMPTY}").parse(), Ok(digest));
        assert_eq!(format!("sha256:{}", EMPTY.to_uppercase()).parse(), Ok(digest));
        assert_eq!(digest.to_string(), format!("sha256:{EMPTY}"));
        assert_eq!(digest.url(), format!("/api/blobs/sha256-{EMPTY}"));
        assert_ne!(format!("gguf:{EMPTY}").parse(), Ok(digest));
    }

    #[test]
    fn nothing_else_is_a_digest() {
        let slashes = "/".repeat(64);
        for text in [
            "",
            "sha256",
            "sha256:",
            EMPTY,
            &format!("sha256:{}", &EMPTY[1..]),
            &format!("sha256:{EMPTY}0"),
            &format!("SHA256:{EMPTY}"),
            &format!("md5:{EMPTY}"),
            &format!("sha256-{slashes}"),
            &format!("sha256:{}+", &EMPTY[1..]),
            &format!("sha256:{}é", &EMPTY[2..]),
            &format!("../sha256-{EMPTY}"),
        ] {
            assert_eq!(text.parse::<Digest>(), Err(NotADigest), "{text}");
        }
    }

    #[test]
    fn hashes_content() {
        assert_eq!(sha256(&b""[..]).expect("no error").to_string(), format!("sha256:{EMPTY}"));
    }
}
