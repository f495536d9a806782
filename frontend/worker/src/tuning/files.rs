//! Finds the pictures and sounds of examples by the names in the rows.

use std::collections::HashMap;

use protocol::tune::ExampleFile;

/// Files by their names.
pub struct Files<'a> {
    /// By the last part of the name.
    files: HashMap<&'a str, Vec<&'a ExampleFile>>,
}

/// The parts of a name, the last first. Data sets have paths of any system.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.rsplit(['/', '\\']).filter(|part| !part.is_empty() && *part != ".")
}

impl<'a> Files<'a> {
    /// These files.
    pub fn new(files: &'a [ExampleFile]) -> Self {
        let mut by_name: HashMap<&str, Vec<&ExampleFile>> = HashMap::new();
        for file in files {
            by_name.entry(parts(&file.name).next().unwrap_or_default()).or_default().push(file);
        }
        Self { files: by_name }
    }

    /// The file that a row names. Users pick files out of the folders that the rows name, so the last part of the
    /// name must match. Of several such files, returns the one that matches in most folders.
    pub fn find(&self, name: &str) -> Option<&'a ExampleFile> {
        let alike =
            |file: &ExampleFile| parts(name).zip(parts(&file.name)).take_while(|(a, b)| a == b).count();
        let same = self.files.get(parts(name).next()?)?;
        // The last of several that are alike was given last.
        same.iter().copied().max_by_key(|file| alike(file))
    }
}

#[cfg(test)]
mod tests {
    use protocol::Code;

    use super::*;

    #[test]
    fn a_file_is_found_by_the_end_of_its_name() {
        let file = |name: &str| ExampleFile { name: name.to_owned(), content: Err(Code::Cancelled) };
        let files = ["cat.png", "data/a/dog.png", "data/b/dog.png"].map(file);
        let files = Files::new(&files);
        let find = |name: &str| files.find(name).map(|file| file.name.as_str());
        assert_eq!(find("cat.png"), Some("cat.png"));
        assert_eq!(find("./images/cat.png"), Some("cat.png"));
        assert_eq!(find("a/dog.png"), Some("data/a/dog.png"));
        assert_eq!(find(r"b\dog.png"), Some("data/b/dog.png"));
        assert_eq!(find("Cat.png"), None);
        assert_eq!(find("cat"), None);
        assert_eq!(find(""), None);
    }
}
