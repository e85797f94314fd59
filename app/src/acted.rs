//! What somebody has just done, or tried to do, to an object: said once on the object's page, with or without script.

use crate::client::{ApiError, FromJson, member};
use opsdeck_api::StringMap;
use serde::Serialize;
use serde_json::Value;

/// One write of the API and how it ended.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Acted {
    /// What was asked, below `/api/v1`: `/incidents/checkout/resolve?namespace=shop`.
    pub path: String,
    /// Why it was not done.
    pub error: Option<ApiError>,
    /// The members that were sent, so that a form that is refused still holds them.
    pub typed: StringMap,
}

// === impl Acted ===

impl Acted {
    #[cfg(feature = "ssr")]
    pub fn done(path: String) -> Self {
        Self {
            path,
            ..Self::default()
        }
    }

    /// `status` and `body` are the API's answer.
    #[cfg(feature = "ssr")]
    pub fn refused(path: String, status: u16, body: &str, typed: StringMap) -> Self {
        Self {
            path,
            error: Some(ApiError::from_answer(status, body)),
            typed,
        }
    }

    pub(crate) fn typed(&self, name: &str) -> &str {
        self.typed.get(name).map_or("", String::as_str)
    }

    /// What has been read is no longer what there is: the form has to be opened again.
    pub(crate) fn is_outdated(&self) -> bool {
        self.reason() == "plan_changed"
    }

    pub(crate) fn reason(&self) -> &str {
        self.error
            .as_ref()
            .and_then(|error| error.reason.as_deref())
            .unwrap_or_default()
    }
}

impl FromJson for Acted {
    fn from_json(value: &mut Value) -> Self {
        Self {
            path: member(value, "path"),
            error: member(value, "error"),
            typed: member(value, "typed"),
        }
    }
}
