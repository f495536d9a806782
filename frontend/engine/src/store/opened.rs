//! A file that may be stored locally, after opening.

use std::rc::Rc;

use super::{CachingSource, StoreError, VerifiedCopy, VerifiedSource};
use crate::bytes::{ByteSource, LocalSource};

/// Where the bytes of a file come from.
pub struct Opened {
    /// The source of its bytes.
    pub source: Rc<dyn ByteSource>,
    /// The same source, if all bytes are on this machine.
    pub local: Option<Rc<dyn LocalSource>>,
    /// What is stored of it.
    pub kept: Option<Kept>,
    /// Why it is not stored although requested.
    pub trouble: Option<StoreError>,
}

/// A file of which the browser keeps a copy.
#[derive(Clone)]
pub enum Kept {
    /// The copy may be incomplete, or has not been checked.
    Begun(Rc<CachingSource>),
    /// The copy is complete and was right when it was checked.
    Verified(Rc<VerifiedSource>),
}

impl Kept {
    /// Returns whether both are the same file.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Begun(one), Self::Begun(other)) => Rc::ptr_eq(one, other),
            (Self::Verified(one), Self::Verified(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// Has all bytes of the copy checked again, because something hints at damage.
    pub async fn doubt(&self) {
        match self {
            Self::Begun(source) => source.doubt(),
            Self::Verified(source) => source.copy().doubt().await,
        }
    }

    /// Allows or forbids to use the server for what cannot be read from the copy.
    pub fn set_online(&self, online: bool) {
        match self {
            Self::Begun(source) => source.set_online(online),
            Self::Verified(source) => source.set_online(online),
        }
    }
}

impl Opened {
    /// Returns a file on this machine.
    pub fn local(source: Rc<dyn LocalSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<dyn LocalSource>::clone(&source);
        Self { source: bytes, local: Some(source), kept: None, trouble: None }
    }

    /// Returns a remote file that is not stored.
    pub fn remote(source: Rc<dyn ByteSource>) -> Self {
        Self { source, local: None, kept: None, trouble: None }
    }

    /// Returns a remote file that is stored while it is read.
    pub fn begun(source: Rc<CachingSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<CachingSource>::clone(&source);
        Self { source: bytes, local: None, kept: Some(Kept::Begun(source)), trouble: None }
    }

    /// Returns a remote file with a verified copy.
    pub fn verified(source: Rc<VerifiedSource>) -> Self {
        let bytes: Rc<dyn ByteSource> = Rc::<VerifiedSource>::clone(&source);
        let local: Rc<dyn LocalSource> = Rc::<VerifiedCopy>::clone(source.copy());
        Self { source: bytes, local: Some(local), kept: Some(Kept::Verified(source)), trouble: None }
    }

    /// Returns the source that stores it, to be completed.
    pub fn keeping(&self) -> Option<&Rc<CachingSource>> {
        match &self.kept {
            Some(Kept::Begun(source)) => Some(source),
            Some(Kept::Verified(_)) | None => None,
        }
    }
}
