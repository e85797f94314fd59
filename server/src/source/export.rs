//! `opsdeck export`: everything in a store as one list, fit for `kubectl apply` and for `import`, whose inverse it is.

use super::embedded::{Store, StoreError};
use serde_json::Value;
use serde_saphyr::{SerializerOptions, ser_options};
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Format {
    #[default]
    Yaml,
    Json,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Writes the objects by kind, namespace and name, one at a time, so that a large store takes no more memory than a small one.
pub fn export(store: &Store, format: Format, mut output: impl Write) -> Result<usize, ExportError> {
    let mut count = 0;
    output.write_all(match format {
        Format::Yaml => b"apiVersion: v1\nkind: List\nitems:",
        Format::Json => b"{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"List\",\n  \"items\": [",
    })?;
    store.each(|mut object| {
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            // It belongs to this store alone, and no API server takes it with a new object.
            metadata.remove("resourceVersion");
        }
        match format {
            Format::Yaml => {
                let text = serde_saphyr::to_string_with_options(&[object], yaml()).map_err(io::Error::other)?;
                output.write_all(if count == 0 { b"\n" } else { b"" })?;
                output.write_all(text.as_bytes())?;
            }
            Format::Json => {
                output.write_all(if count == 0 { b"\n" } else { b",\n" })?;
                serde_json::to_writer(&mut output, &object).map_err(io::Error::from)?;
            }
        }
        count += 1;
        Ok::<_, ExportError>(())
    })?;
    output.write_all(match (format, count) {
        (Format::Yaml, 0) => b" []\n",
        (Format::Yaml, _) => b"",
        (Format::Json, 0) => b"]\n}\n",
        (Format::Json, _) => b"\n  ]\n}\n",
    })?;
    output.flush()?;
    Ok(count)
}

/// Lines are kept as they are: text that people wrote is easier to find in a dump when it is not folded.
fn yaml() -> SerializerOptions {
    ser_options! { folded_wrap_chars: usize::MAX }
}
