//! The connection to the API server: how it is found, how long it may keep us waiting, and what its answers say about the
//! watches. What is asked over it is decided elsewhere.

use super::{
    board::{Board, WatchId},
    follow::OPEN,
};
use crate::resources::Kind;
use http::{Request, Response, StatusCode, Uri};
use jiff::Timestamp;
use kube::{
    Client, Config,
    client::{Body, ClientBuilder},
    config::{KubeConfigOptions, Kubeconfig},
};
use std::{
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{self, Instant};
use tower::{Layer, Service};

const CONNECT: Duration = Duration::from_secs(5);
/// A connection on which an answer, or more of one, is awaited in vain for so long is dead. The API server ends every watch before that.
const SILENCE: Duration = Duration::from_secs(10 + OPEN as u64);
/// Between two beats of the pulse while the API server answers, and how long it may take over one.
const PULSE: Duration = Duration::from_secs(6);
const PULSE_AWAY: Duration = Duration::from_secs(1);
/// Within it every watch that noticed the outage has tried again, because no back-off is longer.
pub(super) const RETRY: Duration = Duration::from_secs(5);

/// Which API server, and who we are there.
#[derive(Clone, Debug, Default)]
pub struct Access {
    pub kubeconfig: Option<PathBuf>,
    pub context: Option<String>,
}

/// The API server cannot even be looked for.
#[derive(Debug, thiserror::Error)]
pub enum NoAccess {
    #[error("--kubeconfig {0} cannot be used: {1}")]
    File(PathBuf, #[source] Box<kube::config::KubeconfigError>),
    #[error("the kubeconfig of $KUBECONFIG or ~/.kube/config cannot be used: {0}")]
    Usual(#[source] Box<kube::config::KubeconfigError>),
    #[error("the service account of this pod cannot be used: {0}")]
    Pod(#[source] Box<kube::config::InClusterError>),
    #[error("the API server's address or certificates cannot be used: {0}")]
    Client(#[source] Box<kube::Error>),
}

/// Whether this process runs in a pod that has a service account.
pub fn in_a_pod() -> bool {
    std::env::var_os("KUBERNETES_SERVICE_HOST").is_some()
}

// === impl Access ===

impl Access {
    /// A kubeconfig that is named beats the pod's service account, and that beats the file in the home directory.
    /// Answers the name of the context too, where there is one.
    pub(super) async fn config(&self) -> Result<(Config, Option<String>), NoAccess> {
        let named = self.kubeconfig.is_some() || self.context.is_some() || std::env::var_os("KUBECONFIG").is_some();
        if !named && in_a_pod() {
            let config = Config::incluster().map_err(|error| NoAccess::Pod(Box::new(error)))?;
            return Ok((config, None));
        }
        let refuse = |error| match &self.kubeconfig {
            Some(path) => NoAccess::File(path.clone(), Box::new(error)),
            None => NoAccess::Usual(Box::new(error)),
        };
        let read = match &self.kubeconfig {
            Some(path) => Kubeconfig::read_from(path),
            None => Kubeconfig::from_env().and_then(|given| given.map_or_else(Kubeconfig::read, Ok)),
        };
        let kubeconfig = read.map_err(refuse)?;
        let context = self.context.clone().or_else(|| kubeconfig.current_context.clone());
        let options = KubeConfigOptions {
            context: self.context.clone(),
            ..KubeConfigOptions::default()
        };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options)
            .await
            .map_err(refuse)?;
        Ok((config, context))
    }
}

/// A client that tells the board of every watch that the API server opens.
pub(super) fn client(mut config: Config, board: &Arc<Board>) -> Result<Client, NoAccess> {
    config.connect_timeout = Some(CONNECT);
    config.read_timeout = Some(SILENCE);
    config.reset_reader_on_write = true;
    // The watches have a back-off of their own, and a write that may have happened is not sent again unseen.
    config.default_retry = false;
    let builder = ClientBuilder::try_from(config).map_err(|error| NoAccess::Client(Box::new(error)))?;
    Ok(builder.with_layer(&Observe(board.clone())).build())
}

/// Asks the API server now and then whether it is there: a watch on which nothing happens cannot tell.
pub(super) async fn pulse(client: Client, board: Arc<Board>) {
    let mut last = Timestamp::now();
    let mut missed = None;
    loop {
        let beat_at = Timestamp::now();
        match (beats(&client).await, missed) {
            (true, Some(noticed)) => {
                tracing::info!("the API server answers again");
                board.come_back(noticed);
                (last, missed) = (beat_at, None);
                time::sleep(RETRY).await;
                board.call_the_hanging();
            }
            (true, None) => {
                last = beat_at;
                time::sleep(PULSE).await;
            }
            (false, None) => {
                tracing::warn!("the API server does not answer: what is shown is as of {last:.0}");
                board.gone_away(last);
                missed = Some(Instant::now());
            }
            (false, Some(_)) => time::sleep(PULSE_AWAY).await,
        }
    }
}

/// Whatever it answers, it is there; only 5xx says that it is not of use.
async fn beats(client: &Client) -> bool {
    let Ok(request) = Request::get("/readyz").body(Body::empty()) else {
        return false;
    };
    let answer = time::timeout(PULSE, client.send(request)).await;
    matches!(answer, Ok(Ok(response)) if !response.status().is_server_error())
}

/// Looks at every answer on its way in.
struct Observe(Arc<Board>);

struct Observed<S> {
    inner: S,
    board: Arc<Board>,
}

// === impl Observe ===

impl<S> Layer<S> for Observe {
    type Service = Observed<S>;

    fn layer(&self, inner: S) -> Observed<S> {
        Observed {
            inner,
            board: self.0.clone(),
        }
    }
}

impl<S, B> Service<Request<Body>> for Observed<S>
where
    S: Service<Request<Body>, Response = Response<B>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let watched = watched(request.uri());
        let answer = self.inner.call(request);
        let board = self.board.clone();
        Box::pin(async move {
            let answer = answer.await?;
            if let Some(id) = watched.filter(|_| answer.status() == StatusCode::OK) {
                board.heard(&id);
            }
            Ok(answer)
        })
    }
}

/// Which watch a request opens, if it opens one.
fn watched(uri: &Uri) -> Option<WatchId> {
    let watches = uri.query()?.split('&').any(|pair| pair == "watch=true");
    let mut segments = uri.path().rsplit('/');
    let plural = segments.next().filter(|_| watches)?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.plural() == plural)?;
    let (namespace, above) = (segments.next()?, segments.next());
    let scope = (above == Some("namespaces")).then(|| namespace.to_owned());
    Some((kind, scope))
}

/// An API server that says what a test has it say.
#[cfg(test)]
pub(super) mod scripted {
    use super::*;
    use std::{
        convert::Infallible,
        sync::atomic::{AtomicUsize, Ordering},
    };
    use tower::service_fn;

    /// Status and body.
    pub(in super::super) type Answer = (u16, &'static str);

    /// Answers by the number of the request.
    pub(in super::super) fn answering(answer: impl Fn(usize) -> Answer + Send + 'static) -> Client {
        let requests = AtomicUsize::new(0);
        let cluster = service_fn(move |_: Request<Body>| {
            let (status, body) = answer(requests.fetch_add(1, Ordering::Relaxed));
            let mut answer = Response::new(Body::from(body.as_bytes().to_vec()));
            *answer.status_mut() = StatusCode::from_u16(status).expect("a status");
            std::future::ready(Ok::<_, Infallible>(answer))
        });
        Client::new(cluster, "default")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// Whoever is not answered has no other way to learn that nobody will.
    #[tokio::test(start_paused = true)]
    async fn an_answer_that_never_comes_is_not_awaited_for_ever() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", silent.local_addr().unwrap());
        let board = Arc::new(Board::new(std::iter::empty()));
        let client = client(Config::new(address.parse().unwrap()), &board).unwrap();
        let began = Instant::now();
        let request = Request::get("/apis/platform.chatcli.io/v1alpha1/issues").body(Body::empty());
        let answer = time::timeout(SILENCE * 2, client.send(request.unwrap())).await;
        assert!(matches!(answer, Ok(Err(_))), "{answer:?}");
        assert!(began.elapsed() > CONNECT, "the connection stood");
    }

    #[test]
    fn a_watch_is_known_by_its_address() {
        let watched = |address: &str| watched(&address.parse().unwrap());
        assert_eq!(
            watched("/apis/platform.chatcli.io/v1alpha1/issues?&watch=true&timeoutSeconds=290"),
            Some((Kind::Issue, None))
        );
        assert_eq!(
            watched("/api/v1/namespaces/shop/configmaps?watch=true"),
            Some((Kind::ConfigMap, Some("shop".into())))
        );
        assert_eq!(watched("/apis/platform.chatcli.io/v1alpha1/issues?limit=250"), None);
        assert_eq!(watched("/api/v1/secrets?watch=true"), None);
    }
}
