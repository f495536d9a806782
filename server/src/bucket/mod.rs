//! An object store with models: S3, Google Cloud Storage, Azure Blob Storage, or a folder.
//!
//! Below the address there are `catalog.json`, a [`Catalog`](protocol::Catalog) of models that can be used, and
//! `blobs/sha256-…`, their files. [`publish`](Bucket::publish) writes both, the list last. The server only reads: it keeps
//! no state, so any number of servers can share a store, and they all answer with the same entity tags.
//!
//! Credentials and endpoints come from the environment, as the `object_store` crate reads it: `AWS_ACCESS_KEY_ID`,
//! `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL` (with `AWS_ALLOW_HTTP=true` for plain HTTP);
//! `GOOGLE_APPLICATION_CREDENTIALS`; `AZURE_STORAGE_ACCOUNT_NAME`, `AZURE_STORAGE_ACCOUNT_KEY`.
//!
//! A file is streamed through the server in the range that was asked for, or, with `--presign`, the visitor's browser is
//! sent to a signed address of the store. For that the page's content security policy names the store's origin, and the
//! store must allow the page's origin (CORS): see `deploy/README.md`.

mod address;
pub mod command;
mod error;
mod manifest;
mod publish;
mod reader;

pub use self::{
    address::Settings,
    error::BucketError,
    manifest::MANIFEST,
    publish::Published,
    reader::{Bucket, Failures, Read},
};
