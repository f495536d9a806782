//! The kept files of the loaded model: which are trusted, and whether the server may be used for them.

use std::cell::RefCell;

use engine::bytes::CancelToken;
use engine::store::Kept;

/// The kept files of the model that is ready.
#[derive(Default)]
pub struct Keeper(RefCell<State>);

#[derive(Default)]
struct State {
    files: Vec<Kept>,
    /// Those of which nothing was found to be wrong yet.
    trusted: Vec<Kept>,
    /// Whether the weights on the device may come from bytes that were found to be wrong.
    damaged: bool,
    running: CancelToken,
}

impl Keeper {
    /// Takes files in place of those before. Their model is ready: the server is not used for them any more.
    pub fn set(&self, files: Vec<Kept>) {
        self.pause();
        let mut state = self.0.borrow_mut();
        state.trusted.clone_from(&files);
        state.files = files;
        state.damaged = false;
        state.set_online(false);
    }

    /// Has all files checked again, because something hints at damage.
    pub async fn doubt(&self) {
        self.pause();
        for file in self.trusted() {
            file.doubt().await;
        }
    }

    /// The weights were read again, without the bytes that were found to be wrong.
    pub fn reread(&self) {
        self.0.borrow_mut().damaged = false;
    }

    /// The files of which nothing was found to be wrong.
    pub fn trusted(&self) -> Vec<Kept> {
        self.0.borrow().trusted.clone()
    }

    /// Whether the weights on the device may come from bytes that were found to be wrong.
    pub fn is_damaged(&self) -> bool {
        self.0.borrow().damaged
    }

    /// Begins to check files, until [`Self::pause`].
    pub fn begin(&self) -> CancelToken {
        self.pause();
        let cancel = CancelToken::new();
        self.0.borrow_mut().running = cancel.clone();
        cancel
    }

    /// Records that a file is damaged.
    pub fn distrust(&self, file: &Kept) {
        let mut state = self.0.borrow_mut();
        state.trusted.retain(|it| !it.is(file));
        state.damaged = true;
    }

    /// Lets the server be used until the guard is dropped: the model is loaded again.
    pub fn online(&self) -> Online<'_> {
        self.0.borrow().set_online(true);
        Online(self)
    }

    /// Stops for now. What was checked is not lost.
    pub fn pause(&self) {
        let running = self.0.borrow().running.clone();
        running.cancel();
    }
}

impl State {
    fn set_online(&self, online: bool) {
        self.files.iter().for_each(|file| file.set_online(online));
    }
}

/// While it lives, kept files may be read from the server.
pub struct Online<'a>(&'a Keeper);

impl Drop for Online<'_> {
    fn drop(&mut self) {
        self.0.0.borrow().set_online(false);
    }
}
