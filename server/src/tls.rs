//! HTTPS: the certificate and the key that the server was given.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject as _},
};
use tokio_rustls::TlsAcceptor;

/// What a client and this server agree on when they speak HTTP/2, as of RFC 9113.
pub const HTTP2: &[u8] = b"h2";

/// Why there can be no HTTPS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{path} cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// A file has no certificate, or none in this form.
    #[error("{0} has no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----")]
    NoCertificate(PathBuf),
    /// A file has no key, or none in this form. One with a password is none.
    #[error(
        "{0} has no private key in PEM form without a password, which begins with -----BEGIN PRIVATE KEY-----"
    )]
    NoKey(PathBuf),
    /// A file begins as it should, and then doesn't go on so.
    #[error("{path} is damaged: {error}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the parser found.
        error: pem::Error,
    },
    /// The two are not of each other.
    #[error("the key in {key} is not that of the first certificate in {certificate}")]
    Mismatch {
        /// The file with the certificate.
        certificate: PathBuf,
        /// The file with the key.
        key: PathBuf,
    },
    /// Anything else: a kind of key that isn't supported, for one.
    #[error("{certificate} and {key} cannot be used: {error}")]
    Unusable {
        /// The file with the certificate.
        certificate: PathBuf,
        /// The file with the key.
        key: PathBuf,
        /// What rustls says.
        error: rustls::Error,
    },
}

/// Reads a certificate, with those that it follows from, and its key. What accepts connections with them offers HTTP/2
/// and HTTP/1.1.
///
/// # Errors
/// When a file cannot be read or used, or one is not the other's.
pub fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
    let chain = CertificateDer::pem_slice_iter(&read(certificate)?)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| TlsError::Damaged { path: certificate.into(), error })?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(certificate.into()));
    }
    let private = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|error| match error {
        pem::Error::NoItemsFound => TlsError::NoKey(key.into()),
        error => TlsError::Damaged { path: key.into(), error },
    })?;

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private))
        .map_err(|error| {
            let (certificate, key) = (certificate.into(), key.into());
            match error {
                rustls::Error::InconsistentKeys(_) => TlsError::Mismatch { certificate, key },
                error => TlsError::Unusable { certificate, key, error },
            }
        })?;
    config.alpn_protocols = vec![HTTP2.into(), b"http/1.1".into()];
    Ok(Arc::new(config).into())
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|error| TlsError::Unreadable { path: path.into(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
    }

    /// The error for these two files; of what can be used there is none.
    fn error(certificate: &Path, key: &Path) -> Option<TlsError> {
        acceptor(certificate, key).err()
    }

    #[test]
    fn each_thing_that_can_be_wrong_is_named() {
        let (certificate, key) = (&file("certificate.pem"), &file("key.pem"));
        assert!(error(certificate, key).is_none());

        let found = error(&file("none.pem"), key);
        assert!(matches!(found, Some(TlsError::Unreadable { path, .. }) if path == file("none.pem")));
        let found = error(key, key);
        assert!(matches!(found, Some(TlsError::NoCertificate(path)) if path == *key));
        let found = error(certificate, certificate);
        assert!(matches!(found, Some(TlsError::NoKey(path)) if path == *certificate));
        assert!(matches!(error(certificate, &file("other-key.pem")), Some(TlsError::Mismatch { .. })));
    }

    #[test]
    fn damaged_files_are_errors() {
        let folder = tempfile::tempdir().expect("a folder");
        let broken = folder.path().join("broken.pem");
        let write = |text: &str| fs::write(&broken, text).expect("written");
        let (certificate, key) = (&file("certificate.pem"), &file("key.pem"));

        let text = fs::read_to_string(certificate).expect("text");
        write(&text[..text.len() / 2]);
        assert!(matches!(error(&broken, key), Some(TlsError::Damaged { .. })));
        write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assert!(matches!(error(&broken, key), Some(TlsError::Unusable { .. })));
        write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        assert!(matches!(error(certificate, &broken), Some(TlsError::Unusable { .. })));
        write("");
        assert!(matches!(error(certificate, &broken), Some(TlsError::NoKey(_))));
    }
}
