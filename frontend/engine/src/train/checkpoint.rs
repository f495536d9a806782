//! Training checkpoints, to resume after a closed tab or a lost device.
//!
//! Format: `GTTRAIN1`, the length of a header as u64, the header in JSON, for each trained layer its factors and
//! both moments as little-endian f32, and the SHA-256 of everything before. Random choices of a step (dropout,
//! order of examples) depend only on the seed and the step, so nothing else is stored.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{TrainError, Trainer};

const MAGIC: &[u8; 8] = b"GTTRAIN1";
const DIGEST: usize = 32;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    step: u32,
    rank: u32,
    alpha: f32,
    seed: u64,
    /// The trained projections, in the order of their parameters.
    targets: Vec<String>,
    /// Number of parameters per trained layer.
    counts: Vec<u32>,
}

fn broken(reason: impl Into<String>) -> TrainError {
    TrainError::Checkpoint { reason: reason.into() }
}

impl Trainer {
    fn header(&self) -> Header {
        let layouts = || self.factors.iter().flatten().map(|factors| &factors.layout);
        Header {
            step: self.step,
            rank: self.settings.rank,
            alpha: self.settings.alpha,
            seed: self.settings.seed,
            targets: layouts().flat_map(|l| l.places.iter().map(|p| p.target.to_string())).collect(),
            counts: layouts().map(|layout| layout.count).collect(),
        }
    }

    /// Returns the state: factors, moments, and number of steps.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn checkpoint(&self) -> Result<Vec<u8>, TrainError> {
        let header = serde_json::to_vec(&self.header()).map_err(|e| broken(e.to_string()))?;
        // All at once: a vector that grows would take up to twice as much, which a tab may not have.
        let numbers: u64 = self.factors.iter().flatten().map(|f| 3 * u64::from(f.layout.count)).sum();
        let mut bytes = Vec::with_capacity(MAGIC.len() + 8 + header.len() + 4 * numbers as usize + DIGEST);
        bytes.extend(MAGIC);
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        for factors in self.factors.iter().flatten() {
            for buffer in [&factors.theta, &factors.m, &factors.v] {
                let values = self.read(buffer, factors.layout.count).await?;
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        bytes.extend(Sha256::digest(&bytes));
        Ok(bytes)
    }

    /// Resumes from a checkpoint of a training with the same projections, rank, alpha and seed. If the checkpoint
    /// does not match, nothing is changed.
    ///
    /// # Errors
    /// [`TrainError::Checkpoint`] with the reason.
    pub async fn restore(&mut self, bytes: &[u8]) -> Result<(), TrainError> {
        let (header, mut values) = parse(bytes)?;
        let own = self.header();
        if header != (Header { step: header.step, ..own }) {
            return Err(broken("it is of a training with other projections, rank, alpha or seed"));
        }
        let numbers: u64 = header.counts.iter().map(|&count| 3 * u64::from(count)).sum();
        if values.len() as u64 != 4 * numbers {
            return Err(broken("its length is not what its header says"));
        }
        let finite = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).is_finite();
        if !values.chunks_exact(4).all(finite) {
            return Err(broken("it holds numbers that are not finite"));
        }
        for factors in self.factors.iter().flatten() {
            for buffer in [&factors.theta, &factors.m, &factors.v] {
                let (own, rest) = values.split_at(4 * factors.layout.count as usize);
                self.gpu.queue().write_buffer(self.memory.get(buffer)?, 0, own);
                values = rest;
            }
        }
        self.gpu.drained().await?;
        self.step = header.step;
        Ok(())
    }
}

/// Returns the header and the parameters of a checkpoint, after checking its digest.
fn parse(bytes: &[u8]) -> Result<(Header, &[u8]), TrainError> {
    let short = || broken("it is cut short");
    let (content, digest) = bytes.split_at_checked(bytes.len().wrapping_sub(DIGEST)).ok_or_else(short)?;
    let rest = content.strip_prefix(MAGIC).ok_or_else(|| broken("it is no checkpoint of gemtab"))?;
    if Sha256::digest(content).as_slice() != digest {
        return Err(broken("its digest is wrong: it was cut short or changed"));
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(short)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| short())?;
    let (header, values) = rest.split_at_checked(length).ok_or_else(short)?;
    let header = serde_json::from_slice(header).map_err(|e| broken(e.to_string()))?;
    Ok((header, values))
}
