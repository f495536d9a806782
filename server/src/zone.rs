//! How near addresses are: the same for everybody, in a network of one's own, or on this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How near an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// It is the same for everybody.
    Public,
    /// In a network of one's own.
    Inside,
    /// On this machine, or at the end of its cable.
    Here,
}

impl Zone {
    /// Returns how near `address` is.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
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

/// The address that a host of an URL is, if it is none that has to be resolved.
#[must_use]
pub fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
