//! What each command does, once its configuration stands. Puts the parts together; decides nothing.

use crate::{
    access::key_cluster,
    catalog::Catalog,
    cli::{self, ExportFormat},
    config::{self, Config, Misconfigured, Objects},
    console::{About, Console, SharedConsole},
    headers, listen, pages, resources, rest,
    source::{
        Source,
        embedded::{Embedded, Store},
        export, import,
        kubernetes::{Kubernetes, operator_namespace},
        sample::{
            self,
            simulator::{self, Simulator},
        },
        settler::{self, Bench},
    },
};
use axum::{Router, extract::Request, middleware};
use jiff::Timestamp;
use std::{
    fs::File,
    io::{self, Read, Write as _},
    sync::Arc,
    time::Duration,
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tower::ServiceExt as _;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Serves until the process is asked to stop.
pub fn console(config: Config) -> Result<(), Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(serve(config))
}

async fn serve(config: Config) -> Result<(), Failure> {
    let catalog = Arc::new(Catalog::new(epoch()?));
    let preview = matches!(config.objects, Objects::Sample { .. });
    let (source, about) = open(&config, &catalog).await?;
    tokio::spawn(keep_time(catalog.clone()));
    if let Some(file) = config.key_file {
        tokio::spawn(file.follow(config.door.keys.clone()));
    }
    let console = Arc::new(Console {
        catalog,
        source,
        door: config.door,
        about,
        base_path: config.base_path,
    });
    let listener = TcpListener::bind(config.listen)
        .await
        .map_err(|error| Misconfigured(format!("--listen {} cannot be used: {error}", config.listen)))?;
    announce(&console, listener.local_addr()?, preview);
    listen::serve(listener, router(console), stop()?).await;
    Ok(())
}

/// Everything that faces the network.
pub fn router(console: SharedConsole) -> Router {
    let api = rest::router(console.clone());
    let guarded = api.clone().layer(middleware::from_fn(rest::finish));
    let site =
        rest::health_routes(console.clone()).fallback_service(pages::router(console.clone(), api).into_service());
    // By prefix and not by a route with a wildcard, whose match would count among the parameters of the API's own routes.
    let split = move |mut request: Request| {
        if let Some(address) = rest::normalized(request.uri()) {
            *request.uri_mut() = address;
        }
        let side = if rest::is_api(request.uri().path()) {
            &guarded
        } else {
            &site
        };
        side.clone().oneshot(request)
    };
    let router = Router::new()
        .fallback(split)
        .layer(middleware::map_response(headers::harden));
    if console.base_path.is_empty() {
        router
    } else {
        Router::new().nest(&console.base_path, router)
    }
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

async fn open(config: &Config, catalog: &Arc<Catalog>) -> Result<(Arc<dyn Source>, About), Failure> {
    let about = |source, context| About { source, context };
    match &config.objects {
        Objects::Cluster { access, namespaces } => {
            let connecting = Kubernetes::connect(access, namespaces.clone(), catalog.clone());
            let mut cluster = connecting.await.map_err(|error| Misconfigured(error.to_string()))?;
            // A file that is given alone counts.
            if config.key_file.is_none() {
                let keys = config.door.keys.clone();
                cluster.follow_keys(&operator_namespace(), move |text| key_cluster::take_over(&keys, text));
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

fn announce(console: &Console, address: std::net::SocketAddr, preview: bool) {
    let base = &console.base_path;
    tracing::info!(%address, source = console.about.source, keys = console.door.keys.load().len(), "serving");
    if preview {
        println!(
            "Opsdeck preview: http://{address}{base}/  sign in with the key  preview  (or preview-operator, preview-viewer)"
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

/// Resolves at the first SIGTERM or SIGINT; a second one ends the process at once.
fn stop() -> io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping: open requests may end");
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            std::process::exit(1);
        });
    })
}
