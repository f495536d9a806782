//! Where a registry may lead: to public addresses, and to private ones only if it has one itself.
//!
//! A registry names the servers that have its tokens and files. One elsewhere must not have this program ask what only this
//! machine or its network reaches. Names are checked once they are resolved, which is when a connection is made.

use std::{
    env,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

use crate::{
    redirects::BadRedirect,
    zone::{Zone, literal},
};

/// Where one registry may lead. Copies share it.
#[derive(Clone, Debug)]
pub(super) struct Guard(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The registry's own host.
    host: String,
    /// Where that is, once it is known.
    zone: Mutex<Option<Zone>>,
    /// Hosts of proxies, which whoever started the program chose. They resolve what they are asked for themselves.
    proxies: Vec<String>,
}

impl Guard {
    /// That of the registry at this address.
    pub(super) fn new(registry: &Url) -> Self {
        let host = registry.host_str().unwrap_or_default().to_owned();
        let zone = Mutex::new(literal(&host).map(Zone::of));
        Self(Arc::new(Inner { host, zone, proxies: proxies() }))
    }

    /// Whether an address may be asked, as far as that is known without resolving its name.
    ///
    /// # Errors
    /// When it may not.
    pub(super) fn check(&self, url: &Url) -> Result<(), BadRedirect> {
        let host = url.host_str().unwrap_or_default();
        match literal(host) {
            Some(address) if host != self.0.host => self.check_address(address),
            _ => Ok(()),
        }
    }

    fn check_address(&self, address: IpAddr) -> Result<(), BadRedirect> {
        let own = self.0.zone.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(Zone::Public);
        if Zone::of(address) <= own { Ok(()) } else { Err(PRIVATE) }
    }

    /// Those of the addresses of a name that may be asked.
    ///
    /// # Errors
    /// When none may.
    fn choose(&self, name: &str, addresses: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, BadRedirect> {
        if self.0.proxies.iter().any(|proxy| proxy.eq_ignore_ascii_case(name)) {
            return Ok(addresses);
        }
        if name.eq_ignore_ascii_case(&self.0.host) {
            // The first time counts: a name can be given another address at any moment.
            let nearest = addresses.iter().map(|address| Zone::of(address.ip())).min();
            let mut zone = self.0.zone.lock().unwrap_or_else(PoisonError::into_inner);
            *zone = zone.or(nearest);
        }
        let may = |address: &SocketAddr| self.check_address(address.ip()).is_ok();
        let (allowed, refused): (Vec<_>, Vec<_>) = addresses.into_iter().partition(may);
        if allowed.is_empty() && !refused.is_empty() { Err(PRIVATE) } else { Ok(allowed) }
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let addresses = guard.choose(name.as_str(), addresses)?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

const PRIVATE: BadRedirect = BadRedirect("it is an address of a private network");

/// The hosts of the proxies that the environment names.
fn proxies() -> Vec<String> {
    let names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let texts = names.iter().filter_map(|name| env::var(name).ok());
    let with_scheme = |text: String| if text.contains("://") { text } else { format!("http://{text}") };
    texts.filter_map(|text| Some(Url::parse(&with_scheme(text)).ok()?.host_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(registry: &str) -> Guard {
        Guard::new(&Url::parse(registry).expect(registry))
    }

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| SocketAddr::new(text.parse().expect(text), 443)).collect()
    }

    #[test]
    fn a_registry_leads_no_nearer_than_it_is_itself() {
        let public = guard("https://registry.example/");
        public.choose("registry.example", addresses(&["1.1.1.1"])).expect("it is public");
        let (public_address, inside, here) = ("1.0.0.1", "10.0.0.1", "127.0.0.1");
        assert!(public.choose("cdn.example", addresses(&[public_address])).is_ok());
        for near in [inside, here, "169.254.169.254", "::1"] {
            assert_eq!(public.choose("inside.example", addresses(&[near])), Err(PRIVATE), "{near}");
        }
        let both = public.choose("both.example", addresses(&[here, public_address])).expect("one is public");
        assert_eq!(both, addresses(&[public_address]));
        // Its own name is given another address.
        assert_eq!(public.choose("registry.example", addresses(&[here])), Err(PRIVATE));

        let private = guard("https://registry.internal/");
        private.choose("registry.internal", addresses(&[inside])).expect("it was named");
        assert!(private.choose("tokens.internal", addresses(&["192.168.0.1"])).is_ok());
        assert_eq!(private.choose("localhost", addresses(&[here])), Err(PRIVATE));
        // One that claims to be in both places is public.
        let mixed = guard("https://mixed.example/");
        mixed.choose("mixed.example", addresses(&[here, public_address])).expect("one is public");
        assert_eq!(mixed.choose("localhost", addresses(&[here])), Err(PRIVATE));
    }

    #[test]
    fn addresses_need_no_resolving() {
        let url = |text: &str| Url::parse(text).expect(text);
        let public = guard("https://1.1.1.1/");
        for near in [
            "https://127.0.0.1/",
            "https://0x7f.1/",
            "https://2130706433/",
            "https://[::1]:8443/",
            "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest",
        ] {
            assert_eq!(public.check(&url(near)), Err(PRIVATE), "{near}");
        }
        assert!(
            public.check(&url("https://1.0.0.1/")).is_ok() && public.check(&url("https://name/")).is_ok()
        );
        let here = guard("http://127.0.0.1:5000/");
        for text in ["http://127.0.0.1:1/", "http://[::1]/", "http://10.0.0.1/", "https://1.1.1.1/"] {
            assert!(here.check(&url(text)).is_ok(), "{text}");
        }
        // Before it is known where the registry is, it is nowhere near.
        assert_eq!(guard("https://unknown.example/").check(&url("https://127.0.0.1/")), Err(PRIVATE));
    }
}
