//! Kept KV caches: for each conversation a sealed head, and files of the parts that the head lists with their digests.
//!
//! A head is written last, and parts have new names with every save. So a save that was cut off leaves the one before as it was,
//! and files that no head lists, which the next worker deletes.

use std::cell::RefCell;
use std::rc::Rc;

use engine::bytes::CancelToken;
use engine::media::ContentHash;
use engine::session::CacheContents;
use engine::store::{Folder, StoreError};
use futures_util::lock::Mutex;
use protocol::Forget;
use serde::{Deserialize, Serialize};

use super::sealed;

/// The folder of kept caches.
pub const FOLDER: &str = "caches";
/// Raised with every change of [`Head`].
const VERSION: u32 = 1;
/// Most conversations.
const MAX_CONVERSATIONS: usize = 4;
/// Most bytes of all.
const MAX_BYTES: u64 = 1 << 30;
/// How the names of heads end.
const HEAD: &str = ".head";

/// What a kept cache is, and where its parts are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    version: u32,
    /// The conversation, as a part of files' names.
    pub conversation: String,
    /// What besides the tokens it follows from.
    pub key: ContentHash,
    /// Its tokens.
    pub contents: CacheContents,
    /// Number of the save.
    save: u32,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// When it was written, or one later than the one before.
    used: f64,
}

/// A part that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The save that has written it.
    save: u32,
    bytes: u32,
    digest: ContentHash,
}

impl Part {
    /// Returns its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.into()
    }
}

impl Head {
    /// Returns the bytes of its parts.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(Part::bytes).sum()
    }

    fn name(&self) -> String {
        head_name(&self.conversation)
    }

    fn part_names(&self) -> impl Iterator<Item = String> {
        self.parts.iter().enumerate().map(|(index, part)| part_name(&self.conversation, part.save, index))
    }
}

fn head_name(conversation: &str) -> String {
    format!("{conversation}{HEAD}")
}

fn part_name(conversation: &str, save: u32, index: usize) -> String {
    format!("{conversation}.{save}.{index}")
}

/// Returns the name of a conversation as the page sent it, as a part of files' names; `None` if nothing is left of it.
pub fn file_stem(conversation: &str) -> Option<String> {
    let stem: String = conversation.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    (!stem.is_empty()).then_some(stem)
}

/// The place of kept caches.
pub struct CacheStore {
    folder: Rc<dyn Folder>,
    heads: Vec<Head>,
    /// The one that is being written.
    draft: Option<Head>,
}

impl CacheStore {
    /// Reads which there are, and deletes all other files.
    pub async fn open(folder: Rc<dyn Folder>) -> Result<Self, StoreError> {
        let mut heads: Vec<Head> = Vec::new();
        for name in folder.names().await? {
            if name.ends_with(HEAD)
                && let Some(head) = sealed::read::<Head>(&*folder, &name).await?
                && head.version == VERSION
                && head.name() == name
            {
                heads.push(head);
            }
        }
        let store = Self { folder, heads, draft: None };
        store.sweep().await?;
        Ok(store)
    }

    /// All of them.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// That of a conversation.
    pub fn head(&self, conversation: &str) -> Option<&Head> {
        self.heads.iter().find(|head| head.conversation == conversation)
    }

    /// Reads a part; `None` if it is missing or damaged.
    pub async fn part(&self, head: &Head, index: usize) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(part) = head.parts.get(index) else { return Ok(None) };
        let bytes = self.folder.read(&part_name(&head.conversation, part.save, index)).await?;
        Ok(bytes.filter(|bytes| digest(bytes) == part.digest))
    }

    /// Begins to keep a cache of `bytes` bytes, and makes room for it.
    pub async fn begin(
        &mut self,
        conversation: &str,
        key: ContentHash,
        contents: CacheContents,
        (bytes, now): (u64, f64),
    ) -> Result<(), StoreError> {
        // A clock may stand, or be set back.
        let used = self.heads.iter().map(|head| head.used + 1.0).fold(now, f64::max);
        let save = self.head(conversation).map_or(0, |head| head.save.wrapping_add(1));
        let (conversation, parts) = (conversation.to_owned(), Vec::new());
        self.draft = Some(Head { version: VERSION, conversation, key, contents, save, parts, used });
        while self.is_over(bytes) && self.drop_oldest().await? {}
        Ok(())
    }

    /// Whether the other caches leave no room for one of `bytes` bytes.
    fn is_over(&self, bytes: u64) -> bool {
        let others: u64 = self.others().map(Head::bytes).sum();
        self.others().count() >= MAX_CONVERSATIONS || others + bytes > MAX_BYTES
    }

    /// The caches of other conversations than the one that is being kept.
    fn others(&self) -> impl Iterator<Item = &Head> {
        let own = self.draft.as_ref().map(|draft| &draft.conversation);
        self.heads.iter().filter(move |head| Some(&head.conversation) != own)
    }

    /// Takes the next part from the save before.
    pub fn reuse(&mut self, part: Part) {
        if let Some(draft) = &mut self.draft {
            draft.parts.push(part);
        }
    }

    /// Writes the next part. If there is no room, the caches used longest ago go.
    pub async fn put(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let Some(draft) = &mut self.draft else { return Ok(()) };
        let name = part_name(&draft.conversation, draft.save, draft.parts.len());
        draft.parts.push(Part { save: draft.save, bytes: bytes.len() as u32, digest: digest(bytes) });
        while let Err(error) = self.folder.write(&name, bytes).await {
            let is_full = matches!(error, StoreError::Full { .. } | StoreError::NoRoom { .. });
            if !is_full || !self.drop_oldest().await? {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends a save: the cache is this one from now on.
    pub async fn commit(&mut self) -> Result<(), StoreError> {
        let Some(head) = self.draft.take() else { return Ok(()) };
        let written = sealed::write(&*self.folder, &head.name(), &head).await;
        // The file of the one before is overwritten, if not by this one.
        self.heads.retain(|old| old.conversation != head.conversation);
        if written.is_ok() {
            self.heads.push(head);
        }
        self.sweep().await.and(written)
    }

    /// Gives up a save.
    pub async fn discard(&mut self) {
        self.draft = None;
        // What stays is deleted by the next worker.
        self.sweep().await.ok();
    }

    /// Deletes the caches of these conversations.
    pub async fn forget(&mut self, is_meant: &dyn Fn(&str) -> bool) -> Result<(), StoreError> {
        self.heads.retain(|head| !is_meant(&head.conversation));
        self.sweep().await
    }

    /// Deletes the cache of another conversation that was used longest ago. Returns false if there is none.
    async fn drop_oldest(&mut self) -> Result<bool, StoreError> {
        let oldest = self.others().min_by(|a, b| a.used.total_cmp(&b.used));
        let Some(oldest) = oldest.map(|head| head.conversation.clone()) else { return Ok(false) };
        self.forget(&|conversation| conversation == oldest).await?;
        Ok(true)
    }

    /// Deletes all files that no head lists.
    async fn sweep(&self) -> Result<(), StoreError> {
        let mut listed = Vec::new();
        for head in self.heads.iter().chain(&self.draft) {
            listed.push(head.name());
            listed.extend(head.part_names());
        }
        for name in self.folder.names().await? {
            if !listed.contains(&name) {
                self.folder.remove(&name).await?;
            }
        }
        Ok(())
    }
}

fn digest(bytes: &[u8]) -> ContentHash {
    ContentHash::of(bytes, &[])
}

/// Whether the cache of a conversation is to be deleted.
pub fn is_meant(forget: &Forget, conversation: &str) -> bool {
    match forget {
        Forget::Nothing => false,
        Forget::Of(all) => all.iter().any(|it| file_stem(it).as_deref() == Some(conversation)),
        Forget::All => true,
    }
}

/// The kept cache that was written or taken last, and how many of the session's first positions it has exactly so.
#[derive(Default)]
pub struct Synced {
    /// Its conversation.
    pub conversation: String,
    /// The positions.
    pub tokens: u32,
}

/// The kept caches, and which is about to be kept.
#[derive(Default)]
pub struct KeptCaches {
    /// Opened when it is first needed.
    pub store: Mutex<Option<CacheStore>>,
    /// The conversation that is being answered, if its cache is to be kept.
    answering: RefCell<Option<String>>,
    /// The conversation whose cache is being kept, or will be when nothing uses the model.
    saving: RefCell<(String, CancelToken)>,
}

impl KeptCaches {
    /// An answer begins: the cache will be another one.
    pub fn begin_answer(&self, conversation: Option<String>) {
        self.saving.borrow().1.cancel();
        self.answering.replace(conversation);
    }

    /// It has ended. Returns the conversation whose cache is to be kept now.
    pub fn end_answer(&self) -> Option<String> {
        self.answering.take()
    }

    /// A cache is about to be kept, until an answer begins.
    pub fn begin_saving(&self, conversation: &str) -> CancelToken {
        let cancel = CancelToken::new();
        self.saving.replace((conversation.to_owned(), cancel.clone()));
        cancel
    }

    /// Keeps nothing of these conversations that isn't kept yet.
    pub fn stop(&self, forget: &Forget) {
        self.answering.borrow_mut().take_if(|it| is_meant(forget, it));
        let saving = self.saving.borrow();
        if is_meant(forget, &saving.0) {
            saving.1.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::store::MemoryFolder;
    use futures_util::FutureExt as _;

    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> T {
        future.now_or_never().expect("memory does not wait")
    }

    fn contents(tokens: u32) -> CacheContents {
        let ids: Vec<u32> = (0..tokens).collect();
        let rings = serde_json::json!([{"tokens": tokens, "written": tokens}]);
        serde_json::from_value(serde_json::json!({"ids": ids, "media": [], "rings": rings}))
            .expect("contents")
    }

    fn store(folder: &Rc<MemoryFolder>) -> CacheStore {
        now(CacheStore::open(folder.clone())).expect("it opens")
    }

    fn keep(store: &mut CacheStore, conversation: &str, parts: &[&[u8]]) -> Result<(), StoreError> {
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        now(async {
            store.begin(conversation, digest(b"key"), contents(3), (bytes, 1.0)).await?;
            for part in parts {
                if let Err(error) = store.put(part).await {
                    store.discard().await;
                    return Err(error);
                }
            }
            store.commit().await
        })
    }

    fn kept(store: &CacheStore) -> Vec<String> {
        let mut kept: Vec<_> = store.heads().iter().map(|head| head.conversation.clone()).collect();
        kept.sort();
        kept
    }

    fn names(folder: &MemoryFolder) -> Vec<String> {
        now(folder.names()).expect("names")
    }

    #[test]
    fn the_latest_are_kept() {
        let folder = Rc::default();
        let mut caches = store(&folder);
        for conversation in ["a", "b", "c", "d"] {
            keep(&mut caches, conversation, &[b"one", b"two"]).expect("kept");
        }
        keep(&mut caches, "a", &[b"one", b"two"]).expect("kept");
        keep(&mut caches, "e", &[b"one"]).expect("kept");
        assert_eq!(kept(&caches), ["a", "c", "d", "e"], "the clock stands, and a was used after b");
        // As another worker finds them.
        let caches = store(&folder);
        assert_eq!(kept(&caches), ["a", "c", "d", "e"]);
        let head = caches.head("a").expect("a");
        assert_eq!((head.bytes(), now(caches.part(head, 1)).expect("read")), (6, Some(b"two".to_vec())));
        assert!(!names(&folder).iter().any(|name| name.starts_with('b')));
    }

    #[test]
    fn a_save_replaces_the_one_before() {
        let folder = Rc::default();
        let mut caches = store(&folder);
        keep(&mut caches, "a", &[b"one", b"two"]).expect("kept");
        keep(&mut caches, "a", &[b"three"]).expect("kept");
        assert_eq!(names(&folder), ["a.1.0", "a.head"]);
        // One that is cut off does not.
        now(async {
            caches.begin("a", digest(b"key"), contents(3), (4, 1.0)).await?;
            caches.put(b"four").await
        })
        .expect("a part");
        assert_eq!(names(&folder), ["a.1.0", "a.2.0", "a.head"]);
        let caches = store(&folder);
        assert_eq!(names(&folder), ["a.1.0", "a.head"]);
        let head = caches.head("a").expect("a");
        assert_eq!(now(caches.part(head, 0)).expect("read"), Some(b"three".to_vec()));
    }

    #[test]
    fn what_is_damaged_or_foreign_is_not_there() {
        let folder: Rc<MemoryFolder> = Rc::default();
        let mut caches = store(&folder);
        for conversation in ["a", "b", "c"] {
            keep(&mut caches, conversation, &[b"one"]).expect("kept");
        }
        let write = |name: &str, bytes: &[u8]| now(folder.write(name, bytes)).expect("written");
        let read = |name: &str| now(folder.read(name)).expect("read").expect("a file");
        // Cut off, of another version, under another name; and strangers.
        folder.cut("a.head", 40);
        let older = Head { version: VERSION - 1, ..caches.head("b").expect("b").clone() };
        now(sealed::write(&*folder, "b.head", &older)).expect("written");
        write("d.head", &read("c.head"));
        write("stranger", b"?");
        let caches = store(&folder);
        assert_eq!(names(&folder), ["c.0.0", "c.head"]);
        let head = caches.head("c").expect("c");
        for damaged in [&b"on"[..], b"onf", b"ones", b""] {
            write("c.0.0", damaged);
            assert_eq!(now(caches.part(head, 0)), Ok(None));
        }
        now(folder.remove("c.0.0")).expect("removed");
        assert_eq!(now(caches.part(head, 0)), Ok(None));
        assert_eq!(now(caches.part(head, 1)), Ok(None));
    }

    #[test]
    fn if_there_is_no_room_the_oldest_goes() {
        let folder: Rc<MemoryFolder> = Rc::default();
        let mut caches = store(&folder);
        keep(&mut caches, "a", &[&[1; 1000]]).expect("kept");
        let head = names(&folder)
            .into_iter()
            .map(|name| now(folder.read(&name)).expect("read").map_or(0, |it| it.len()));
        let one = head.sum::<usize>();
        folder.limit(2 * one + 100);
        keep(&mut caches, "b", &[&[2; 1000]]).expect("kept");
        keep(&mut caches, "c", &[&[3; 500], &[4; 500]]).expect("kept");
        assert_eq!(kept(&caches), ["b", "c"]);
        // It is too large for any room, and so nothing of it stays.
        let failed = keep(&mut caches, "d", &[&[5; 500], &[5; 4000]]);
        assert!(matches!(failed, Err(StoreError::Full { .. })), "{failed:?}");
        assert_eq!((kept(&caches).len(), names(&folder).len()), (0, 0));
    }
}
