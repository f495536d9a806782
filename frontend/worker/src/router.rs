//! From requests to tasks. Every request ends with exactly one terminal event: the one its task returns.

use std::future::Future;
use std::rc::Rc;

use futures_util::FutureExt as _;
use protocol::failure::{Activity, EngineFailure, RequestFailure};
use protocol::{Busy, Event, Failure, PageId, Request, RequestId, VERSION, WireError};
use web_time::Instant;

use crate::failure::Stopped;
use crate::host::Host;
use crate::tasks::{Kind, Task};
use crate::{adapters, diagnosing, failure, generating, loading, media, tuning};

impl Host {
    /// Takes a message of the page's: the bytes of a request, and the handles of files that it speaks of.
    pub fn receive_bytes(self: &Rc<Self>, bytes: &[u8], files: Vec<web_sys::Blob>) {
        match protocol::decode::<Request>(bytes) {
            Ok(request) => self.receive(request, files),
            Err(error) => self.warn(unreadable(&error)),
        }
    }

    /// Takes a request.
    pub fn receive(self: &Rc<Self>, request: Request, files: Vec<web_sys::Blob>) {
        if let Request::Hello { version, page } = request {
            self.hello(version, page);
            return;
        }
        // Of a page of another version nothing can be relied on.
        let Some(page) = request.id().map(RequestId::page).filter(|&page| self.pages.has(page)) else {
            return;
        };
        let host = Rc::clone(self);
        match request {
            Request::Hello { .. } => {}
            Request::Inspect { id, source, options } => {
                let wanted = loading::Wanted { source, files, options };
                self.run(id, Kind::Beside, |task| loading::inspect(host, id, wanted, task));
            }
            Request::Load { id, source, options } => {
                if self.tasks.training().is_some_and(|training| training.page() != page) {
                    self.refuse_busy(id, Kind::Train);
                    self.tell_state();
                    return;
                }
                // A page that loads a model is done with the one before.
                self.tasks.stop_holders_of(page);
                let wanted = loading::Wanted { source, files, options };
                self.run(id, Kind::Load, |task| loading::load(host, id, wanted, task));
            }
            Request::Unload { id } => {
                if self.tasks.training().is_some_and(|training| training.page() != page) {
                    self.refuse_busy(id, Kind::Train);
                    self.tell_state();
                    return;
                }
                self.tasks.stop_holders_of(page);
                self.run(id, Kind::Unload, |task| loading::unload(host, id, task));
            }
            Request::Examine { id, content } => {
                self.run(id, Kind::Beside, |task| media::examine(host, id, content, files, task));
            }
            Request::Listen { id, at, samples, last } => {
                // Here, for tasks may come to the model in another order.
                self.heard.borrow_mut().push(page, at, &samples, last);
                self.run(id, Kind::Beside, |task| media::listen(host, id, task));
            }
            Request::Towers { id, free } => {
                self.run(id, Kind::Beside, |task| media::towers(host, id, free, task));
            }
            Request::Generate { id, messages, options } => {
                if let Some(busy) = self.tasks.holder_besides_training_of(page) {
                    self.refuse_busy(id, busy);
                    return;
                }
                if !options.pause_training && self.is_training_for(id) {
                    return;
                }
                // From now on: a step that begins while the answer waits would delay it.
                let interruption = self.tasks.training().map(|_| self.tuning.interrupt());
                let wanted = generating::Wanted { messages, handles: files, options, asked: Instant::now() };
                self.run(id, Kind::Answer, |task| async move {
                    let answered = generating::answer(host, id, wanted, task).await;
                    drop(interruption);
                    answered
                });
            }
            Request::OpenAdapter { id, key, source } => {
                if !self.is_training_for(id) {
                    self.run(id, Kind::Beside, |task| adapters::open(host, id, key, source, files, task));
                }
            }
            Request::CloseAdapter { id, key } => {
                if !self.is_training_for(id) {
                    self.run(id, Kind::Beside, |task| adapters::close(host, id, key, task));
                }
            }
            Request::Diagnose { id, what } => {
                if !self.is_busy_for(id) && !self.is_training_for(id) {
                    self.run(id, Kind::Diagnosis, |task| diagnosing::diagnose(host, id, what, task));
                }
            }
            Request::AnswerNow { id } => {
                if let Some(task) = self.tasks.get(id) {
                    task.answer_now.set(true);
                }
            }
            Request::Count { id, messages, thinking } => {
                self.tasks.stop(page, Kind::Count);
                self.run(id, Kind::Count, |task| {
                    generating::count(host, id, messages, files, thinking, task)
                });
            }
            Request::Cancel { id } => {
                if let Some(task) = self.tasks.get(id) {
                    task.cancel.cancel();
                }
            }
            Request::Tune { id, request } => tuning::receive(self, id, *request, files),
            Request::ListCache { id } => self.run(id, Kind::Beside, |task| async move {
                task.cancel.guard(host.list_kept(id)).await.map_err(|Stopped(failure)| failure)
            }),
            Request::DeleteCached { id, digests } => self.run(id, Kind::Beside, |_| async move {
                for digest in &digests {
                    let deleted = host.platform.delete(digest).await;
                    deleted.map_err(|error| failure::of_store(&error))?;
                }
                host.list_kept(id).await.map_err(|Stopped(failure)| failure)
            }),
        }
    }

    fn hello(self: &Rc<Self>, version: u16, page: PageId) {
        self.platform.post(Some(page), Event::Ready { version: VERSION }, &[]);
        // A page of another version refuses as well.
        if version == VERSION {
            self.join(page);
            let host = Rc::clone(self);
            self.platform.spawn(async move { host.introduce(page).await }.boxed_local());
        }
    }

    /// Whether something else that its page has asked for has the model; then the request has been refused.
    pub(crate) fn is_busy_for(&self, id: RequestId) -> bool {
        let busy = self.tasks.holder_of(id.page());
        if let Some(busy) = busy {
            self.refuse_busy(id, busy);
        }
        busy.is_some()
    }

    /// Whether a training has the model, which is too long to wait for; then the request has been refused.
    pub(crate) fn is_training_for(&self, id: RequestId) -> bool {
        let training = self.tasks.training();
        if training.is_some() {
            self.refuse_busy(id, Kind::Train);
        }
        training.is_some()
    }

    pub(crate) fn refuse_busy(&self, id: RequestId, busy: Kind) {
        self.post(Event::Failed { id: Some(id), failure: busy_failure(busy) });
    }

    /// What has the model now.
    pub(crate) fn busy(&self) -> Option<Busy> {
        let of = |id: RequestId| {
            let kind = self.tasks.get(id)?.kind;
            Some(Busy { page: id.page(), activity: activity(kind) })
        };
        self.turns.current().and_then(of).or_else(|| self.tasks.training().and_then(of))
    }

    /// Runs a request's task to its end.
    pub(crate) fn run<F>(self: &Rc<Self>, id: RequestId, kind: Kind, work: impl FnOnce(Task) -> F)
    where
        F: Future<Output = Result<Event, Failure>> + 'static,
    {
        let work = work(self.tasks.begin(id, kind));
        let host = Rc::clone(self);
        self.platform.spawn(
            async move {
                let result = work.await;
                host.tasks.end(id);
                host.post(terminal(id, result));
                // A page does not look at the state while it loads.
                if matches!(kind, Kind::Train | Kind::Load) {
                    host.tell_state();
                }
            }
            .boxed_local(),
        );
    }

    async fn list_kept(&self, id: RequestId) -> Result<Event, Stopped> {
        let kept = self.platform.kept().await.map_err(|error| Stopped(failure::of_store(&error)))?;
        Ok(Event::Cache {
            id,
            entries: kept.entries,
            used: kept.used,
            quota: kept.quota,
            persisted: kept.persisted,
        })
    }
}

fn terminal(id: RequestId, result: Result<Event, Failure>) -> Event {
    result.unwrap_or_else(|failure| Event::Failed { id: Some(id), failure })
}

pub(crate) fn busy_failure(busy: Kind) -> Failure {
    RequestFailure::Busy(activity(busy)).into()
}

fn activity(kind: Kind) -> Activity {
    match kind {
        Kind::Load => Activity::Loading,
        Kind::Unload => Activity::Unloading,
        Kind::Train => Activity::Training,
        Kind::Answer | Kind::Count | Kind::Beside => Activity::Generating,
        Kind::Diagnosis => Activity::Measuring,
    }
}

fn unreadable(error: &WireError) -> Failure {
    Failure::new(EngineFailure::BadMessage).detailed(error)
}
