//! What each command does, once its configuration stands. Puts the parts together; decides nothing.

use crate::{
    access::{key_cluster, keys::Generated},
    catalog::Catalog,
    cli::{self, ExportFormat},
    config::{self, Config, Misconfigured, Objects},
    console::{About, Console, Drain, SharedConsole},
    headers,
    healthcheck::Question,
    listen::{Listener, Manners, tls::Certificate},
    pages, resources, rest,
    source::{
        Source,
        embedded::{Embedded, Store},
        export, import,
        kubernetes::{Kubernetes, Manifests, operator_namespace},
        sample::{
            self,
            simulator::{self, Simulator},
        },
        settler::{self, Bench},
    },
    telemetry::metrics::{Connections, Metrics},
};
use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::Response,
};
use futures_util::FutureExt as _;
use jiff::Timestamp;
use std::{
    fs::File,
    future::pending,
    io::{self, Read, Write as _},
    net::SocketAddr,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tower::{ServiceExt as _, service_fn};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Serves until the process is asked to stop.
pub fn console(config: Config) -> Result<(), Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(serve(config))
}

const OPEN_FILES: u64 = 16_384;

async fn serve(config: Config) -> Result<(), Failure> {
    // A connection is a file, and the usual limit is below what the listener has room for.
    if let Err(error) = rlimit::increase_nofile_limit(OPEN_FILES) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    let catalog = Arc::new(Catalog::new(epoch()?));
    let metrics = Metrics::default();
    let preview = matches!(config.objects, Objects::Sample { .. });
    metrics.keys.loaded(config.door.keys.load().len());
    let (source, about) = open(&config, &catalog, &metrics).await?;
    tokio::spawn(keep_time(catalog.clone()));
    if let Some(file) = config.key_file {
        tokio::spawn(file.follow(config.door.keys.clone(), metrics.keys.clone()));
    }
    let console = Arc::new(Console {
        base_path: config.base_path,
        ..Console::new(catalog, source, config.door, metrics.clone(), about)
    });
    let tls = config
        .certificate
        .as_ref()
        .map(Certificate::server_config)
        .transpose()?;
    let listener = Listener {
        socket: bind("--listen", config.listen).await?,
        tls,
        manners: Manners::default(),
        connections: metrics.connections.clone(),
    };
    if let Some(address) = config.metrics_listen {
        let beside = Listener {
            socket: bind("--metrics-listen", address).await?,
            tls: None,
            manners: Manners::default(),
            connections: Connections::default(),
        };
        tokio::spawn(beside.serve(rest::metrics_routes(console.clone()), pending()));
    }
    if let Some(certificate) = config.certificate {
        tokio::spawn(certificate.follow(metrics));
    }
    announce(&console, listener.socket.local_addr()?, preview);
    listener
        .serve(
            router(console.clone()),
            stop(console.drain.clone(), config.drain_delay)?,
        )
        .await;
    // Writes that were begun end with their audit event, whoever has stopped waiting for them.
    console.writes.close();
    if tokio::time::timeout(LAST_WRITES, console.writes.wait()).await.is_err() {
        tracing::error!("some writes did not end in time: their audit events may be missing");
    }
    Ok(())
}

/// Longer than a write tries.
pub const LAST_WRITES: Duration = Duration::from_secs(6);

async fn bind(flag: &str, address: SocketAddr) -> Result<TcpListener, Misconfigured> {
    TcpListener::bind(address)
        .await
        .map_err(|error| Misconfigured(format!("{flag} {address} cannot be used: {error}")))
}

/// Prints a new key once. The words for people go to standard error, so that the rest can be piped.
pub fn generate_key(command: &cli::GenerateKey) -> Result<(), Failure> {
    let Generated { key, entry } = Generated::new(command.role, &command.name, command.plain);
    eprintln!("The key, for its holder. It is shown this once:");
    let mut out = io::stdout().lock();
    writeln!(out, "{key}")?;
    eprintln!("\nThe entry, for the list of keys:");
    write!(out, "{entry}")?;
    Ok(())
}

/// A configuration that was read is one that would serve.
pub fn check_config(_: Config) -> Result<(), Failure> {
    println!("the configuration is good");
    Ok(())
}

/// Everything that faces the network.
pub fn router(console: SharedConsole) -> Router {
    let routes = rest::router(console.clone());
    let guarded = rest::facing_the_network(routes.clone(), console.clone());
    let pages = pages::router(console.clone(), rest::in_process(routes, &console));
    let shared = pages.layer(middleware::from_fn_with_state(console.clone(), rest::share));
    let site = rest::health_routes(console.clone()).fallback_service(shared.into_service());
    let outside = console.clone();
    // By prefix and not by a route with a wildcard, whose match would count among the parameters of the API's own routes.
    let split = service_fn(move |mut request: Request| {
        let base_path = &outside.base_path;
        let side = match rest::below(base_path, request.uri()) {
            Some(address) => {
                let address = rest::normalized(&address).unwrap_or(address);
                let side = if rest::is_api(address.path()) { &guarded } else { &site };
                *request.uri_mut() = address;
                side.clone()
            }
            None => pages::elsewhere(base_path, request.uri()),
        };
        side.oneshot(request)
    });
    // A handler as the fallback would be made into a service, with the layer around it, once a request.
    Router::new()
        .fallback_service(split)
        .layer(middleware::from_fn_with_state(console, attend))
}

/// Around everything: what every answer has, that of a panic which nobody else has caught included.
async fn attend(State(console): State<SharedConsole>, request: Request, next: Next) -> Response {
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|_| pages::broken(&console.metrics.requests.panics));
    headers::harden(response.headers_mut(), console.door.tls);
    response
}

/// Reads what `kubectl get … -o yaml` prints into the store.
pub fn import(command: &cli::Import) -> Result<(), Failure> {
    let mut input: Box<dyn Read> = if command.file.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        let open = File::open(&command.file);
        Box::new(
            open.map_err(|error| Misconfigured(format!("--file {} cannot be read: {error}", command.file.display())))?,
        )
    };
    let mut store = Store::open(&config::store_file(&command.store)?)?;
    let report = import::import(
        &mut store,
        &mut input,
        import::Options {
            skip_invalid: command.skip_invalid,
        },
    )?;
    for (warning, count) in &report.warnings {
        eprintln!("warning: {warning} ({count})");
    }
    for reject in &report.skipped_invalid.named {
        eprintln!("skipped: {reject}");
    }
    println!("{report}");
    Ok(())
}

/// Prints the store as one List.
pub fn export(command: &cli::Export) -> Result<(), Failure> {
    let store = Store::open_existing(&config::store_file(&command.store)?)?;
    let format = match command.output {
        ExportFormat::Yaml => export::Format::Yaml,
        ExportFormat::Json => export::Format::Json,
    };
    export::export(&store, format, io::BufWriter::new(io::stdout().lock()))?;
    Ok(())
}

/// Prints the custom resources' manifests.
pub fn crds() -> Result<(), Failure> {
    io::stdout().lock().write_all(resources::crd_manifests().as_bytes())?;
    Ok(())
}

/// Prints the manifests of the rights.
pub fn rbac(command: &cli::Rbac) -> Result<(), Failure> {
    let watched = config::namespaces(&command.watch_namespaces)?;
    let namespace = config::namespace(&command.namespace, "--namespace")?;
    write!(
        io::stdout().lock(),
        "{}",
        Manifests {
            namespace,
            watched: &watched
        }
    )?;
    Ok(())
}

/// Asks a running server how it is.
pub fn healthcheck(question: &Question) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("{}", runtime.block_on(question.ask())?);
    Ok(())
}

/// Prints what `GET /openapi.json` answers, made to be read.
pub fn openapi() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &rest::document(""))?;
    writeln!(out)?;
    Ok(())
}

async fn open(config: &Config, catalog: &Arc<Catalog>, metrics: &Metrics) -> Result<(Arc<dyn Source>, About), Failure> {
    let about = |source, context| About { source, context };
    match &config.objects {
        Objects::Cluster { access, namespaces } => {
            let connecting = Kubernetes::connect(access, namespaces.clone(), catalog.clone());
            let mut cluster = connecting.await.map_err(|error| Misconfigured(error.to_string()))?;
            // A file that is given alone counts.
            if config.key_file.is_none() {
                let (keys, metrics) = (config.door.keys.clone(), metrics.keys.clone());
                let secret = config.session_secret.clone();
                cluster.follow_keys(&operator_namespace(), move |text| {
                    key_cluster::take_over(&keys, text, secret.as_deref(), &metrics);
                });
            }
            let context = cluster.context().map(str::to_owned);
            Ok((Arc::new(cluster), about("kubernetes", context)))
        }
        Objects::Stored { file, settle } => {
            let store = Arc::new(Embedded::open(file, catalog.clone())?);
            if *settle {
                settle_in(&store, catalog);
            }
            Ok((store, about("embedded", None)))
        }
        Objects::Sample { simulate, generated } => {
            let store = Arc::new(Embedded::in_memory(catalog.clone())?);
            let now = Timestamp::now();
            let seed = u64::from(*generated);
            let mut objects = sample::generated(*generated, seed, now).chain(sample::objects(now));
            loop {
                let part: Vec<_> = objects.by_ref().take(PART).collect();
                if part.is_empty() {
                    break;
                }
                store.load(part).await?;
            }
            settle_in(&store, catalog);
            if *simulate {
                let simulator = Simulator::new(now.as_second().unsigned_abs(), now);
                tokio::spawn(simulator::play(simulator, catalog.clone(), store.clone()));
            }
            Ok((store, about("preview", None)))
        }
    }
}

/// Objects that are loaded at once: they are held twice until they are stored.
const PART: usize = 20_000;

fn settle_in(store: &Arc<Embedded>, catalog: &Arc<Catalog>) {
    store.judge_with(Bench::new(catalog.clone(), Timestamp::now));
    tokio::spawn(settler::settle(catalog.clone(), store.clone()));
}

/// Renders rows again at their own next moment of change: an approval that expires, a snooze that ends.
async fn keep_time(catalog: Arc<Catalog>) {
    /// With nothing due, a change of the catalog wakes us.
    const FAR: Duration = Duration::from_secs(3600);
    let mut changes = catalog.subscribe();
    loop {
        let wait = catalog.next_change().map_or(FAR, |next| {
            Duration::try_from(next.duration_since(Timestamp::now())).unwrap_or_default()
        });
        tokio::select! {
            () = tokio::time::sleep(wait) => catalog.tick(Timestamp::now()),
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

fn announce(console: &Console, address: SocketAddr, preview: bool) {
    let base = &console.base_path;
    let scheme = if console.door.tls { "https" } else { "http" };
    tracing::info!(%address, source = console.about.source, keys = console.door.keys.load().len(), "serving");
    if preview {
        println!(
            "Opsdeck preview: {scheme}://{address}{base}/  sign in with the key  preview  (or preview-operator, preview-viewer)"
        );
    } else if console.door.keys.load().is_empty() {
        if console.door.dev_mode {
            tracing::warn!("DEV MODE: there are no keys and everybody is admin");
        } else {
            tracing::warn!(
                "there are no API keys yet: nobody can come in. They come from --api-keys-file or from the cluster"
            );
        }
    }
}

/// Distinguishes this start from every other one, in entity tags and event ids.
fn epoch() -> Result<u64, Failure> {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes).into())
}

/// Resolves at the first SIGINT, and after the first SIGTERM when the delay is over; a second one ends the process at once.
fn stop(drain: Drain, delay: Duration) -> io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        let delay = tokio::select! {
            _ = terminate.recv() => delay,
            // From a terminal, where nobody sends clients here.
            _ = interrupt.recv() => Duration::ZERO,
        };
        tracing::info!(?delay, "stopping: open requests may end");
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            std::process::exit(1);
        });
        drain.after(delay).await;
    })
}
