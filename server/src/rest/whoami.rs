//! `GET /whoami`: as whom the caller is known here.

use super::{Error, answer::json, ask::Ask, events::last_event_id, freshness::data_as_of};
use crate::resources::moment;
use axum::response::Response;
use opsdeck_api::{
    Single,
    whoami::{ServerInfo, WhoAmI},
};

pub(super) async fn get_whoami(ask: Ask) -> Result<Response, Error> {
    let caller = &ask.caller;
    let about = &ask.console.about;
    json(&Single::<_, ()>::report(
        "WhoAmI",
        WhoAmI {
            identity: caller.identity.clone(),
            role: caller.role_text().to_owned(),
            key_id: caller.key_id.clone(),
            via: caller.via.as_str().to_owned(),
            expires_at: caller.expires_at.map(moment::written),
            server: ServerInfo {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                source: about.source.to_owned(),
                context: about.context.clone(),
                time: moment::written(ask.now),
                revision: last_event_id(&ask.console),
                data_as_of: data_as_of(&*ask.console.source).map(moment::written),
            },
        },
    ))
}
