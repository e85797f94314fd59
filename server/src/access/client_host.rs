//! From which host a request comes: the peer's address, or, behind proxies that are trusted, the last hop that is not one of them.

use http::HeaderMap;
use ipnet::IpNet;
use std::net::{IpAddr, Ipv6Addr};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Addresses of proxies whose `X-Forwarded-For` is believed. None by default: then the header is ignored.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(pub Vec<IpNet>);

// === impl TrustedProxies ===

impl TrustedProxies {
    /// Walks the header from the right, where our own proxies wrote, to the first address that is not theirs.
    /// What stands left of it the client may have invented.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.contains(peer) {
            return peer;
        }
        let lines: Vec<&str> = headers
            .get_all(FORWARDED_FOR)
            .into_iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        let hops = lines.iter().rev().flat_map(|line| line.rsplit(','));
        let mut client = peer;
        for hop in hops {
            let Some(address) = address(hop.trim()) else { break };
            client = address;
            if !self.contains(address) {
                break;
            }
        }
        client
    }

    fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// What one host is for the limits: an IPv6 subscriber has a whole /64 to change addresses in.
pub fn bucket(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

/// An address as proxies write it: bare, in brackets, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.parse().ok();
    let bracketed = || text.strip_prefix('[')?.split(']').next()?.parse().ok();
    let with_port = || text.rsplit_once(':')?.0.parse().ok();
    bare.or_else(bracketed)
        .or_else(with_port)
        .map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &str, peer: &str, forwarded: &[&str]) -> String {
        let trusted = TrustedProxies(
            trusted
                .split_whitespace()
                .map(|network| network.parse().unwrap())
                .collect(),
        );
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(FORWARDED_FOR, line.parse().unwrap());
        }
        trusted.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn nobody_is_believed_unless_trusted() {
        assert_eq!(client("", "192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(client("10.0.0.0/8", "192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
    }

    #[test]
    fn the_last_hop_that_is_not_ours_is_the_client() {
        let ours = "10.0.0.0/8 fd00::/8";
        assert_eq!(
            client(ours, "10.0.0.1", &["203.0.113.9, 198.51.100.7, 10.0.0.2"]),
            "198.51.100.7"
        );
        assert_eq!(
            client(ours, "10.0.0.1", &["203.0.113.9", "198.51.100.7:4711"]),
            "198.51.100.7"
        );
        assert_eq!(client(ours, "fd00::1", &["[2001:db8::1]:4242"]), "2001:db8::1");
        assert_eq!(client(ours, "::ffff:10.0.0.1", &["198.51.100.7"]), "198.51.100.7");
    }

    #[test]
    fn what_cannot_be_read_ends_the_walk() {
        assert_eq!(
            client("10.0.0.0/8", "10.0.0.1", &["198.51.100.7, unknown, 10.0.0.2"]),
            "10.0.0.2"
        );
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn an_ipv6_host_is_its_network() {
        let same = |a: &str, b: &str| bucket(a.parse().unwrap()) == bucket(b.parse().unwrap());
        assert!(same("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff"));
        assert!(!same("2001:db8::1", "2001:db8:0:1::1"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
    }
}
