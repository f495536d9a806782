//! Bytes on the wire: postcard, one message a buffer.

use serde::{Serialize, de::DeserializeOwned};

/// A message that could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The value could not be encoded.
    #[error("the message could not be encoded: {0}")]
    Encode(postcard::Error),
    /// The bytes are no message of this version.
    #[error("{len} bytes are no message of protocol version {version}: {source}")]
    Decode {
        /// Bytes received.
        len: usize,
        /// Version expected.
        version: u16,
        /// What postcard found wrong.
        source: postcard::Error,
    },
}

/// Encodes a message.
///
/// # Errors
/// When a value cannot be represented (a sequence of unknown length, say); no type of this crate is one.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, WireError> {
    postcard::to_allocvec(message).map_err(WireError::Encode)
}

/// Decodes a message.
///
/// # Errors
/// When the bytes are cut short, of another version or not a message at all.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    postcard::from_bytes(bytes).map_err(|source| WireError::Decode {
        len: bytes.len(),
        version: crate::VERSION,
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Control, RequestId, ToPage, ToWorker};
    use proptest::prelude::*;

    #[test]
    fn round_trip() {
        let request = ToWorker::control(RequestId(7), Control::Cancel);
        let bytes = encode(&request).expect("encodes");
        assert_eq!(decode::<ToWorker>(&bytes).expect("decodes"), request);
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_read_but_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
            let _ = decode::<ToPage>(&bytes);
            let _ = decode::<ToWorker>(&bytes);
        }
    }
}
