//! The Kubernetes source: one watch per kind fills the sink, writes are small and conditional. How each goes is in
//! `kubernetes/`; what the objects mean is nobody's business here.

mod board;
mod follow;
mod intake;
mod keys;
mod link;
mod raw;
mod rights;
mod write;

pub use keys::{KeyText, operator_namespace};
pub use link::{Access, NoAccess, in_a_pod};
pub use rights::Manifests;

use crate::{
    resources::{COST_LEDGER, Kind},
    source::Sink,
};
use board::Board;
use follow::Follower;
use intake::Intake;
use kube::{Api, Client};
use raw::Raw;
use std::{collections::HashMap, fmt, sync::Arc};
use tokio::{sync::Semaphore, task::JoinSet};

/// Lists in the making at once, which bounds what a start and the end of an outage hold twice.
const LISTS: usize = 3;

/// Objects in a cluster.
pub struct Kubernetes {
    client: Client,
    context: Option<String>,
    /// Those that are watched; none stands for all.
    namespaces: Vec<String>,
    intakes: HashMap<Kind, Arc<Intake>>,
    board: Arc<Board>,
    /// Watches and pulse. They end with the source.
    tasks: JoinSet<()>,
}

// === impl Kubernetes ===

impl Kubernetes {
    /// Starts to fill the sink. An API server that is away is waited for; one that cannot be looked for is an error.
    pub async fn connect(access: &Access, namespaces: Vec<String>, sink: Arc<dyn Sink>) -> Result<Self, NoAccess> {
        let (config, context) = access.config().await?;
        let scopes: Vec<_> = if namespaces.is_empty() {
            vec![None]
        } else {
            namespaces.iter().cloned().map(Some).collect()
        };
        let ids = || {
            Kind::ALL
                .into_iter()
                .flat_map(|kind| scopes.iter().map(move |scope| (kind, scope.clone())))
        };
        let board = Arc::new(Board::new(ids()));
        let client = link::client(config, &board)?;
        let intakes: HashMap<_, _> = (Kind::ALL.into_iter())
            .map(|kind| (kind, Arc::new(Intake::new(kind, sink.clone()))))
            .collect();
        let lists = Arc::new(Semaphore::new(LISTS));
        let mut tasks = JoinSet::new();
        for id in ids() {
            let follower = Follower {
                api: api(&client, id.0, id.1.as_deref()),
                name: (id.0 == Kind::ConfigMap).then_some(COST_LEDGER),
                intake: intakes[&id.0].clone(),
                board: board.clone(),
                lists: lists.clone(),
                id,
            };
            tasks.spawn(follower.run());
        }
        tasks.spawn(link::pulse(client.clone(), board.clone()));
        Ok(Self {
            client,
            context,
            namespaces,
            intakes,
            board,
            tasks,
        })
    }

    /// The kubeconfig's context, where there is one.
    pub fn context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// The watch that an object of this namespace comes by; nothing where none does.
    fn scope(&self, namespace: &str) -> Option<Option<&str>> {
        if self.namespaces.is_empty() {
            Some(None)
        } else {
            let watched = self.namespaces.iter().find(|watched| *watched == namespace);
            watched.map(|watched| Some(watched.as_str()))
        }
    }
}

impl fmt::Debug for Kubernetes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kubernetes")
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

fn api(client: &Client, kind: Kind, namespace: Option<&str>) -> Api<Raw> {
    let resource = raw::resource(kind);
    match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}
