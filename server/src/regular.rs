//! Opening files where others may put what they like: regular files and nothing else, and below a folder nothing that lies
//! outside of it.
//!
//! A pipe would keep whoever opens it waiting for its other end, a device may do anything, and a link may lead anywhere.
//! Whatever was looked at before it is opened may have been exchanged since, so what counts is what is open.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

/// Opens the regular file at `path`, in which no link may be left: it is one that [`fs::canonicalize`] gave.
///
/// # Errors
/// When there is none, or when a link has come in.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = open_linkless(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(not_a_file()) }
}

/// Opens the regular file that `path` leads to, wherever that is.
///
/// # Errors
/// When there is none.
pub fn open_linked(path: &Path) -> io::Result<(File, Metadata)> {
    open(&fs::canonicalize(path)?)
}

/// Opens the regular file at `path` in `root`. Links are followed as long as they lead to somewhere in `root`.
///
/// # Errors
/// When there is none, or when it lies elsewhere.
pub fn open_below(root: &Path, path: &Path) -> io::Result<(File, Metadata)> {
    let root = fs::canonicalize(root)?;
    let path = resolve(&root, &root.join(path))?;
    open(&path.ok_or_else(|| io::Error::new(io::ErrorKind::PermissionDenied, "it leads out of the folder"))?)
}

/// Opens the regular file at `path` to read and to write it, or creates it. A link in its place is not followed.
///
/// # Errors
/// When something else is there, or it can't be created.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(not_a_file());
    }
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    set_nofollow_nonblock(&mut options);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_a_file()) }
}

/// Has a file opened without following a link and without waiting for the other end of a pipe.
#[cfg(unix)]
fn set_nofollow_nonblock(options: &mut fs::OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32);
}

/// Where `path` leads when all links are followed. `None` if that is outside of `root`, in which no link may be left.
///
/// # Errors
/// When it leads nowhere.
pub fn resolve(root: &Path, path: &Path) -> io::Result<Option<PathBuf>> {
    let path = fs::canonicalize(path)?;
    Ok(path.starts_with(root).then_some(path))
}

/// What is no regular file.
pub fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")
}

/// Goes from folder to folder, so that nothing on the way can become a link unnoticed.
#[cfg(target_os = "linux")]
fn open_linkless(path: &Path) -> io::Result<File> {
    use std::path::Component;

    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};

    // To pass through a folder takes no permission to read it.
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(not_a_file()) };
    let mut folder = openat(CWD, if path.is_absolute() { "/" } else { "." }, step, Mode::empty())?;
    for part in parent.components() {
        match part {
            Component::RootDir | Component::CurDir => {}
            Component::Normal(part) => folder = openat(&folder, part, step, Mode::empty())?,
            Component::ParentDir | Component::Prefix(_) => return Err(not_a_file()),
        }
    }
    // Opening a device may change its state.
    let stat = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(not_a_file());
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(&folder, name, flags, Mode::empty())?.into())
}

/// Other systems may need permission to read each folder on the way: here, the way is only looked at before.
#[cfg(not(target_os = "linux"))]
fn open_linkless(path: &Path) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() || fs::canonicalize(path)? != path {
        return Err(not_a_file());
    }
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    set_nofollow_nonblock(&mut options);
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        io::Read as _,
        os::unix::{fs::symlink, net::UnixListener},
    };

    use super::*;
    use crate::testing::pipe;

    fn text((mut file, _): (File, Metadata)) -> String {
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        text
    }

    /// A folder `root` with a file and another folder beside it, all below a folder without a link in its path.
    fn folders() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = fs::canonicalize(folder.path()).expect("its path");
        fs::create_dir_all(path.join("root/inner")).expect("folders");
        fs::create_dir(path.join("outside")).expect("a folder");
        fs::write(path.join("root/inner/file"), "content").expect("written");
        fs::write(path.join("outside/file"), "secret").expect("written");
        (folder, path)
    }

    #[test]
    fn regular_files_are_opened_and_nothing_else_is() {
        let (_folder, path) = folders();
        let root = path.join("root");
        assert_eq!(text(open(&root.join("inner/file")).expect("a file")), "content");
        pipe(&root.join("pipe"));
        let _socket = UnixListener::bind(root.join("socket")).expect("a socket");
        symlink("inner/file", root.join("link")).expect("a link");
        symlink("inner", root.join("linked")).expect("a link");
        for name in ["pipe", "socket", "inner", "link", "linked/file", "inner/../inner/file"] {
            open(&root.join(name)).expect_err(name);
        }
        for device in ["/dev/null", "/dev/zero"] {
            open(Path::new(device)).expect_err(device);
            open_linked(Path::new(device)).expect_err(device);
        }
        assert_eq!(text(open_linked(&root.join("linked/file")).expect("a file")), "content");
        open_linked(&root.join("pipe")).expect_err("a pipe");
    }

    #[test]
    fn what_is_written_is_a_regular_file_of_that_name() {
        let (_folder, path) = folders();
        let root = path.join("root");
        let file = root.join("inner/file");
        assert_eq!(
            text((open_or_create(&file).expect("a file"), file.metadata().expect("metadata"))),
            "content"
        );
        open_or_create(&root.join("new")).expect("created");
        assert!(root.join("new").is_file());
        pipe(&root.join("pipe"));
        for (to, name) in [("../outside/file", "out"), ("nowhere", "dangling"), ("pipe", "to-pipe")] {
            symlink(to, root.join(name)).expect("a link");
        }
        for name in ["pipe", "inner", "out", "dangling", "to-pipe"] {
            open_or_create(&root.join(name)).expect_err(name);
        }
        assert!(!root.join("nowhere").exists());
    }

    #[test]
    fn nothing_outside_of_the_root_is_opened() {
        let (_folder, path) = folders();
        let root = path.join("root");
        let link = |to: &Path, name: &str| symlink(to, root.join(name)).expect("a link");
        link(Path::new("inner/file"), "inside");
        link(&root.join("inside"), "chain");
        link(Path::new("inner"), "folder");
        for name in ["inner/file", "inside", "chain", "folder/file", "../root/inner/file"] {
            assert_eq!(text(open_below(&root, Path::new(name)).expect(name)), "content");
        }
        link(Path::new("../outside/file"), "out");
        link(&path.join("outside/file"), "absolute");
        link(Path::new("out"), "out-by-chain");
        link(Path::new("../outside"), "away");
        link(Path::new("nowhere"), "dangling");
        link(Path::new("circle"), "circle");
        link(Path::new("/dev/zero"), "device");
        pipe(&path.join("root/pipe"));
        link(Path::new("pipe"), "to-pipe");
        let absolute = path.join("outside/file");
        let refused =
            ["out", "absolute", "out-by-chain", "away/file", "dangling", "circle", "device", "pipe"];
        let others = ["to-pipe", "inner", "folder", "../outside/file", absolute.to_str().expect("text")];
        for name in refused.into_iter().chain(others) {
            open_below(&root, Path::new(name)).expect_err(name);
        }
        // The folder itself may be a link: whoever started the program named it.
        symlink("root", path.join("named")).expect("a link");
        assert_eq!(text(open_below(&path.join("named"), Path::new("inside")).expect("a file")), "content");
    }
}
