//! Small files that are whole or count as not there: a digest, then the value in postcard.

use engine::store::{Folder, StoreError};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

/// Bytes of the digest.
const DIGEST: usize = 32;

/// Writes a value.
pub async fn write<T: Serialize>(folder: &dyn Folder, name: &str, value: &T) -> Result<(), StoreError> {
    let failed = |error: protocol::WireError| StoreError::Failed { reason: error.to_string() };
    let value = protocol::encode(value).map_err(failed)?;
    let mut bytes = Sha256::digest(&value).to_vec();
    bytes.extend(value);
    folder.write(name, &bytes).await
}

/// Reads a value; `None` if there is none, its writing was cut off, or another version wrote it.
pub async fn read<T: DeserializeOwned>(folder: &dyn Folder, name: &str) -> Result<Option<T>, StoreError> {
    let Some(bytes) = folder.read(name).await? else { return Ok(None) };
    let Some((digest, value)) = bytes.split_at_checked(DIGEST) else { return Ok(None) };
    if Sha256::digest(value).as_slice() != digest {
        return Ok(None);
    }
    Ok(protocol::decode(value).ok())
}
