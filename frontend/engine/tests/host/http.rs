//! Reads over a scripted server.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use engine::bytes::http::{Body, HttpSource, Reply, Transport, TransportError};
use engine::bytes::{ByteSource as _, Bytes, CancelToken, LocalBoxFuture, SourceError};
use futures_util::FutureExt as _;

/// What the server does with the next request.
enum Step {
    /// No connection.
    Refuse,
    /// This status and no body.
    Status(u16),
    /// The right part; the connection breaks after so many bytes of it, if any.
    Serve { cut: Option<usize> },
    /// The right part with this entity tag.
    Tagged(&'static str),
    /// The whole file with status 200.
    Whole,
    /// This `Content-Range` and the right bytes.
    Named(&'static str),
    /// Never answers.
    Hang,
}

struct Server {
    file: Vec<u8>,
    script: RefCell<VecDeque<Step>>,
    requests: RefCell<Vec<(Range<u64>, Option<String>)>>,
    slept: Cell<Duration>,
}

struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    breaks: bool,
}

impl Body for Pieces {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        let next = match self.pieces.pop_front() {
            Some(piece) => Ok(Some(piece.into())),
            None if self.breaks => Err(TransportError { reason: "reset".to_owned() }),
            None => Ok(None),
        };
        std::future::ready(next).boxed_local()
    }
}

impl Transport for &Server {
    fn request(
        &self,
        range: Range<u64>,
        if_range: Option<String>,
    ) -> LocalBoxFuture<'_, Result<Reply, TransportError>> {
        self.requests.borrow_mut().push((range.clone(), if_range));
        let step = self.script.borrow_mut().pop_front().unwrap_or(Step::Serve { cut: None });
        let total = self.file.len();
        let part = &self.file[range.start as usize..range.end as usize];
        let named = format!("bytes {}-{}/{total}", range.start, range.end - 1);
        let reply = |status, named: Option<String>, tag: &str, bytes: &[u8], breaks| Reply {
            status,
            content_range: named,
            etag: Some(tag.to_owned()),
            body: Box::new(Pieces { pieces: bytes.chunks(7).map(<[u8]>::to_vec).collect(), breaks }),
        };
        let reply = match step {
            Step::Refuse => Err(TransportError { reason: "refused".to_owned() }),
            Step::Status(status) => Ok(reply(status, None, "\"a\"", b"", false)),
            Step::Serve { cut: None } => Ok(reply(206, Some(named), "\"a\"", part, false)),
            Step::Serve { cut: Some(cut) } => Ok(reply(206, Some(named), "\"a\"", &part[..cut], true)),
            Step::Tagged(tag) => Ok(reply(206, Some(named), tag, part, false)),
            Step::Whole => Ok(reply(200, None, "\"a\"", &self.file, false)),
            Step::Named(named) => Ok(reply(206, Some(named.to_owned()), "\"a\"", part, false)),
            Step::Hang => return std::future::pending().boxed_local(),
        };
        std::future::ready(reply).boxed_local()
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'_, ()> {
        self.slept.set(self.slept.get() + duration);
        std::future::ready(()).boxed_local()
    }
}

fn server(script: impl IntoIterator<Item = Step>) -> Server {
    Server {
        file: (0..1000).map(|i| (i % 251) as u8).collect(),
        script: RefCell::new(script.into_iter().collect()),
        requests: RefCell::default(),
        slept: Cell::default(),
    }
}

fn read(server: &Server, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>, SourceError> {
    let source = HttpSource::new(server, server.file.len() as u64, CancelToken::new());
    ranges.iter().map(|range| Ok(pollster::block_on(source.read(range.clone()))?.to_vec())).collect()
}

fn read_one(server: &Server, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
    let source = HttpSource::new(server, server.file.len() as u64, CancelToken::new());
    Ok(pollster::block_on(source.read(range))?.to_vec())
}

#[test]
fn later_requests_insist_on_the_first_ones_tag() {
    let server = server([]);
    let parts = read(&server, &[10..20, 500..500, 990..1000]).expect("a good server");
    assert_eq!(parts, [server.file[10..20].to_vec(), Vec::new(), server.file[990..].to_vec()]);
    let tag = Some("\"a\"".to_owned());
    assert_eq!(*server.requests.borrow(), [(10..20, None), (990..1000, tag)]);
}

#[test]
fn a_cut_read_goes_on_where_it_broke() {
    let server = server([Step::Serve { cut: Some(30) }, Step::Refuse, Step::Serve { cut: Some(5) }]);
    let part = read_one(&server, 100..200).expect("it comes back each time");
    assert_eq!(part, server.file[100..200]);
    let ranges: Vec<_> = server.requests.borrow().iter().map(|(range, _)| range.clone()).collect();
    assert_eq!(ranges, [100..200, 130..200, 130..200, 135..200]);
    assert_eq!(server.slept.get(), Duration::from_millis(250 + 500 + 250));
}

#[test]
fn a_lost_connection_is_told_until_bytes_come_again() {
    let told = |script: Vec<Step>| {
        let server = server(script);
        let told = Rc::new(RefCell::new(Vec::new()));
        let heard = Rc::clone(&told);
        let source = HttpSource::new(&server, 1000, CancelToken::new())
            .watched(Rc::new(move |lost| heard.borrow_mut().push(lost)));
        let read = pollster::block_on(source.read(100..200));
        (read.is_ok(), told.take())
    };
    let cut = || Step::Serve { cut: Some(30) };
    assert_eq!(told(vec![]), (true, vec![]));
    assert_eq!(told(vec![Step::Refuse, Step::Refuse]), (true, vec![true, false]), "once");
    assert_eq!(told(vec![cut(), Step::Status(503), cut()]), (true, vec![true, false, true, false]));
    assert_eq!(told((0..9).map(|_| Step::Refuse).collect()), (false, vec![true, false]), "given up");
}

#[test]
fn a_dead_connection_is_given_up_with_the_place() {
    let server = server([Step::Serve { cut: Some(30) }].into_iter().chain((0..9).map(|_| Step::Refuse)));
    let error = read_one(&server, 100..200).expect_err("it never comes back");
    assert!(
        matches!(&error, SourceError::Network { attempts: 6, offset: 130, reason } if reason == "refused"),
        "{error}"
    );
}

#[test]
fn passing_troubles_of_the_server_are_waited_out_and_others_are_not() {
    let server_ = server([Step::Status(503), Step::Status(429)]);
    assert!(read_one(&server_, 0..10).is_ok());
    let server_ = server([Step::Status(404)]);
    assert!(matches!(read_one(&server_, 0..10), Err(SourceError::Status { status: 404 })));
    assert_eq!(server_.requests.borrow().len(), 1);
}

#[test]
fn another_file_under_the_same_name_is_noticed() {
    for second in [Step::Tagged("\"b\""), Step::Status(416), Step::Named("bytes 10-19/999")] {
        let server = server([Step::Serve { cut: None }, second]);
        assert!(matches!(read(&server, &[0..10, 10..20]), Err(SourceError::Changed)));
    }
}

#[test]
fn a_server_without_ranges_is_refused_unless_all_is_wanted() {
    let server_ = server([Step::Whole]);
    assert!(matches!(read_one(&server_, 0..10), Err(SourceError::BadRange { .. })));
    let server_ = server([Step::Whole]);
    assert_eq!(read_one(&server_, 0..1000).expect("all of it"), server_.file);
}

#[test]
fn another_part_than_asked_for_is_refused() {
    for named in ["bytes 0-8/1000", "bytes 1-10/1000", "bytes 0-9/100000", "", "bytes */1000"] {
        let server = server([Step::Named(named)]);
        let error = read_one(&server, 0..10).expect_err(named);
        assert!(matches!(error, SourceError::BadRange { .. } | SourceError::Changed), "{named}: {error}");
    }
}

#[test]
fn cancelling_ends_a_read_that_hangs() {
    let server = server([Step::Hang]);
    let cancel = CancelToken::new();
    let source = HttpSource::new(&server, 1000, cancel.clone());
    let canceller = std::thread::spawn(move || cancel.cancel());
    let result = pollster::block_on(source.read(0..10));
    canceller.join().expect("the other thread only cancels");
    assert!(matches!(result, Err(SourceError::Cancelled)));
}
