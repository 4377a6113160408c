//! Reads the width and height of an image from the beginning of its base64 text.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The beginning of JPEG data in base64.
const JPEG: &str = "/9j/";
/// The characters of a JPEG that are searched, because a preview and a colour profile may precede the size.
const JPEG_HEAD_CHARS: usize = 256 * 1024;
const HEAD_CHARS: usize = 64;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Width and height in pixels; `None` when the data is not PNG, GIF, WebP or JPEG, or has no readable size.
pub(super) fn size(base64: &str) -> Option<(u32, u32)> {
    let chars = if base64.starts_with(JPEG) { JPEG_HEAD_CHARS } else { HEAD_CHARS };
    let size = imagesize::blob_size(&decode(base64, chars)?).ok()?;
    let (width, height) = (u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?);
    (width > 0 && height > 0).then_some((width, height))
}

fn decode(base64: &str, chars: usize) -> Option<Vec<u8>> {
    let head = base64.as_bytes().get(..chars.min(base64.len() / 4 * 4))?;
    LENIENT.decode(head).ok()
}
