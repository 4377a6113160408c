//! The fields of sessions' metadata by which lists filter: a row for each text, number or boolean at its top.

use serde_json::{Map, Value};

use crate::prelude::*;
use anchord_session::settings::{MAX_METADATA_NAME_CHARS, MAX_METADATA_VALUE_CHARS};

/// A field of metadata with its value, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataField {
    /// Its name.
    pub name: String,
    /// A text as it is, a number or a boolean as JSON writes it.
    pub value: String,
}

/// Writes the rows of a locked session anew.
pub(super) async fn replace(
    tx: &mut PgConnection,
    key: SessionKey,
    metadata: Option<&Map<String, Value>>,
) -> Result<()> {
    sqlx::query!(
        "delete from session_metadata where tenant_id = $1 and session_id = $2",
        key.tenant.0,
        key.id.0
    )
    .execute(&mut *tx)
    .await?;
    let (names, values): (Vec<&str>, Vec<String>) = fields(metadata).unzip();
    if names.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "insert into session_metadata (tenant_id, name, value, session_id)
         select $1, f.name, f.value, $2 from unnest($3::text[], $4::text[]) as f(name, value)
         on conflict do nothing",
        key.tenant.0,
        key.id.0,
        &names as &[&str],
        &values
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// The fields that lists filter by.
pub(super) fn fields(metadata: Option<&Map<String, Value>>) -> impl Iterator<Item = (&str, String)> {
    metadata.into_iter().flatten().filter_map(field)
}

/// A field that lists filter by.
fn field<'m>((name, value): (&'m String, &Value)) -> Option<(&'m str, String)> {
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(is_so) => is_so.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    let fits = (1..=MAX_METADATA_VALUE_CHARS).contains(&value.chars().count())
        && (1..=MAX_METADATA_NAME_CHARS).contains(&name.chars().count());
    fits.then_some((name, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_numbers_and_booleans_are_fields_and_the_rest_is_kept_alone() {
        let metadata = json!({"team": "x", "tries": 3, "share": 0.5, "is_vip": true, "none": null, "list": [1],
                              "deep": {"a": 1}, "empty": "", "long": "x".repeat(201)});
        let fields: Vec<(&str, String)> =
            metadata.as_object().into_iter().flatten().filter_map(field).collect();
        let shown: Vec<String> = fields.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        assert_eq!(shown, ["team:x", "tries:3", "share:0.5", "is_vip:true"]);
    }
}
