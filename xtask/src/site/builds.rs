//! Where built sites are: each in a folder of its own, which never changes once it is complete. A server that serves one keeps it
//! until it ends, whatever is built meanwhile.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use fs4::{FileExt, TryLockError};

/// Names the build that a server takes which is given the folder of all: see `server::site`.
const LATEST: &str = "latest";
/// Held by whoever builds.
const LOCK: &str = "lock";
/// The last file of a build, which a server has locked while it serves the build.
const COMPLETE: &str = "assets.json";
/// What the name of a build ends with until it is complete.
const PART: &str = ".part";
/// Builds that are kept although nobody serves them: those of `serve` and `test`, and of an earlier state of the sources.
const KEPT: usize = 4;

/// The built sites. Others wait for this to be dropped before they build.
pub struct Builds {
    root: PathBuf,
    _lock: File,
}

impl Builds {
    /// Those in this folder, once nobody else is building there.
    pub fn lock(root: PathBuf) -> Result<Self> {
        let path = root.join(LOCK);
        let cannot = || format!("cannot lock {}", path.display());
        fs::create_dir_all(&root).with_context(|| format!("cannot create {}", root.display()))?;
        let lock =
            File::options().create(true).truncate(false).write(true).open(&path).with_context(cannot)?;
        match FileExt::try_lock(&lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                eprintln!("    Waiting for another build of the site …");
                FileExt::lock(&lock).with_context(cannot)?;
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        Ok(Self { root, _lock: lock })
    }

    /// The folder of the complete build of this name. `None` if there is none.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        Some(self.root.join(name)).filter(|folder| folder.join(COMPLETE).exists())
    }

    /// An empty folder for the files of a build.
    pub fn begin(&self, name: &str) -> Result<PathBuf> {
        let folder = self.root.join(format!("{name}{PART}"));
        fs::remove_dir_all(&folder).ok();
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(folder)
    }

    /// Gives a build its name now that it is complete, and deletes old ones.
    pub fn finish(&self, name: &str) -> Result<PathBuf> {
        let (from, to) = (self.root.join(format!("{name}{PART}")), self.root.join(name));
        // Left by somebody who was stopped while deleting it.
        fs::remove_dir_all(&to).ok();
        fs::rename(&from, &to).with_context(|| format!("cannot create {}", to.display()))?;
        self.prune()?;
        Ok(to)
    }

    /// Has servers that are given the folder of all builds take this one.
    pub fn make_latest(&self, name: &str) -> Result<()> {
        let path = self.root.join(LATEST);
        let part = path.with_extension("part");
        fs::write(&part, name)
            .and_then(|()| fs::rename(&part, &path))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// The folders of the complete builds, the newest first.
    pub fn all(&self) -> Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        for folder in self.folders()? {
            if let Ok(made) = fs::metadata(folder.join(COMPLETE)).and_then(|complete| complete.modified()) {
                all.push((made, folder));
            }
        }
        all.sort();
        Ok(all.into_iter().rev().map(|(_, folder)| folder).collect())
    }

    fn folders(&self) -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(&self.root).context("cannot list the built sites")?;
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        Ok(folders.map(|entry| entry.path()).collect())
    }

    fn prune(&self) -> Result<()> {
        // Whoever began these was stopped: nobody else is building.
        for folder in self.folders()?.iter().filter(|folder| is_part(folder)) {
            fs::remove_dir_all(folder).ok();
        }
        let latest = fs::read_to_string(self.root.join(LATEST)).map(|name| self.root.join(name)).ok();
        for folder in self.all()?.into_iter().skip(KEPT).filter(|folder| Some(folder) != latest.as_ref()) {
            let Ok(complete) = File::open(folder.join(COMPLETE)) else { continue };
            if FileExt::try_lock(&complete).is_ok() {
                fs::remove_dir_all(&folder).ok();
            }
        }
        Ok(())
    }
}

fn is_part(folder: &Path) -> bool {
    folder.to_string_lossy().ends_with(PART)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    /// Makes a build of this age.
    fn build(builds: &Builds, name: &str, age: u64) -> PathBuf {
        let folder = builds.begin(name).expect("a folder");
        let complete = File::create(folder.join(COMPLETE)).expect("a file");
        complete.set_modified(SystemTime::now() - Duration::from_secs(age)).expect("its time");
        builds.finish(name).expect("finished")
    }

    fn names(builds: &Builds) -> Vec<String> {
        let name = |folder: &PathBuf| folder.file_name().expect("a name").to_string_lossy().into_owned();
        builds.all().expect("the builds").iter().map(name).collect()
    }

    #[test]
    fn what_is_served_and_what_is_new_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let builds = Builds::lock(folder.path().into()).expect("locked");
        let served = build(&builds, "served", 100);
        let server = File::open(served.join(COMPLETE)).expect("a file");
        FileExt::lock_shared(&server).expect("locked");
        build(&builds, "named", 99);
        builds.make_latest("named").expect("written");
        build(&builds, "old", 98);
        builds.begin("stopped").expect("a folder");
        for (name, age) in [("a", 4), ("b", 3), ("c", 2), ("d", 1)] {
            build(&builds, name, age);
        }
        assert_eq!(names(&builds), ["d", "c", "b", "a", "named", "served"]);
        assert!(!folder.path().join("stopped.part").exists());
        drop(server);
        build(&builds, "e", 0);
        assert_eq!(names(&builds), ["e", "d", "c", "b", "named"]);
    }

    #[test]
    fn a_build_is_found_once_it_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let builds = Builds::lock(folder.path().into()).expect("locked");
        let part = builds.begin("one").expect("a folder");
        fs::write(part.join(COMPLETE), "{}").expect("written");
        assert_eq!(builds.find("one"), None);
        let one = builds.finish("one").expect("finished");
        assert_eq!(builds.find("one"), Some(one));
    }
}
