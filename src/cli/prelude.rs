//! Names that most commands use.

pub(super) use anyhow::Result;
pub(super) use clap::{Args, ValueEnum};
pub(super) use serde_json::{Value, json};

pub(super) use super::output::{self, Cell, Output, Table};
pub(super) use super::remote::Remote;
pub(super) use super::word;
pub(super) use crate::config::{TenantAccess, whole};
pub(super) use anchord_messages::id::SessionName;
