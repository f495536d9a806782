//! Whether there is room for a blob, before the first byte of it is written.

use super::StoreError;

/// Storage of an origin, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// What the origin may use; 0 if the browser does not tell.
    pub quota: u64,
    /// What it uses.
    pub used: u64,
    /// What is still to be written of other blobs.
    pub promised: u64,
}

impl Room {
    /// Whether `needed` bytes more can be written.
    ///
    /// # Errors
    /// [`StoreError::NoRoom`] when they cannot.
    pub fn check(self, needed: u64) -> Result<(), StoreError> {
        let available = self.quota.saturating_sub(self.used).saturating_sub(self.promised);
        if self.quota > 0 && needed > available {
            return Err(StoreError::NoRoom { needed, available });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_blobs_need_is_not_available() {
        let room = Room { quota: 1000, used: 300, promised: 200 };
        assert_eq!(room.check(500), Ok(()));
        assert_eq!(room.check(501), Err(StoreError::NoRoom { needed: 501, available: 500 }));
        assert_eq!(Room { quota: 0, ..room }.check(u64::MAX), Ok(()), "nobody knows");
        let over = Room { promised: 900, ..room };
        assert_eq!(over.check(1), Err(StoreError::NoRoom { needed: 1, available: 0 }));
        assert_eq!(over.check(0), Ok(()), "all of it is there");
    }
}
