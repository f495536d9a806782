//! `server publish DIR URL`.

use std::path::PathBuf;

use clap::Args;

use super::{Bucket, BucketError, MANIFEST, Published, Settings};
use crate::text::Bytes;

/// Put the models of a folder into an object store, from which servers started with --blobs send them: s3://BUCKET/PREFIX,
/// gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER.
///
/// The store then lists exactly these models. Files that it has already aren't sent again; files that it no longer needs
/// aren't deleted. Credentials come from the environment, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
#[derive(Args, Clone, Debug)]
pub struct PublishOptions {
    /// Ollama's model folder, or a folder of .gguf files
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// The object store
    #[arg(value_name = "URL")]
    pub address: String,
}

/// Publishes a folder, and prints the progress.
///
/// # Errors
/// When the models could not be published: the message says why.
pub async fn run(options: &PublishOptions) -> Result<(), BucketError> {
    let bucket = Bucket::new(&options.address, &Settings::of_environment())?;
    let tell = |event| match event {
        Published::LeftOut { name, reason } => eprintln!("{name}: left out, {reason}"),
        Published::There { name } => eprintln!("{name}: already there"),
        Published::Sending { name, size } => eprintln!("{name}: sending {}", Bytes(size)),
        Published::Listed { models } => {
            let noun = if models == 1 { "model" } else { "models" };
            eprintln!("{MANIFEST} in {} lists {models} {noun}.", bucket.address());
        }
    };
    bucket.publish(&options.folder, &tell).await
}
