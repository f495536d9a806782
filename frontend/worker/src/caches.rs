//! Keeping the KV cache of conversations in the browser's storage, so that one that is opened again is not read again.
//!
//! When an answer has ended and nothing else uses the model, its cache is written ([`keep_later`]): parts that the store already
//! has are not. Whatever wants the model stops that. Before an answer, a kept cache takes the place of the session's if it
//! has more of the prompt ([`restore`]), of any conversation: one that was duplicated begins as its model. What is damaged is
//! deleted, and the prompt read as without it.
//!
//! Caches of diffusion models aren't kept, and none are of models whose file nothing identifies.

use std::rc::Rc;

use engine::bytes::CancelToken;
use engine::media::{ContentHash, Input};
use engine::session::{Reuse, Session};
use engine::store::StoreError;
use futures_util::FutureExt as _;
use futures_util::lock::{MappedMutexGuard, MutexGuard};
use protocol::{Failure, Forget, Outcome};

use crate::failure;
use crate::host::{Host, Model, Ready, is_lost};
use crate::keeping::idle;
use crate::state::identity;
pub use crate::state::kept_caches::file_stem;
use crate::state::kept_caches::{CacheStore, FOLDER, Head, Part, Synced, is_meant};

/// Least tokens of a cache that is kept: fewer are read again as fast.
const LEAST_TOKENS: u32 = 512;
/// Least tokens that a kept cache must have more than the session's to take its place.
const LEAST_GAIN: u32 = 256;
/// Most bytes of a cache that is kept.
const MAX_BYTES: u64 = 512 << 20;

type Opened<'h> = MappedMutexGuard<'h, Option<CacheStore>, CacheStore>;

async fn store(host: &Host) -> Result<Opened<'_>, StoreError> {
    let mut place = host.caches.store.lock().await;
    let store = match place.take() {
        Some(store) => store,
        None => CacheStore::open(host.platform.folder(FOLDER).await?).await?,
    };
    Ok(MutexGuard::map(place, |place| place.insert(store)))
}

/// What a cache follows from besides its tokens; `None` if that isn't known.
async fn key(model: &Model, session: &Session) -> Option<ContentHash> {
    let files = [Some(&model.file.bytes), model.projector.as_ref()];
    let identity = identity::of(&model.identity, files).await?;
    Some(ContentHash::of(&[*identity.bytes(), *session.cache_key().bytes()].concat(), &[]))
}

/// Answers [`protocol::Request::KeptCaches`].
pub async fn forget(host: Rc<Host>, forget: Forget) -> Result<Outcome, Failure> {
    host.caches.stop(&forget);
    let forgotten = async {
        let mut store = store(&host).await?;
        if forget != Forget::Nothing {
            store.forget(&|conversation| is_meant(&forget, conversation)).await?;
        }
        let bytes = store.heads().iter().map(Head::bytes).sum();
        Ok(Outcome::KeptCaches { conversations: store.heads().len() as u32, bytes })
    };
    match forgotten.await {
        // Where nothing can be kept, nothing is.
        Err(StoreError::Unavailable { .. }) => Ok(Outcome::KeptCaches { conversations: 0, bytes: 0 }),
        other => other.map_err(|error| failure::of_store(&error)),
    }
}

/// Takes back the kept cache that has most of a prompt, if it has more of it than the session's. Where that fails, the prompt is
/// read. `keeps` says whether caches are kept.
pub async fn restore(
    host: &Host,
    model: &Model,
    ready: &mut Ready,
    prompt: &Input,
    keeps: bool,
    cancel: &CancelToken,
) {
    let Ok(session) = ready.session.autoregressive_mut() else { return };
    if keeps
        && let Some(key) = key(model, session).await
        && let Ok(mut store) = store(host).await
    {
        while let Some((head, reuse)) = best(&store, key, session, prompt) {
            match take(&store, session, &head, reuse, cancel).await {
                Some(true) => {
                    let tokens = head.contents.tokens();
                    ready.synced = Synced { conversation: head.conversation, tokens };
                    break;
                }
                Some(false) if store.forget(&|it| it == head.conversation).await.is_ok() => {}
                _ => break,
            }
        }
    }
    // From here on, the prompt overwrites what the cache has.
    ready.synced.tokens = ready.synced.tokens.min(session.cached(prompt));
}

/// The kept cache with most of a prompt, if it has more than the session's.
fn best(store: &CacheStore, key: ContentHash, session: &Session, prompt: &Input) -> Option<(Head, Reuse)> {
    let own = store.heads().iter().filter(|head| head.key == key);
    let reuse = own.filter_map(|head| Some((head, session.reuse(&head.contents, prompt)?)));
    let (head, reuse) = reuse.max_by_key(|(_, reuse)| reuse.tokens)?;
    (reuse.tokens >= session.cached(prompt) + LEAST_GAIN).then(|| (head.clone(), reuse))
}

/// Returns whether a kept cache is the session's now; false if it is damaged, `None` if it could not be read or that was canceled.
/// The session's is empty then.
async fn take(
    store: &CacheStore,
    session: &mut Session,
    head: &Head,
    reuse: Reuse,
    cancel: &CancelToken,
) -> Option<bool> {
    let parts = session.begin_restore(&head.contents, &reuse);
    if parts.len() != head.parts.len() {
        return Some(false);
    }
    for (index, part) in parts.iter().enumerate() {
        let Some(part) = part else { continue };
        cancel.check().ok()?;
        let Some(bytes) = store.part(head, index).await.ok()? else { return Some(false) };
        if !session.write_cache(part, &bytes).ok()? {
            return Some(false);
        }
    }
    session.finish_restore(reuse);
    Some(true)
}

/// Keeps the cache that an answer to this prompt has left, as soon as nothing uses the model, unless something does again first.
pub fn keep_later(host: &Rc<Host>, model: Rc<Model>, prompt: Input) {
    let Some(conversation) = host.caches.end_answer() else { return };
    let cancel = host.caches.begin_saving(&conversation);
    let host_again = Rc::clone(host);
    let task = async move {
        idle(&host_again).await;
        if !cancel.is_cancelled() {
            // What can't be kept is read again.
            keep(&host_again, &model, &conversation, &prompt, &cancel).await.ok();
        }
    };
    host.platform.spawn(task.boxed_local());
}

async fn keep(
    host: &Host,
    model: &Rc<Model>,
    conversation: &str,
    prompt: &Input,
    cancel: &CancelToken,
) -> Result<(), StoreError> {
    let Ok(mut slot) = host.slot(cancel).await else { return Ok(()) };
    let is_loaded = host.model.borrow().as_ref().is_some_and(|loaded| Rc::ptr_eq(loaded, model));
    let Some(ready) = slot.as_mut().filter(|ready| is_loaded && !is_lost(&ready.gpu)) else { return Ok(()) };
    let Ok(session) = ready.session.autoregressive() else { return Ok(()) };
    let Some((contents, parts)) = session.cache_parts() else { return Ok(()) };
    let bytes = parts.iter().map(|part| part.bytes()).sum();
    if contents.tokens() < LEAST_TOKENS || bytes > MAX_BYTES || !session.holds(prompt) {
        return Ok(());
    }
    let Some(key) = key(model, session).await else { return Ok(()) };
    let mut store = store(host).await?;
    let tokens = contents.tokens();
    // The parts that are kept already.
    let synced = &ready.synced;
    let unchanged = if synced.conversation == conversation { synced.tokens } else { 0 };
    let before = store.head(conversation).filter(|head| head.key == key);
    let before = before.map(|head| head.parts.clone()).unwrap_or_default();
    store.begin(conversation, key, contents, (bytes, host.platform.now())).await?;
    for (index, part) in parts.iter().enumerate() {
        let is_kept = |known: &&Part| part.is_within(unchanged) && known.bytes() == part.bytes();
        if let Some(known) = before.get(index).filter(is_kept) {
            store.reuse(*known);
            continue;
        }
        // Lets requests come in.
        host.platform.pause(0).await;
        let stopped = cancel.is_cancelled() || host.tasks.holder().is_some();
        let bytes = if stopped { None } else { session.read_cache(part).await.ok() };
        let kept = match bytes {
            Some(bytes) => store.put(&bytes).await.map(|()| true),
            None => Ok(false),
        };
        if kept != Ok(true) {
            drop(slot);
            store.discard().await;
            return kept.map(|_| ());
        }
    }
    store.commit().await?;
    ready.synced = Synced { conversation: conversation.to_owned(), tokens };
    Ok(())
}
