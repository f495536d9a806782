//! A disk without room.

use std::{
    fs,
    process::{Command, Output},
};

use server::pull::PullError;

use super::{Model, Target, fake::Fake};

/// The program that was compiled for these tests.
const SERVER: &str = env!("CARGO_BIN_EXE_server");

#[tokio::test]
async fn room_is_looked_for_first() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    let puller = target.puller().free_space(|_| Ok(2_000_000));
    let error = target.pull_with(&puller, &name).await.expect_err("no room");
    assert!(matches!(error, PullError::NoRoom { free: 2_000_000, .. }), "{error}");
    let expected =
        format!("Not enough disk space: 3.0 MB needed, 2.0 MB free in {}.", target.path().display());
    assert_eq!(error.to_string(), expected);
    assert!(fake.ranges(model.content()).is_empty() && target.listed().await.is_empty());

    // What is there already needs no room.
    fs::write(target.partial(model.content()), &model.content()[..1_500_000]).expect("written");
    target.pull_with(&puller, &name).await.expect("pulled");
    target.assert_has(&name, &model);
}

/// A limit on the size of files: writing fails in the middle, as it does on a full disk.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_cannot_grow_is_told_and_deleted() {
    let (model, target) = (Model::tiny(), Target::new());
    let (_fake, name) = Fake::with(&model).await;
    // Blocks of 512 bytes: 1 MiB and a bit. The signal would end the program before it could say anything.
    let script = r#"trap "" XFSZ; ulimit -f 2100; exec "$0" pull "$1" --ollama-models "$2""#;
    let output = Command::new("sh").args(["-c", script, SERVER, &name]).arg(target.path()).output();
    let output = output.expect("a shell");
    assert_refused(&output);
    assert!(!target.partial(model.content()).exists(), "{:?}", target.files());
    assert!(target.listed().await.is_empty());
}

/// A real full disk: a file system in memory, in a namespace of its own, as any user may have one on most systems.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_told_and_cleaned() {
    let unshare = || {
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
        unshare
    };
    let (model, target) = (Model::tiny(), Target::new());
    if !unshare().arg("mount -t tmpfs tmpfs /mnt").output().is_ok_and(|output| output.status.success()) {
        use std::io::Write as _;

        let line =
            "skipped: a_full_disk_is_told_and_cleaned needs user namespaces, which this system refuses";
        writeln!(std::io::stderr(), "{line}").ok();
        return;
    }
    let (_fake, name) = Fake::with(&model).await;
    // A sparse file of almost the full size: little seems to be missing, until its bytes turn out to be wrong.
    let script = r#"
        mount -t tmpfs -o size=2m tmpfs "$2" && mkdir "$2/blobs" && truncate -s "$3" "$4" || exit 99
        "$0" pull "$1" --ollama-models "$2"
        code=$?
        ls -A "$2/blobs"
        exit $code"#;
    let begun = (model.content().len() - 10).to_string();
    let mut command = unshare();
    command.args([script, SERVER, &name]).arg(target.path()).arg(begun).arg(target.partial(model.content()));
    let output = command.output().expect("a shell");
    assert_refused(&output);
    // The small files came first and stay.
    let left = String::from_utf8_lossy(&output.stdout);
    assert!(left.lines().count() == 4 && !left.contains("partial"), "{left}");
}

fn assert_refused(output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("gemtab: The disk is full (") && last.contains(" MB more needed, "), "{said}");
    assert!(last.ends_with("The unfinished file was deleted."), "{said}");
}

/// Whoever may write to the store must neither stop a download nor have it write elsewhere.
#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_not_written_to() {
    let (model, target) = (Model::tiny(), Target::new());
    let (_fake, name) = Fake::with(&model).await;
    let outside = tempfile::NamedTempFile::new().expect("a file");
    let partial = target.partial(model.content());
    fs::create_dir(target.path().join("blobs")).expect("a folder");
    crate::support::pipe(&partial);
    let error = target.pull(&name).await.expect_err("a pipe");
    assert!(matches!(error, PullError::Disk { .. }), "{error}");
    fs::remove_file(&partial).expect("removed");
    std::os::unix::fs::symlink(outside.path(), &partial).expect("a link");
    let error = target.pull(&name).await.expect_err("a link");
    assert!(matches!(error, PullError::Disk { .. }), "{error}");
    assert_eq!(fs::metadata(outside.path()).expect("a file").len(), 0);
    fs::remove_file(&partial).expect("removed");
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
}
