//! The files in an archive.

use std::collections::HashMap;
use std::io::Read;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use crate::limits::Meter;
use crate::{Error, Format};

/// An archive, and what it is part of.
pub struct Archive<'a> {
    archive: ZipSliceArchive<&'a [u8]>,
    entries: HashMap<String, (CompressionMethod, ZipArchiveEntryWayfinder)>,
    format: Format,
}

impl<'a> Archive<'a> {
    /// Lists the files.
    pub fn open(bytes: &'a [u8], format: Format, meter: &mut Meter<'_>) -> Result<Self, Error> {
        let damaged = |_| Error::Damaged { format };
        let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
        let mut entries = HashMap::new();
        let mut listed = archive.entries();
        while let Some(entry) = listed.next_entry().map_err(damaged)? {
            meter.parts(1)?;
            if entry.flags().is_encrypted() {
                return Err(Error::Encrypted);
            }
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
            entries.insert(name, (entry.compression_method(), entry.wayfinder()));
        }
        Ok(Self { archive, entries, format })
    }

    /// Whether there is a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Unpacks a file; `None` if there is none.
    pub fn get(&self, name: &str, meter: &mut Meter<'_>) -> Result<Option<Vec<u8>>, Error> {
        let damaged = Error::Damaged { format: self.format };
        let Some((method, place)) = self.entries.get(name) else { return Ok(None) };
        let entry = self.archive.get_entry(*place).map_err(|_| damaged)?;
        let limit = meter.unpackable();
        let mut unpacked = Vec::new();
        let read = match *method {
            CompressionMethod::STORE => entry.data().take(limit + 1).read_to_end(&mut unpacked),
            CompressionMethod::DEFLATE => {
                DeflateDecoder::new(entry.data()).take(limit + 1).read_to_end(&mut unpacked)
            }
            _ => return Err(damaged),
        };
        // The size that the archive states is no promise.
        if unpacked.len() as u64 > limit {
            return Err(Error::Expands { limit: meter.limits().unpacked });
        }
        read.map_err(|_| damaged)?;
        meter.unpacked(unpacked.len() as u64)?;
        Ok(Some(unpacked))
    }

    /// Unpacks a file that must be there.
    pub fn need(&self, name: &str, meter: &mut Meter<'_>) -> Result<Vec<u8>, Error> {
        self.get(name, meter)?.ok_or(Error::Damaged { format: self.format })
    }
}
