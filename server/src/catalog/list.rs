//! The list that visitors get, made of what the sources found.

use std::collections::{HashMap, HashSet};

use protocol::CatalogEntry;

use super::{Blob, Found, digest::Digest};
use crate::text::printable;

/// Bytes of the list as JSON. An entry has about 600, with a long system prompt some thousand.
const LARGEST_LIST: usize = 8 << 20;

/// The entries in their order, the files that they name, and how many entries had no room.
#[derive(Debug)]
pub struct List {
    /// In the order in which they are shown.
    pub entries: Vec<CatalogEntry>,
    /// By their names in addresses.
    pub blobs: HashMap<Digest, Blob>,
    /// Models that are left out because the list is too large.
    pub left_out: usize,
}

impl List {
    /// Orders the models, the default first, makes their names unique, and keeps the list at a bounded size.
    #[must_use]
    pub fn new(found: Vec<Found>) -> Self {
        Self::of_size(LARGEST_LIST, found)
    }

    fn of_size(most: usize, found: Vec<Found>) -> Self {
        let mut models = arrange(found);
        let all = models.len();
        let mut size = 0;
        let fitting = models.iter().take_while(|found| {
            // What has no JSON has no place in a list either.
            size += serde_json::to_vec(&found.entry).map_or(usize::MAX / 2, |json| json.len());
            size <= most
        });
        let fitting = fitting.count();
        models.truncate(fitting);
        let blobs =
            models.iter().flat_map(|found| &found.blobs).map(|blob| (blob.digest(), blob.clone())).collect();
        let entries = models.into_iter().map(|found| found.entry).collect();
        Self { entries, blobs, left_out: all - fitting }
    }
}

/// Leaves copies out, makes names fit to be shown and unique, and orders the models.
///
/// The smallest comes first, as the likeliest to fit the visitor's device; a demonstration after all others that can be
/// used; at the end what cannot be used.
fn arrange(found: Vec<Found>) -> Vec<Found> {
    let mut copies = HashSet::new();
    let mut names = Names::default();
    let mut models = Vec::new();
    for Found { mut entry, blobs } in found {
        make_printable(&mut entry);
        let digests: Vec<Digest> = blobs.iter().map(Blob::digest).collect();
        if entry.broken.is_none() && !copies.insert((entry.name.clone(), digests)) {
            continue;
        }
        entry.name = names.unique(entry.name);
        models.push(Found { entry, blobs });
    }
    models.sort_by_cached_key(|Found { entry, .. }| {
        let rank = match (&entry.broken, entry.demo) {
            (None, false) => 0,
            (None, true) => 1,
            (Some(_), _) => 2,
        };
        (rank, entry.size, entry.name.clone())
    });
    models
}

/// A system prompt stays as it is: it is content, which the model is to read to the letter. What is wrong with a model is
/// fit to be shown already.
fn make_printable(entry: &mut CatalogEntry) {
    let texts = [&mut entry.name, &mut entry.family, &mut entry.parameters, &mut entry.quantization];
    for text in texts {
        *text = printable(text).into_owned();
    }
}

/// Names that are taken, and the number with which to go on for each.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    next: HashMap<String, usize>,
    #[cfg(test)]
    tries: usize,
}

impl Names {
    /// The name, with a number if it is taken.
    fn unique(&mut self, name: String) -> String {
        let mut unique = name.clone();
        while !self.take(&unique) {
            let number = self.next.entry(name.clone()).or_insert(2);
            unique = format!("{name} ({number})");
            *number += 1;
        }
        unique
    }

    fn take(&mut self, name: &str) -> bool {
        #[cfg(test)]
        {
            self.tries += 1;
        }
        self.taken.insert(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{BlobObject, Trouble, digest};

    fn entry(name: &str, size: u64) -> CatalogEntry {
        CatalogEntry { name: name.into(), size, ..CatalogEntry::default() }
    }

    fn found(entry: CatalogEntry, content: &str) -> Found {
        let digest = digest::sha256(content.as_bytes()).expect("a digest");
        Found { entry, blobs: vec![Blob::Object(BlobObject { digest, size: 1 })] }
    }

    fn names(list: &List) -> Vec<&str> {
        list.entries.iter().map(|entry| entry.name.as_str()).collect()
    }

    #[test]
    fn the_smallest_model_is_the_default_and_a_demo_the_last_resort() {
        let broken = CatalogEntry { broken: Some(Trouble::Remote.said()), ..entry("broken", 1) };
        let demo = CatalogEntry { demo: true, ..entry("demo", 2) };
        let list = |entries: Vec<CatalogEntry>| {
            List::new(entries.into_iter().map(|entry| Found { entry, blobs: Vec::new() }).collect())
        };
        let all = vec![broken.clone(), demo.clone(), entry("large", 9), entry("small", 5)];
        assert_eq!(names(&list(all)), ["small", "large", "demo", "broken"]);
        assert_eq!(names(&list(vec![broken, demo])), ["demo", "broken"]);
    }

    #[test]
    fn names_are_unique_and_copies_are_left_out() {
        let with = |content, size| found(entry("m", size), content);
        let list = List::new(vec![with("a", 1), with("a", 1), with("b", 2), with("c", 3)]);
        assert_eq!(names(&list), ["m", "m (2)", "m (3)"]);
        let literal = [("m (2)", 1), ("m", 2), ("m", 3)];
        let literal = literal.map(|(name, size)| found(entry(name, size), &size.to_string()));
        assert_eq!(names(&List::new(literal.into())), ["m (2)", "m", "m (3)"]);
    }

    #[test]
    fn one_name_for_all_files_takes_no_more_tries_than_files() {
        let mut names = Names::default();
        let given: HashSet<String> = (0..4096).map(|_| names.unique("m".into())).collect();
        assert_eq!(given.len(), 4096);
        assert!(names.tries <= 2 * 4096, "{} tries", names.tries);
    }

    #[test]
    fn what_forges_lines_or_turns_text_around_is_not_listed() {
        let text = || "a\n\u{202e}b".to_owned();
        let hostile = CatalogEntry {
            family: text(),
            parameters: text(),
            quantization: text(),
            system: text(),
            ..entry(&text(), 1)
        };
        let list = List::new(vec![Found { entry: hostile, blobs: Vec::new() }]);
        let [entry] = &list.entries[..] else { panic!("one entry: {list:?}") };
        let shown = "a\u{fffd}\u{fffd}b";
        assert_eq!([&*entry.name, &*entry.family, &*entry.parameters, &*entry.quantization], [shown; 4]);
        assert_eq!(entry.system, text());
    }

    #[test]
    fn a_list_that_is_too_large_ends_early_and_counts_the_rest() {
        let models =
            || (0..10).map(|number| found(entry(&format!("m{number}"), number), &number.to_string()));
        let one = serde_json::to_vec(&entry("m0", 0)).expect("JSON").len();
        let list = List::of_size(3 * one, models().collect());
        assert_eq!((names(&list), list.left_out), (vec!["m0", "m1", "m2"], 7));
        assert_eq!(list.blobs.len(), 3, "what is not listed is not served");
        assert_eq!(List::new(models().collect()).left_out, 0);
    }
}
