//! From an address to a client of the store.

use std::{path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, ObjectStoreScheme, RetryConfig,
    aws::AmazonS3Builder,
    azure::MicrosoftAzureBuilder,
    client::{HttpClient, HttpConnector},
    gcp::GoogleCloudStorageBuilder,
    local::LocalFileSystem,
    path::Path,
    signer::Signer,
};
use reqwest::{Certificate, NoProxy, Proxy, Url};

use super::{BucketError, error::reason};
use crate::{redirects, text::printable};

/// Time to reach the store.
const CONNECT: Duration = Duration::from_secs(5);
/// Time without a byte after which a connection counts as broken.
const STALLED: Duration = Duration::from_secs(20);
/// Attempts after the first. Browsers try again, too.
const RETRIES: usize = 2;
/// Time after which there is no further attempt.
const RETRY: Duration = Duration::from_secs(10);

/// A client of a store.
pub(super) struct Opened {
    /// As the person gave it, without what may be secret.
    pub address: String,
    pub store: Arc<dyn ObjectStore>,
    /// Where a store is that is a folder.
    pub folder: Option<PathBuf>,
    /// None for a folder.
    pub signer: Option<Arc<dyn Signer>>,
    /// What all names in the store begin with.
    pub prefix: Path,
}

/// Credentials, endpoints and whatever else a client of a store needs besides its address, by the names of variables.
#[derive(Clone, Debug, Default)]
pub struct Settings(Vec<(String, String)>);

impl Settings {
    /// Those of this process.
    #[must_use]
    pub fn of_environment() -> Self {
        let texts = std::env::vars_os();
        Self(
            texts
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
        )
    }

    /// Applies those that are settings of one kind of store, whose names begin with `prefix`. The builders' own `from_env`
    /// would forget the time limits.
    fn apply<B, K: FromStr>(&self, builder: B, prefix: &str, with: fn(B, K, String) -> B) -> B {
        self.0.iter().fold(builder, |builder, (name, value)| {
            let name = name.to_ascii_lowercase();
            match name.starts_with(prefix).then(|| name.parse()) {
                Some(Ok(key)) => with(builder, key, value.clone()),
                _ => builder,
            }
        })
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Settings {
    fn from(settings: [(&str, &str); N]) -> Self {
        Self(settings.map(|(name, value)| (name.into(), value.into())).into())
    }
}

/// Makes a client; asks the store nothing.
pub(super) fn open(text: &str, settings: &Settings) -> Result<Opened, BucketError> {
    let not_one = |reason: String| BucketError::Address { address: printable(text).into_owned(), reason };
    let mut url = Url::parse(text).map_err(|error| not_one(error.to_string()))?;
    let (scheme, prefix) = ObjectStoreScheme::parse(&url).map_err(|error| not_one(error.to_string()))?;
    // Options and passwords belong into the environment, which is not shown.
    if url.query().is_some() || url.fragment().is_some() || url.password().is_some() {
        url.set_query(None);
        url.set_fragment(None);
        url.set_password(None).ok();
        let reason = "it has a password, a query or a fragment".into();
        return Err(BucketError::Address { address: url.into(), reason });
    }
    let address = url.as_str().trim_end_matches('/').to_owned();
    // Somebody else in this program may have chosen already, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    let misfit = |error| BucketError::Settings { address: address.clone(), reason: reason(&error).1 };
    let (store, signer): (Arc<dyn ObjectStore>, Option<Arc<dyn Signer>>) = match scheme {
        ObjectStoreScheme::Local => (Arc::new(LocalFileSystem::new()), None),
        ObjectStoreScheme::AmazonS3 => {
            let builder = AmazonS3Builder::new()
                .with_client_options(client())
                .with_retry(retry())
                .with_http_connector(Connector);
            let builder = settings.apply(builder, "aws_", AmazonS3Builder::with_config);
            both(builder.with_url(&address).build().map_err(misfit)?)
        }
        ObjectStoreScheme::GoogleCloudStorage => {
            let builder = GoogleCloudStorageBuilder::new()
                .with_client_options(client())
                .with_retry(retry())
                .with_http_connector(Connector);
            let builder = settings.apply(builder, "google_", GoogleCloudStorageBuilder::with_config);
            both(builder.with_url(&address).build().map_err(misfit)?)
        }
        ObjectStoreScheme::MicrosoftAzure => {
            let builder = MicrosoftAzureBuilder::new()
                .with_client_options(client())
                .with_retry(retry())
                .with_http_connector(Connector);
            let builder = settings.apply(builder, "azure_", MicrosoftAzureBuilder::with_config);
            both(builder.with_url(&address).build().map_err(misfit)?)
        }
        _ => return Err(not_one("no store has addresses of this kind".into())),
    };
    let folder = (url.scheme() == "file").then(|| url.to_file_path());
    let folder = folder.transpose().map_err(|()| not_one("it names another machine".into()))?;
    Ok(Opened { address, store, folder, signer, prefix })
}

fn both<S: ObjectStore + Signer>(store: S) -> (Arc<dyn ObjectStore>, Option<Arc<dyn Signer>>) {
    let store = Arc::new(store);
    (Arc::clone(&store) as _, Some(store))
}

/// A download takes as long as its client does, as long as bytes come when they are asked for.
fn client() -> ClientOptions {
    ClientOptions::new().with_timeout_disabled().with_connect_timeout(CONNECT).with_read_timeout(STALLED)
}

/// Makes clients that stay with the host that they ask: those of `object_store` follow a redirect to any, and what is sent there
/// would be sent on to visitors.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let set = |key| options.get_config_value(&key);
        let is_set = |key| set(key).is_some_and(|value| value.eq_ignore_ascii_case("true") || value == "1");
        let build = || {
            let mut builder = reqwest::Client::builder()
                .user_agent(concat!("gemtab/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(CONNECT)
                .read_timeout(STALLED)
                .referer(false)
                .redirect(redirects::policy(redirects::keep_origin))
                .https_only(!is_set(ClientConfigKey::AllowHttp))
                .danger_accept_invalid_certs(is_set(ClientConfigKey::AllowInvalidCertificates));
            if let Some(proxy) = set(ClientConfigKey::ProxyUrl) {
                let excludes =
                    set(ClientConfigKey::ProxyExcludes).and_then(|hosts| NoProxy::from_string(&hosts));
                builder = builder.proxy(Proxy::all(proxy)?.no_proxy(excludes));
            }
            if let Some(certificate) = set(ClientConfigKey::ProxyCaCertificate) {
                builder = builder.tls_certs_merge([Certificate::from_pem(certificate.as_bytes())?]);
            }
            builder.build()
        };
        let client = build().map_err(|error| object_store::Error::Generic {
            store: "HTTP client",
            source: Box::new(error),
        })?;
        Ok(HttpClient::new(client))
    }
}

fn retry() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES, retry_timeout: RETRY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Result<Opened, BucketError> {
        super::open(text, &Settings::default())
    }

    #[test]
    fn addresses_of_all_stores() {
        for (text, prefix, signs) in [
            ("s3://bucket", "", true),
            ("s3://bucket/some/models/", "some/models", true),
            ("gs://bucket/models", "models", true),
            ("file:///srv/models", "srv/models", false),
        ] {
            let opened = open(text).expect(text);
            assert_eq!((opened.prefix.as_ref(), opened.signer.is_some()), (prefix, signs), "{text}");
            assert_eq!(opened.address, text.trim_end_matches('/'));
        }
    }

    #[test]
    fn what_is_no_store_is_told_and_secrets_are_not() {
        for text in ["models", "/srv/models", "ftp://host/models", "https://example.org/models", "memory:///"]
        {
            let error = open(text).err().expect(text).to_string();
            assert!(error.contains("s3://BUCKET/PREFIX"), "{error}");
        }
        for text in ["s3://user:secret@bucket/a", "s3://bucket/a?key=secret", "s3://bucket/a#secret"] {
            let error = open(text).err().expect(text).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn settings_that_are_missing_are_told() {
        // Which account has the container is nowhere.
        let error = open("az://container/models").err().expect("an error");
        assert!(matches!(error, BucketError::Settings { .. }), "{error}");
    }
}
