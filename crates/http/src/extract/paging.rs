//! Pages: `limit` and `cursor` in, `items` and `next_cursor` out.
//!
//! A cursor is the last position of the previous page with a digest over the tenant and the query, so that a cursor
//! of another tenant or another query is rejected. It is no secret: a forged cursor shows the caller's own rows from
//! another position.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::{IntoParams, ToSchema};

use crate::extract::auth::Caller;
use crate::problem::{ApiError, Result};

/// The items of a page when the caller does not say.
pub const DEFAULT_LIMIT: u32 = 50;
/// The most items of a page.
pub const MAX_LIMIT: u32 = 1_000;
/// How many bytes of the digest a cursor has.
const SEAL_BYTES: usize = 12;
/// The most characters of a cursor.
const MAX_CURSOR_CHARS: usize = 1_024;

/// The query of a list without filters. Lists with filters spell the two fields out themselves:
/// flattening would make every number a string.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Items of the page.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[param(max_length = 1024)]
    pub cursor: Option<String>,
}

/// One page of a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Page<T> {
    /// The items, in the list's order.
    pub items: Vec<T>,
    /// The `cursor` of the next page; null on the last one.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// The page of what each item becomes.
    pub fn map<U>(self, item: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(item).collect(), next_cursor: self.next_cursor }
    }
}

/// Where a page begins, and its size.
#[derive(Clone, Debug)]
pub struct Paging<P> {
    /// The most items of the page.
    pub limit: usize,
    /// The last position of the previous page.
    pub after: Option<P>,
    scope: String,
}

impl<P: Serialize + DeserializeOwned> Paging<P> {
    /// Parses `limit` and `cursor`. `query` names the list and its filters, which a cursor is bound to.
    ///
    /// # Errors
    /// When the limit is out of bounds, or the cursor is not one of this list.
    pub fn read(caller: &Caller, query: &str, limit: Option<u32>, cursor: Option<&str>) -> Result<Self> {
        Self::within(format!("{} {query}", caller.tenant.0), limit, cursor)
    }

    /// Like [`Self::read`], for the operator's lists, which span tenants.
    ///
    /// # Errors
    /// When the limit is out of bounds, or the cursor is not one of this list.
    pub fn of_operator(query: &str, limit: Option<u32>, cursor: Option<&str>) -> Result<Self> {
        Self::within(format!("operator {query}"), limit, cursor)
    }

    fn within(scope: String, limit: Option<u32>, cursor: Option<&str>) -> Result<Self> {
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(ApiError::parameter("limit", format!("must be from 1 to {MAX_LIMIT}")));
        }
        let after = cursor
            .map(|cursor| {
                open(&scope, cursor).ok_or_else(|| {
                    ApiError::parameter("cursor", "is not a cursor of this list; start without one")
                })
            })
            .transpose()?;
        Ok(Self { limit: limit as usize, after, scope })
    }

    /// How many rows to read: one more than the page has, to find out whether another page follows.
    #[expect(clippy::cast_possible_wrap, reason = "at most MAX_LIMIT + 1")]
    pub fn rows(&self) -> i64 {
        self.limit as i64 + 1
    }

    /// Makes a page from [`Self::rows`] rows.
    pub fn page<T>(&self, mut rows: Vec<T>, position: impl Fn(&T) -> P) -> Page<T> {
        let more = rows.len() > self.limit;
        rows.truncate(self.limit);
        self.page_of(rows, more, position)
    }

    /// Makes a page from exactly these rows, when the store limits pages by more than their count.
    pub fn page_of<T>(&self, items: Vec<T>, more: bool, position: impl Fn(&T) -> P) -> Page<T> {
        let next_cursor = items.last().filter(|_| more).map(|last| seal(&self.scope, &position(last)));
        Page { items, next_cursor }
    }
}

fn digest(scope: &str, position: &[u8]) -> [u8; SEAL_BYTES] {
    let mut hash = Sha256::new();
    hash.update(b"anchord cursor 1\0");
    hash.update(scope.as_bytes());
    hash.update(b"\0");
    hash.update(position);
    let whole: [u8; 32] = hash.finalize().into();
    let mut seal = [0; SEAL_BYTES];
    for (to, from) in seal.iter_mut().zip(whole) {
        *to = from;
    }
    seal
}

fn seal<P: Serialize>(scope: &str, position: &P) -> String {
    let position = serde_json::to_vec(position).unwrap_or_default();
    let mut bytes = digest(scope, &position).to_vec();
    bytes.extend(position);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn open<P: DeserializeOwned>(scope: &str, cursor: &str) -> Option<P> {
    if cursor.len() > MAX_CURSOR_CHARS {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (seal, position) = bytes.split_at_checked(SEAL_BYTES)?;
    if seal != digest(scope, position) {
        return None;
    }
    serde_json::from_slice(position).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_cursor_goes_on_after_the_last_item_and_the_last_page_has_none() {
        let first = Paging::<i64>::read(&Caller::of_test(1), "list", Some(2), None).unwrap();
        assert_eq!(first.rows(), 3);
        let page = first.page(vec![1, 2, 3], |row| *row);
        assert_eq!(page.items, [1, 2]);
        let cursor = page.next_cursor.unwrap();
        let second = Paging::<i64>::read(&Caller::of_test(1), "list", Some(2), Some(&cursor)).unwrap();
        assert_eq!(second.after, Some(2));
        assert!(second.page(vec![3], |row| *row).next_cursor.is_none());
    }

    #[test]
    fn a_cursor_of_another_tenant_or_query_or_none_at_all_is_refused() {
        let page = Paging::<i64>::read(&Caller::of_test(1), "list a", Some(1), None)
            .unwrap()
            .page(vec![1, 2], |row| *row);
        let cursor = page.next_cursor.unwrap();
        for (tenant, query, cursor) in
            [(2, "list a", cursor.as_str()), (1, "list b", &cursor), (1, "list a", "x"), (1, "list a", "%%%")]
        {
            assert!(Paging::<i64>::read(&Caller::of_test(tenant), query, None, Some(cursor)).is_err());
        }
    }

    #[test]
    fn a_limit_has_bounds() {
        for limit in [0, 1001] {
            assert!(Paging::<i64>::read(&Caller::of_test(1), "list", Some(limit), None).is_err());
        }
    }
}
