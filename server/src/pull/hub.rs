//! Split models on Hugging Face.
//!
//! The hub speaks the protocol of Ollama's registry, and that is how its models are pulled. Only for models that are cut
//! into several files it refuses to (`400`, “sharded GGUF”). Those are found by the hub's own interface.

use reqwest::{Url, header::HeaderMap};
use serde::Deserialize;

use super::{error::PullError, manifest::File, registry::Registry};
use crate::{
    catalog::{digest::Digest, name::DEFAULT_TAG, name::Name},
    text::{printable, shorten},
};

/// Bytes of a list of files.
const LARGEST_LIST: usize = 8 << 20;
/// Files of one model. The largest published ones have some dozens.
const MAX_PARTS: usize = 999;
/// What the hub takes when it may choose.
const USUAL: &str = "Q4_K_M";

/// A file of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its path in the repository.
    pub(super) path: String,
    pub(super) file: File,
}

/// A model in several files.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Split {
    /// In order.
    pub(super) parts: Vec<Part>,
    /// The towers, if they are in a file of their own.
    pub(super) projector: Option<Part>,
    /// The commit that the files are of.
    commit: String,
}

#[derive(Deserialize)]
struct Repository {
    sha: String,
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    sha256: String,
    size: u64,
}

/// Whether this is how the hub refuses a split model.
pub(super) fn is_split(error: &PullError) -> bool {
    matches!(error, PullError::Status { status: 400, message, .. } if message.contains("sharded GGUF"))
}

/// Finds the files of a split model.
pub(super) async fn find(registry: &Registry, name: &Name) -> Result<Split, PullError> {
    let url = registry.url(&format!("api/models/{}/{}?blobs=true", name.namespace(), name.model()))?;
    let response = registry.get(url, HeaderMap::new()).await?;
    let host = registry.host();
    let list = registry.text(registry.expect(response).await?, LARGEST_LIST, &host).await?;
    choose(&list, name.tag()).map_err(|wrong| match wrong {
        Wrong::List(reason) => PullError::Manifest { host, reason: shorten(&reason) },
        Wrong::Quantization { wanted, there } => {
            PullError::Quantization { host, wanted, there: shorten(&there) }
        }
    })
}

/// What is wrong with a list of files.
#[derive(Debug)]
enum Wrong {
    List(String),
    Quantization { wanted: String, there: String },
}

impl Split {
    /// Where a file is.
    pub(super) fn url(&self, registry: &Registry, name: &Name, part: &Part) -> Result<Url, PullError> {
        let mut url = registry.url("")?;
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty();
            segments.extend([name.namespace(), name.model(), "resolve", &self.commit]);
            // Whatever is special in an address is escaped here.
            segments.extend(part.path.split('/'));
        }
        Ok(url)
    }
}

/// The files of the model with this quantization in a list of a repository's files.
fn choose(list: &[u8], quantization: &str) -> Result<Split, Wrong> {
    let repository: Repository =
        serde_json::from_slice(list).map_err(|error| Wrong::List(error.to_string()))?;
    if repository.sha.len() != 40 || !repository.sha.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(Wrong::List("its list of files is of no commit".into()));
    }
    let files: Vec<Part> = repository.siblings.iter().filter_map(Sibling::part).collect();
    let mut stems: Vec<&str> = files.iter().filter_map(|part| Some(split_name(&part.path)?.0)).collect();
    stems.sort_unstable();
    stems.dedup();
    stems.retain(|stem| !is_projector(stem));
    let of = |wanted: &str| {
        let fitting = stems.iter().filter(|stem| has_quantization(stem, wanted));
        // Of `m-Q4_K_M` and `m-UD-Q4_K_M` the first one.
        fitting.min_by_key(|stem| stem.len()).copied()
    };
    let stem = match quantization {
        DEFAULT_TAG => of(USUAL).or_else(|| stems.first().copied().filter(|_| stems.len() == 1)),
        wanted => of(wanted),
    };
    let Some(stem) = stem else {
        let there = stems.iter().map(|stem| printable(stem)).collect::<Vec<_>>().join(", ");
        return Err(Wrong::Quantization { wanted: quantization.into(), there });
    };

    let mut parts: Vec<(usize, usize, Part)> = files
        .iter()
        .filter_map(|part| split_name(&part.path).map(|(of, number, count)| (of, number, count, part)))
        .filter(|(of, ..)| *of == stem)
        .map(|(_, number, count, part)| (number, count, part.clone()))
        .collect();
    parts.sort_by_key(|(number, ..)| *number);
    let count = parts.len();
    let is_whole =
        parts.iter().zip(1..).all(|((number, of, _), expected)| *number == expected && *of == count);
    if !is_whole || count > MAX_PARTS {
        return Err(Wrong::List(format!("{stem} is not complete, or is cut into too many files")));
    }
    let parts = parts.into_iter().map(|(.., part)| part).collect();
    Ok(Split { parts, projector: projector(&files), commit: repository.sha })
}

impl Sibling {
    /// The file, if it is one that can be verified and has a name without tricks.
    fn part(&self) -> Option<Part> {
        let path = &self.rfilename;
        let lfs = self.lfs.as_ref()?;
        let is_plain = path.split('/').all(|name| !matches!(name, "" | "." | ".."));
        let is_gguf = path.ends_with(".gguf");
        let digest: Digest = format!("sha256:{}", lfs.sha256).parse().ok()?;
        let kind = if is_projector(path) { "projector" } else { "model" };
        let file = File { digest, size: lfs.size, kind: kind.into() };
        (is_plain && is_gguf).then(|| Part { path: path.clone(), file })
    }
}

/// `STEM-00001-of-00003.gguf`: stem, number and count.
fn split_name(path: &str) -> Option<(&str, usize, usize)> {
    let (rest, count) = path.strip_suffix(".gguf")?.rsplit_once("-of-")?;
    let (stem, number) = rest.rsplit_once('-')?;
    let parse = |digits: &str| digits.parse().ok().filter(|_| digits.len() == 5);
    Some((stem, parse(number)?, parse(count)?))
}

/// Whether the file's name ends with the quantization, or its folder has that name.
fn has_quantization(stem: &str, quantization: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    let wanted = quantization.to_ascii_lowercase();
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", &stem));
    let begin = name.strip_suffix(wanted.as_str());
    begin.is_some_and(|begin| begin.is_empty() || begin.ends_with(['-', '.', '_']))
        || folder.rsplit('/').next() == Some(wanted.as_str())
}

fn is_projector(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.to_ascii_lowercase().contains("mmproj"))
}

/// The towers in the smallest form that loses nothing, else in any.
fn projector(files: &[Part]) -> Option<Part> {
    let all = || files.iter().filter(|part| is_projector(&part.path) && split_name(&part.path).is_none());
    let of = |wanted| all().find(|part| has_quantization(part.path.trim_end_matches(".gguf"), wanted));
    of("bf16").or_else(|| of("f16")).or_else(|| all().next()).cloned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn list(names: &[&str]) -> Vec<u8> {
        let siblings: Vec<Value> = names
            .iter()
            .zip(10..)
            .map(|(name, number)| {
                json!({"rfilename": name, "size": number, "lfs": {"sha256": format!("{number:064}"), "size": number}})
            })
            .collect();
        json!({"sha": "a".repeat(40), "siblings": siblings}).to_string().into_bytes()
    }

    fn chosen(names: &[&str], quantization: &str) -> Result<Vec<String>, Wrong> {
        let split = choose(&list(names), quantization)?;
        Ok(split.parts.into_iter().chain(split.projector).map(|part| part.path).collect())
    }

    const FILES: [&str; 9] = [
        "m-UD-Q4_K_M-00001-of-00001.gguf",
        "m-Q4_K_M-00002-of-00002.gguf",
        "m-Q4_K_M-00001-of-00002.gguf",
        "BF16/m-00001-of-00001.gguf",
        "m-Q8_0-00001-of-00002.gguf",
        "m-IQ4_NL.gguf",
        "mmproj-F16.gguf",
        "mmproj-BF16.gguf",
        "README.md",
    ];

    #[test]
    fn the_files_of_one_quantization_in_order() {
        let parts = ["m-Q4_K_M-00001-of-00002.gguf", "m-Q4_K_M-00002-of-00002.gguf", "mmproj-BF16.gguf"];
        for tag in ["Q4_K_M", "q4_k_m", "latest"] {
            assert_eq!(chosen(&FILES, tag).expect(tag), parts);
        }
        assert_eq!(chosen(&FILES, "bf16").expect("by its folder")[0], "BF16/m-00001-of-00001.gguf");
        assert_eq!(chosen(&FILES, "UD-Q4_K_M").expect("a longer one")[0], FILES[0]);
        assert_eq!(chosen(&["x-00001-of-00001.gguf"], "latest").expect("the only one").len(), 1);
    }

    #[test]
    fn what_is_not_whole_or_not_there_is_refused() {
        let incomplete = |wrong| matches!(wrong, Wrong::List(reason) if reason.contains("not complete"));
        assert!(incomplete(chosen(&FILES, "Q8_0").expect_err("a part is missing")));
        let none = chosen(&FILES, "Q2_K").expect_err("none");
        let Wrong::Quantization { wanted, there } = none else { panic!("{none:?}") };
        assert!(wanted == "Q2_K" && there.starts_with("BF16/m, m-Q4_K_M"), "{there}");
        assert!(chosen(&["../m-Q8_0-00001-of-00001.gguf"], "Q8_0").is_err());
        let twice = ["a/m-Q8_0-00001-of-00001.gguf", "a/m-Q8_0-00001-of-00001.gguf"];
        assert!(incomplete(chosen(&twice, "Q8_0").expect_err("two of one number")));
        assert!(choose(br#"{"sha": "../..", "siblings": []}"#, "x").is_err());
    }
}
