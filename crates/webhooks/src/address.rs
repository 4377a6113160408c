//! The test of whether an IP address is public on the internet.
//!
//! It follows the IANA registries of special-purpose addresses; an IPv4 address that is embedded in one of IPv6 is judged as what it
//! is. Addresses come as octets and segments, so that no I/O type is needed.

/// IPv4 blocks that are not public: the block and the length of its prefix in bits.
const NON_PUBLIC_V4: [([u8; 4], u32); 17] = [
    // This network; on most systems 0.0.0.0 reaches the machine itself.
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    // Shared by carriers for address translation; some clouds serve their metadata there.
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // Link-local; most clouds serve their metadata there.
    ([169, 254, 0, 0], 16),
    // A public address that one cloud reserves for the agent on its machines.
    ([168, 63, 129, 16], 32),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    // 6to4 relays, no longer in use.
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    // Benchmarks.
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast.
    ([224, 0, 0, 0], 4),
    // Reserved, and broadcast.
    ([240, 0, 0, 0], 4),
    ([255, 255, 255, 255], 32),
];

/// IPv6 blocks within the global range (`2000::/3`) that are not public.
const NON_PUBLIC_V6: [(u128, u32); 4] = [
    // Protocol assignments: Teredo tunnels, benchmarks, identifiers that are no addresses.
    (0x2001_0000 << 96, 23),
    // Documentation.
    (0x2001_0db8 << 96, 32),
    // 6to4: an embedded IPv4 address, no longer in use.
    (0x2002 << 112, 16),
    // Documentation.
    (0x3fff << 112, 20),
];

/// Whether an IPv4 address is public.
pub fn is_public_v4(octets: [u8; 4]) -> bool {
    let address = u32::from_be_bytes(octets);
    !NON_PUBLIC_V4.iter().any(|(block, bits)| (address ^ u32::from_be_bytes(*block)) >> (32 - bits) == 0)
}

/// Whether an IPv6 address is public; one with an embedded IPv4 address is public if that is.
pub fn is_public_v6(octets: [u8; 16]) -> bool {
    let address = u128::from_be_bytes(octets);
    let [.., a, b, c, d] = octets;
    // ::ffff:0:0/96 is how sockets write IPv4 addresses, 64:ff9b::/96 how NAT64 translators do.
    if address >> 32 == 0xffff || address >> 32 == 0x0064_ff9b << 64 {
        return is_public_v4([a, b, c, d]);
    }
    // Only 2000::/3 is assigned for the internet.
    address >> 125 == 1 && !NON_PUBLIC_V6.iter().any(|(block, bits)| (address ^ block) >> (128 - bits) == 0)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use rstest::rstest;

    use super::*;

    fn is_public(text: &str) -> bool {
        match text.parse().expect("an address") {
            IpAddr::V4(address) => is_public_v4(address.octets()),
            IpAddr::V6(address) => is_public_v6(address.octets()),
        }
    }

    #[rstest]
    #[case::this_network("0.0.0.0 0.1.2.3")]
    #[case::private("10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255")]
    #[case::carriers("100.64.0.1 100.127.255.255 100.100.100.200")]
    #[case::loopback("127.0.0.1 127.255.255.254 ::1")]
    #[case::link_local("169.254.0.1 169.254.169.254 169.254.170.2 fe80::1 febf::1")]
    #[case::metadata("169.254.169.254 168.63.129.16 fd00:ec2::254 192.0.0.192 fd20:ce::254")]
    #[case::documentation("192.0.2.1 198.51.100.7 203.0.113.9 2001:db8::1 3fff::1 3fff:fff::1")]
    #[case::benchmarks("198.18.0.1 198.19.255.255 2001:2::1")]
    #[case::multicast_and_reserved("224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ff02::1")]
    #[case::unique_local("fc00::1 fdff:ffff::1")]
    #[case::unspecified("::")]
    #[case::mapped("::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0")]
    #[case::compatible("::127.0.0.1 ::8.8.8.8")]
    #[case::translated("64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::8.8.8.8")]
    #[case::tunnels("2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2002:7f00:1::1 2002:808:808::1")]
    #[case::discard_and_site_local("100::1 fec0::1 5f00::1 4000::1")]
    #[case::old_relays("192.88.99.1")]
    fn an_address_that_is_not_for_everybody_is_not_public(#[case] addresses: &str) {
        for address in addresses.split(' ') {
            assert!(!is_public(address), "{address}");
        }
    }

    #[rstest]
    #[case::beside_the_closed_blocks(
        "1.0.0.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 \
         169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 \
         198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.15 168.63.129.17"
    )]
    #[case::well_known("1.1.1.1 8.8.8.8 93.184.216.34")]
    #[case::version_six("2606:4700:4700::1111 2a00:1450:4001::200e 2001:4860:4860::8888 2001:200::1 2400::1")]
    #[case::mapped_and_translated("::ffff:8.8.8.8 64:ff9b::8.8.8.8")]
    fn an_address_on_the_internet_is_public(#[case] addresses: &str) {
        for address in addresses.split(' ') {
            assert!(is_public(address), "{address}");
        }
    }
}
