//! Problems (RFC 9457): the errors of handlers, the kinds that they have, the replies, and a page for each kind.
//!
//! | file | what it has |
//! |---|---|
//! | `kind` | the kinds: status, title, and what their pages say |
//! | `error` | [`ApiError`], which handlers return, and the detail of each |
//! | `response` | the reply: body and headers |
//! | `pages` | `/problems/{kind}`, which a problem's `type` opens |

mod error;
mod kind;
pub(crate) mod pages;
mod response;

pub(crate) use error::OrMissing;
pub use error::{ApiError, FieldError, Result};
pub use kind::{About, Kind};
pub use response::Problem;

pub(crate) use error::FULL_RETRY;
