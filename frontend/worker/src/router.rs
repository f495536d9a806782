//! From messages of pages to tasks.

use std::rc::Rc;

use futures_util::FutureExt as _;
use protocol::{Control, Envelope, Failure, Outcome, PageId, Request, RequestId, ToPage, ToWorker, VERSION};
use web_time::Instant;

use crate::failure::Stopped;
use crate::host::Host;
use crate::host::responder::{Answered, Responder};
use crate::state::tasks::{Ending, Kind};
use crate::{
    adapters, caches, constraining, diagnosing, embedding, failure, generating, loading, media, tuning,
};

impl Host {
    /// Takes a message. Requests of pages of another version are ignored.
    pub fn receive(self: &Rc<Self>, message: ToWorker, files: Vec<web_sys::Blob>) {
        match message {
            ToWorker::Hello { version, page } => self.hello(version, page),
            ToWorker::Request(Envelope { id, body }) if self.pages.has(id.page()) => {
                accept(self, Responder::new(self, id), body, files);
            }
            ToWorker::Control(Envelope { id, body }) if self.pages.has(id.page()) => self.control(id, body),
            ToWorker::Request(_) | ToWorker::Control(_) => {}
        }
    }

    fn hello(self: &Rc<Self>, version: u16, page: PageId) {
        self.platform.post(Some(page), ToPage::Ready { version: VERSION }, &[]);
        // A page of another version refuses as well.
        if version == VERSION {
            self.join(page);
            let host = Rc::clone(self);
            self.platform.spawn(async move { host.introduce(page).await }.boxed_local());
        }
    }

    fn control(&self, id: RequestId, control: Control) {
        let Some(task) = self.tasks.get(id) else { return };
        match control {
            Control::Cancel => task.cancel.cancel(),
            Control::AnswerNow => task.answer_now.set(true),
            Control::PauseTraining => task.ending.set(Some(Ending::Pause)),
            Control::FinishTraining => task.ending.set(Some(Ending::Finish)),
        }
    }

    /// A page is gone: what it has asked for ends.
    pub fn leave(self: &Rc<Self>, page: PageId) {
        if self.pages.joined.borrow_mut().remove(&page) {
            self.tasks.stop_page(page);
            self.turns.forget(page);
            adapters::drop_of(self, page);
        }
    }

    async fn list_kept(&self) -> Result<Outcome, Failure> {
        let kept = self.platform.kept().await.map_err(|error| failure::of_store(&error))?;
        Ok(Outcome::Cache(kept))
    }
}

fn accept(shared: &Rc<Host>, responder: Responder, request: Request, files: Vec<web_sys::Blob>) -> Answered {
    let (host, page) = (Rc::clone(shared), responder.page());
    match request {
        Request::Inspect { source, options } => {
            let wanted = loading::LoadRequest { source, files, options };
            responder.run(Kind::Beside, |task| loading::inspect(host, wanted, task))
        }
        Request::Load { source, options } => {
            if shared.tasks.training().is_some_and(|training| training.page() != page) {
                return keep_model(shared, responder);
            }
            // A page that loads a model is done with the one before.
            shared.tasks.stop_holders_of(page);
            let wanted = loading::LoadRequest { source, files, options };
            responder.run(Kind::Load, |task| loading::load(host, wanted, task))
        }
        Request::LoadEncoder { source, keep } => {
            let options = protocol::LoadOptions { keep, ..protocol::LoadOptions::default() };
            let wanted = loading::LoadRequest { source, files, options };
            responder.run(Kind::Beside, |task| embedding::load(host, wanted, task))
        }
        Request::UnloadEncoder => responder.run(Kind::Beside, |task| embedding::unload(host, task)),
        Request::Embed { inputs, elements } => {
            let wanted = embedding::EmbedRequest { inputs, handles: files, elements };
            responder.run(Kind::Beside, |task| embedding::embed(host, wanted, task))
        }
        Request::Unload => {
            if shared.tasks.training().is_some_and(|training| training.page() != page) {
                return keep_model(shared, responder);
            }
            shared.tasks.stop_holders_of(page);
            responder.run(Kind::Unload, |task| loading::unload(host, task))
        }
        Request::Examine(content) => {
            responder.run(Kind::Beside, |task| media::examine(host, content, files, task))
        }
        Request::Listen { at, samples, last } => {
            // Not in the task: tasks may get the model in another order.
            shared.heard.borrow_mut().push(page, at, &samples, last);
            responder.run(Kind::Beside, |task| media::listen(host, task))
        }
        Request::Towers { free } => responder.run(Kind::Beside, |task| media::towers(host, free, task)),
        Request::Generate { messages, options } => {
            if let Some(busy) = shared.tasks.holder_besides_training_of(page) {
                return responder.refuse(busy);
            }
            let training = shared.tasks.training();
            if training.is_some() && !options.pause_training {
                return responder.refuse(Kind::Train);
            }
            // From now on: a step that begins while the answer waits would delay it.
            let interruption = training.map(|_| shared.tuning.interrupt());
            let wanted =
                generating::AnswerRequest { messages, handles: files, options, asked: Instant::now() };
            responder.run(Kind::Answer, |task| async move {
                let answered = generating::answer(host, wanted, task).await;
                drop(interruption);
                answered
            })
        }
        Request::PrepareConstraint(constraint) => {
            responder.run(Kind::Beside, |task| constraining::prepare(host, constraint, task))
        }
        Request::OpenAdapter { key, source } => match shared.tasks.training() {
            Some(_) => responder.refuse(Kind::Train),
            None => responder.run(Kind::Beside, |task| adapters::open(host, key, source, files, task)),
        },
        Request::CloseAdapter { key } => match shared.tasks.training() {
            Some(_) => responder.refuse(Kind::Train),
            None => responder.run(Kind::Beside, |task| adapters::close(host, key, task)),
        },
        Request::Diagnose(what) => {
            let training = || shared.tasks.training().map(|_| Kind::Train);
            match shared.tasks.holder_of(page).or_else(training) {
                Some(busy) => responder.refuse(busy),
                None => responder.run(Kind::Diagnosis, |task| diagnosing::diagnose(host, what, task)),
            }
        }
        Request::Count { messages, thinking, tools } => {
            shared.tasks.stop(page, Kind::Count);
            let wanted = generating::CountRequest { messages, handles: files, thinking, tools };
            responder.run(Kind::Count, |task| generating::count(host, wanted, task))
        }
        Request::Tune(request) => tuning::accept(shared, responder, *request, files),
        Request::KeptCaches { forget } => responder.run(Kind::Beside, |_| caches::forget(host, forget)),
        Request::ListCache => responder.run(Kind::Beside, |task| async move {
            let listed = async { host.list_kept().await.map_err(Stopped) };
            task.cancel.guard(listed).await.map_err(|Stopped(failure)| failure)
        }),
        Request::DeleteCached { digests } => responder.run(Kind::Beside, |_| async move {
            for digest in &digests {
                host.platform.delete(digest).await.map_err(|error| failure::of_store(&error))?;
            }
            host.list_kept().await
        }),
    }
}

/// Refuses to change the model that another page trains, and tells the page what is loaded.
fn keep_model(host: &Host, responder: Responder) -> Answered {
    let answered = responder.refuse(Kind::Train);
    host.tell_state();
    answered
}
