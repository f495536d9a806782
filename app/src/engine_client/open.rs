//! Requests under way, with what is needed to ask another engine for the rest.

use futures_channel::mpsc::UnboundedSender;
use protocol::{Code, Event, Failure, Finish, Outcome, Progress, Request, RequestId, Resumed, Timings};
use web_sys::Blob;

/// A request that has not ended.
pub struct Open {
    sender: UnboundedSender<Event>,
    again: Again,
    /// Whether its engine was asked to stop it.
    is_cancelled: bool,
}

/// How another engine is asked for it.
enum Again {
    /// Not at all: it was for the engine that is gone.
    Never,
    /// With the same request.
    Same(Box<Request>, Vec<Blob>),
    /// From where the answer stood.
    Answer(Box<Answer>),
}

/// An answer under way.
struct Answer {
    request: Request,
    files: Vec<Blob>,
    resumed: Option<Resumed>,
    /// Text and calls since the last [`Progress::Drawn`], held back until the next one: after the end of their engine,
    /// another one would repeat them.
    pending: Vec<Progress>,
    /// Whether its engine is gone, and no other was asked yet.
    is_cut: bool,
}

impl Open {
    /// A request that is about to be sent.
    pub fn new(request: &Request, files: &[Blob], sender: UnboundedSender<Event>) -> Self {
        let again = match request {
            Request::Inspect { .. }
            | Request::Load { .. }
            | Request::Examine(_)
            | Request::Count { .. }
            | Request::PrepareConstraint(_)
            | Request::ListCache
            | Request::DeleteCached { .. } => Again::Same(Box::new(request.clone()), files.to_vec()),
            Request::Generate { .. } => Again::Answer(Box::new(Answer {
                request: request.clone(),
                files: files.to_vec(),
                resumed: None,
                pending: Vec::new(),
                is_cut: false,
            })),
            _ => Again::Never,
        };
        Self { sender, again, is_cancelled: false }
    }

    /// Takes progress, and passes on what is certain.
    pub fn report(&mut self, progress: Progress) {
        if let Again::Answer(answer) = &mut self.again {
            match &progress {
                Progress::Begins(resumed) => answer.resumed = Some(resumed.clone()),
                Progress::Drawn { ids, decode_ms } => {
                    if let Some(resumed) = &mut answer.resumed {
                        resumed.drawn.extend(ids);
                        resumed.decode_ms = *decode_ms;
                    }
                    return self.release();
                }
                Progress::Text { .. } | Progress::Tool(_) => return answer.pending.push(progress),
                _ => {}
            }
        }
        self.pass_on(Event::Progress(progress));
    }

    /// Passes on the outcome.
    pub fn end(mut self, outcome: Result<Outcome, Failure>) {
        self.release();
        self.pass_on(Event::Outcome(outcome));
    }

    fn release(&mut self) {
        let Again::Answer(answer) = &mut self.again else { return };
        for progress in std::mem::take(&mut answer.pending) {
            self.pass_on(Event::Progress(progress));
        }
    }

    /// Notes that it is to be stopped. Returns whether no engine has to be asked.
    pub fn cancel(&mut self) -> bool {
        self.is_cancelled = true;
        self.is_cut()
    }

    /// The engine is gone. Whether another is to be asked.
    pub fn cut(&mut self) -> bool {
        if self.is_cancelled {
            self.stop();
            return false;
        }
        if let Again::Answer(answer) = &mut self.again {
            answer.pending.clear();
            answer.is_cut = true;
        }
        !matches!(self.again, Again::Never)
    }

    /// Returns what a new engine is asked as soon as it is there.
    pub fn same(&self) -> Option<(&Request, &[Blob])> {
        match &self.again {
            Again::Same(request, files) => Some((request, files)),
            Again::Never | Again::Answer(_) => None,
        }
    }

    /// Whether it is an answer that waits for a new engine to have its model.
    pub fn is_cut(&self) -> bool {
        matches!(&self.again, Again::Answer(answer) if answer.is_cut)
    }

    /// Returns what a new engine is asked for the rest of an answer once it has the model, by this request.
    pub fn rest(&mut self, loaded_by: RequestId) -> Option<(Request, Vec<Blob>)> {
        let Again::Answer(answer) = &mut self.again else { return None };
        if !std::mem::take(&mut answer.is_cut) {
            return None;
        }
        let mut request = answer.request.clone();
        if let Request::Generate { options, .. } = &mut request {
            options.model = options.model.map(|_| loaded_by);
            options.resumed = answer.resumed.clone().map(Box::new);
        }
        Some((request, answer.files.clone()))
    }

    /// Ends as cancelled what no engine is doing.
    pub fn stop(&self) {
        let Again::Answer(answer) = &self.again else {
            return self.pass_on(Event::Outcome(Err(Code::Cancelled.into())));
        };
        let resumed = answer.resumed.clone().unwrap_or_default();
        let timings = Timings {
            decode_tokens: resumed.drawn.len() as u32,
            decode_ms: resumed.decode_ms,
            ..Timings::default()
        };
        self.pass_on(Event::Outcome(Ok(Outcome::Done { finish: Finish::Cancelled, timings })));
    }

    fn pass_on(&self, event: Event) {
        // An event may be late: its reply was dropped. Then nobody wants it.
        self.sender.unbounded_send(event).ok();
    }
}

#[cfg(test)]
mod tests {
    use futures_channel::mpsc::{UnboundedReceiver, unbounded};
    use protocol::{Channel, GenerateOptions};

    use super::*;

    fn answer() -> (Open, UnboundedReceiver<Event>) {
        let (sender, events) = unbounded();
        let options = GenerateOptions { model: Some(RequestId(1)), ..GenerateOptions::default() };
        let request = Request::Generate { messages: Vec::new(), options };
        (Open::new(&request, &[], sender), events)
    }

    fn text(text: &str, tokens: u32) -> Progress {
        Progress::Text { channel: Channel::Answer, text: text.into(), tokens }
    }

    fn heard(events: &mut UnboundedReceiver<Event>) -> Vec<Event> {
        std::iter::from_fn(|| events.try_recv().ok()).collect()
    }

    #[test]
    fn another_engine_is_asked_for_what_was_not_certain() {
        let (mut open, mut events) = answer();
        let begins = Resumed { seed: 7, begun: vec![5], ..Resumed::default() };
        open.report(Progress::Begins(begins.clone()));
        assert_eq!(heard(&mut events).len(), 1);
        open.report(text("One ", 1));
        assert_eq!(heard(&mut events), []);
        open.report(Progress::Drawn { ids: vec![10, 11], decode_ms: 4.0 });
        open.report(text("two", 2));
        assert_eq!(heard(&mut events), [Event::Progress(text("One ", 1))]);

        assert!(open.cut() && open.is_cut());
        let (request, _) = open.rest(RequestId(9)).expect("it can be asked again");
        let Request::Generate { options, .. } = request else { panic!("{request:?}") };
        let resumed = Resumed { drawn: vec![10, 11], decode_ms: 4.0, ..begins };
        assert_eq!((options.model, options.resumed), (Some(RequestId(9)), Some(Box::new(resumed.clone()))));
        assert!(open.rest(RequestId(9)).is_none(), "once is enough");

        open.report(Progress::Begins(resumed));
        open.report(text("two", 2));
        open.report(Progress::Drawn { ids: vec![12], decode_ms: 6.0 });
        let done = Ok(Outcome::Done { finish: Finish::EndOfTurn, timings: Timings::default() });
        open.end(done.clone());
        assert_eq!(heard(&mut events)[1..], [Event::Progress(text("two", 2)), Event::Outcome(done)]);
    }

    #[test]
    fn an_answer_that_nobody_gives_can_be_stopped() {
        let (mut open, mut events) = answer();
        open.report(Progress::Begins(Resumed::default()));
        open.report(Progress::Drawn { ids: vec![1, 2, 3], decode_ms: 5.0 });
        assert!(open.cut());
        heard(&mut events);
        open.stop();
        let timings = Timings { decode_tokens: 3, decode_ms: 5.0, ..Timings::default() };
        assert_eq!(
            heard(&mut events),
            [Event::Outcome(Ok(Outcome::Done { finish: Finish::Cancelled, timings }))]
        );
    }

    #[test]
    fn what_was_cancelled_is_not_asked_again() {
        let (mut open, mut events) = answer();
        assert!(!open.cancel(), "the engine is asked");
        assert!(!open.cut());
        assert!(matches!(
            heard(&mut events)[..],
            [Event::Outcome(Ok(Outcome::Done { finish: Finish::Cancelled, .. }))]
        ));
        let (sender, mut events) = unbounded();
        let mut open = Open::new(&Request::ListCache, &[], sender);
        open.cancel();
        assert!(!open.cut());
        assert!(matches!(&heard(&mut events)[..], [Event::Outcome(Err(failure))] if failure.is_cancelled()));
    }

    #[test]
    fn what_was_for_one_engine_is_not_asked_of_another() {
        let (sender, _events) = unbounded();
        let mut open = Open::new(&Request::Unload, &[], sender.clone());
        assert!(!open.cut());
        let mut open = Open::new(&Request::ListCache, &[], sender);
        assert!(open.cut() && !open.is_cut());
        assert_eq!(open.same().map(|(request, _)| request), Some(&Request::ListCache));
    }
}
