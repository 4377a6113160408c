//! Width and height of a picture from the first bytes of its base64 text.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// JPEG files may carry a preview and a colour profile before their size.
const JPEG_HEAD_CHARS: usize = 256 * 1024;
const HEAD_CHARS: usize = 64;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Width and height in pixels, when the data is PNG, GIF, WebP or JPEG.
pub(super) fn size(base64: &str) -> Option<(u32, u32)> {
    let head = decode(base64, HEAD_CHARS)?;
    let (width, height) = match head.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => (be32(&head, 16)?, be32(&head, 20)?),
        [b'G', b'I', b'F', b'8', ..] => (le16(&head, 6)?, le16(&head, 8)?),
        [b'R', b'I', b'F', b'F', ..] => webp(&head)?,
        [0xFF, 0xD8, ..] => jpeg(&decode(base64, JPEG_HEAD_CHARS)?)?,
        _ => return None,
    };
    (width > 0 && height > 0).then_some((width, height))
}

fn decode(base64: &str, chars: usize) -> Option<Vec<u8>> {
    let head = base64.as_bytes().get(..chars.min(base64.len() / 4 * 4))?;
    LENIENT.decode(head).ok()
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*bytes.get(at)?) << 8 | u32::from(*bytes.get(at + 1)?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(be16(bytes, at)? << 16 | be16(bytes, at + 2)?)
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*bytes.get(at)?) | u32::from(*bytes.get(at + 1)?) << 8)
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    Some(le16(bytes, at)? | u32::from(*bytes.get(at + 2)?) << 16)
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((le24(bytes, 24)? + 1, le24(bytes, 27)? + 1)),
        b"VP8 " => Some((le16(bytes, 26)? & 0x3FFF, le16(bytes, 28)? & 0x3FFF)),
        b"VP8L" => {
            let bits = le24(bytes, 21)? | u32::from(*bytes.get(24)?) << 24;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        _ => None,
    }
}

fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        match *bytes.get(at + 1)? {
            0xFF => at += 1,
            // Frame headers; C4, C8 and CC are tables that share their range.
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some((be16(bytes, at + 7)?, be16(bytes, at + 5)?));
            }
            _ => at += 2 + usize::try_from(be16(bytes, at + 2)?).ok()?.max(2),
        }
    }
}
