//! Where a registry may lead: to public addresses, and to private ones only if it has one itself.
//!
//! A registry names the servers that have its tokens and files. One elsewhere must not have this program ask what only this
//! machine or its network reaches. Names are checked once they are resolved, which is when a connection is made.

use std::{
    env,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

use crate::redirects::BadRedirect;

/// How near an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Zone {
    /// It is the same for everybody.
    Public,
    /// In a network of one's own.
    Inside,
    /// On this machine, or at the end of its cable.
    Here,
}

impl Zone {
    fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let [a, b, c, _] = address.octets();
        let is_special =
            matches!((a, b, c), (100, 64..128, _) | (192, 0, 0) | (198, 18..20, _) | (224.., ..));
        if address.is_loopback() || address.is_link_local() || a == 0 {
            Self::Here
        } else if address.is_private() || is_special || address.is_documentation() {
            Self::Inside
        } else {
            Self::Public
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let parts = address.segments();
        let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
        match parts {
            [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Self::Here,
            // Addresses that stand for one of IPv4: mapped, compatible, translated (twice), 6to4.
            [0, 0, 0, 0, 0, 0xffff | 0, high, low]
            | [0, 0, 0, 0, 0xffff, 0, high, low]
            | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
            | [0x2002, high, low, ..] => Self::of_v4(v4(high, low)),
            [0xfe80..0xfec0, ..] => Self::Here,
            // Everything else that is public begins so, but for documentation and what tunnels through others.
            [0x2001, 0..0x200 | 0xdb8, ..] => Self::Inside,
            [0x2000..0x4000, ..] => Self::Public,
            _ => Self::Inside,
        }
    }
}

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

/// The address that a host of an URL is, if it is none that has to be resolved.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

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
    fn only_what_is_the_same_for_everybody_is_public() {
        for (zone, texts) in [
            (Zone::Public, &["1.1.1.1", "100.63.0.1", "172.32.0.1", "2606:4700::1111", "2002:101:101::"][..]),
            (
                Zone::Inside,
                &[
                    "10.0.0.1",
                    "172.16.0.1",
                    "192.168.1.1",
                    "100.64.0.1",
                    "198.18.0.1",
                    "192.0.0.8",
                    "224.0.0.1",
                    "255.255.255.255",
                    "fc00::1",
                    "fd12::1",
                    "ff02::1",
                    "2001:db8::1",
                    "2001::1",
                    "::ffff:10.0.0.1",
                    "64:ff9b::192.168.0.1",
                    "2002:a00:1::",
                ],
            ),
            (
                Zone::Here,
                &[
                    "127.0.0.1",
                    "127.9.9.9",
                    "0.0.0.0",
                    "169.254.169.254",
                    "::",
                    "::1",
                    "fe80::1",
                    "::ffff:127.0.0.1",
                    "::127.0.0.1",
                    "64:ff9b::7f00:1",
                    "2002:7f00:1::",
                ],
            ),
        ] {
            for text in texts {
                assert_eq!(Zone::of(text.parse().expect(text)), zone, "{text}");
            }
        }
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
