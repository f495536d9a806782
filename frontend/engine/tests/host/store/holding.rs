//! Ranges that are held: they are read from the copy and from nowhere else.

use std::ops::Range;
use std::rc::Rc;

use engine::bytes::{ByteSource as _, CancelToken, SourceError};
use engine::store::{CachingSource, KeptRange, StoreError};

use super::Bench;

fn hold(source: &Rc<CachingSource>, range: Range<u64>) -> Result<KeptRange, StoreError> {
    pollster::block_on(source.hold(range, &CancelToken::new(), &mut |_, _| ()))
}

#[test]
fn a_range_that_is_held_is_never_read_from_elsewhere() {
    let bench = Bench::new(1000);
    let source = Rc::new(bench.open());
    bench.read(&source, 250..300);
    bench.served();
    let held = hold(&source, 200..700).expect("there is room");
    assert_eq!(bench.served(), 450, "what was here is not fetched again");
    let read = |range: Range<u64>| pollster::block_on(held.read(range)).map(|bytes| bytes.to_vec());
    assert_eq!(read(200..700).expect("it is here"), bench.content[200..700]);
    assert!(matches!(read(199..201), Err(SourceError::OutOfRange { .. })));
    assert!(matches!(read(699..701), Err(SourceError::OutOfRange { .. })));

    // A copy that breaks is an error, and nothing of what was wanted shows in what is fetched later.
    bench.files.unreadable.set(true);
    assert!(matches!(read(333..340), Err(SourceError::Unreadable { .. })));
    assert!(matches!(read(400..410), Err(SourceError::Unreadable { .. })));
    assert_eq!(bench.served(), 0);
    assert_eq!(source.record().present.first_missing(&(200..700)), Some(200..700));
}

#[test]
fn a_range_is_not_held_where_it_cannot_be_kept() {
    let bench = Bench::new(1000);
    bench.files.room.set(400);
    let source = Rc::new(bench.open());
    assert_eq!(hold(&source, 200..700).err(), Some(StoreError::Full { kept: 0, size: 1000 }));
    // What is here already can be held, whatever happened meanwhile.
    let bench = Bench::new(1000);
    bench.files.room.set(400);
    let source = Rc::new(bench.open());
    bench.read(&source, 0..300);
    bench.read(&source, 300..600);
    assert!(source.trouble().is_some());
    assert!(hold(&source, 100..300).is_ok());

    let bench = Bench::new(1000);
    bench.upstream.cut.set(true);
    let source = Rc::new(bench.open());
    assert!(matches!(hold(&source, 0..10), Err(StoreError::Source(SourceError::Network { .. }))));
}
