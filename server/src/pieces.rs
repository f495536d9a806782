//! The content of a file, as a body that is read while the client takes it.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    ops::Range,
};

use axum::body::Bytes;
use futures_util::{Stream, stream};
use tokio::task::yield_now;

use crate::{catalog::Stamp, disk::Disk};

/// The bytes of `part`, read by pieces of `chunk` bytes as the client takes them.
///
/// When the file turns out to be shorter, or to have changed since it was opened, the stream ends with an error: the
/// connection is cut, so that the client takes neither a part nor a mixture for the whole.
pub fn pieces(
    file: File,
    stamp: Stamp,
    disk: Disk,
    chunk: u64,
    part: Range<u64>,
) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold((file, part.start), move |(file, place)| {
        let disk = disk.clone();
        async move {
            let wanted = chunk.min(part.end - place);
            if wanted == 0 {
                return Ok(None);
            }
            // Otherwise a client that takes pieces as fast as they are read would keep the thread to itself.
            yield_now().await;
            let mut piece = disk.buffer(wanted as usize);
            let cached = read_cached(&file, piece.as_mut(), place);
            let (file, piece, metadata) = if cached as u64 == wanted {
                let metadata = file.metadata()?;
                (file, piece, metadata)
            } else {
                let rest = move || {
                    read_rest(&file, &mut piece.as_mut()[cached..], place + cached as u64)?;
                    let metadata = file.metadata()?;
                    Ok((file, piece, metadata))
                };
                disk.run(rest).await?
            };
            // After every piece, the last one above all: what was read before may be of either content.
            if Stamp::from(&metadata) != stamp {
                return Err(io::Error::other("the file has changed"));
            }
            Ok(Some((Bytes::from_owner(piece), (file, place + wanted))))
        }
    })
}

/// Reads from the page cache, up to the first byte that isn't there, without blocking. Handing the read to another thread costs
/// more than the read.
#[cfg(target_os = "linux")]
fn read_cached(file: &File, piece: &mut [u8], place: u64) -> usize {
    use rustix::io::{ReadWriteFlags, preadv2};

    // A file system that can't tell fails.
    preadv2(file, &mut [io::IoSliceMut::new(piece)], place, ReadWriteFlags::NOWAIT).unwrap_or_default()
}

/// Other systems can't tell.
#[cfg(not(target_os = "linux"))]
fn read_cached(_file: &File, _piece: &mut [u8], _place: u64) -> usize {
    0
}

fn read_rest(mut file: &File, piece: &mut [u8], place: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(piece).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the file became shorter"),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use futures_util::{StreamExt as _, TryStreamExt as _};

    use super::*;
    use crate::disk::CHUNK;

    fn file(bytes: &[u8]) -> (File, Stamp) {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        let stamp = Stamp::from(&file.metadata().expect("metadata"));
        (file, stamp)
    }

    #[tokio::test]
    async fn reads_in_pieces_of_bounded_size() {
        let content: Vec<u8> = (0..CHUNK * 2 + 100).map(|at| at as u8).collect();
        let (file, stamp) = file(&content);
        let read = pieces(file, stamp, Disk::default(), CHUNK, 7..CHUNK * 2 + 7);
        let pieces: Vec<Bytes> = read.try_collect().await.expect("no error");
        assert_eq!(pieces.iter().map(Bytes::len).collect::<Vec<_>>(), [CHUNK as usize; 2]);
        assert_eq!(pieces.concat(), &content[7..7 + CHUNK as usize * 2]);
    }

    #[tokio::test]
    async fn a_file_that_became_shorter_is_an_error() {
        let (file, stamp) = file(&[1; 10]);
        let pieces: Vec<_> = pieces(file, stamp, Disk::default(), CHUNK, 5..11).collect().await;
        let error = pieces.last().expect("an item").as_ref().expect_err("an error");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
