//! Commands and flags, as text becomes types. What they mean together is decided in `config`.

use crate::{access::limits::PerMinute, rules::duration};
use clap::{
    Arg, Args, Command as Line, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum,
    builder::{BoolishValueParser, Resettable},
};
use opsdeck_api::Role;
use std::{net::SocketAddr, num::NonZeroU32, path::PathBuf, time::Duration};

/// The incident, instance and approval console for Kubernetes AIOps.
#[derive(Debug, Parser)]
#[command(name = "opsdeck", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// How the log is written.
    #[arg(long, global = true, env = "OPSDECK_LOG", value_enum, default_value_t = LogFormat::Text)]
    pub log: LogFormat,
}

// === impl Cli ===

impl Cli {
    /// The command line and the environment of this process. A variable that is set and empty counts as not set: charts set them so.
    pub fn read() -> Result<Self, clap::Error> {
        let matches = without_empty_variables(Self::command()).try_get_matches()?;
        Self::from_arg_matches(&matches)
    }
}

fn without_empty_variables(line: Line) -> Line {
    let deaf = |arg: Arg| {
        let empty = arg
            .get_env()
            .is_some_and(|name| std::env::var_os(name).is_some_and(|value| value.is_empty()));
        if empty { arg.env(Resettable::Reset) } else { arg }
    };
    line.mut_args(deaf).mut_subcommands(without_empty_variables)
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the dashboard and the REST API.
    Serve(Serve),
    /// Show the console over sample incidents, in memory.
    Preview(Preview),
    /// Put what `kubectl get … -o yaml` prints into the embedded store.
    Import(Import),
    /// Print everything in the embedded store.
    Export(Export),
    /// Work with API keys.
    #[command(subcommand)]
    Keys(Keys),
    /// Work with the configuration.
    #[command(subcommand)]
    Config(Config),
    /// Print the manifests of the custom resources.
    Crds,
    /// Print the OpenAPI document of the REST API.
    Openapi,
    /// Print the manifests of the rights that the server needs in a cluster.
    Rbac(Rbac),
    /// Ask a running server how it is. Exit code 0: it is well; 1: it is not, or cannot be reached.
    ///
    /// Without --url it asks where `serve` with the same flags and environment listens. Over TLS it takes any certificate.
    Healthcheck(Healthcheck),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Where to listen [default: 0.0.0.0:8090; the port also by CHATCLI_AIOPS_PORT].
    #[arg(long, env = "OPSDECK_LISTEN")]
    pub listen: Option<SocketAddr>,
    /// The port alone, under the name that upstream's operator reads.
    #[arg(long, env = "CHATCLI_AIOPS_PORT", hide = true)]
    pub port: Option<String>,
    /// Where the objects live.
    #[arg(long, env = "OPSDECK_SOURCE", value_enum, default_value_t = SourceChoice::Auto)]
    pub source: SourceChoice,
    #[command(flatten)]
    pub cluster: Cluster,
    #[command(flatten)]
    pub store: Store,
    /// Leave approvals as they are stored: votes, expiry and change windows move nothing.
    #[arg(long, env = "OPSDECK_NO_SETTLER", value_parser = BoolishValueParser::new())]
    pub no_settler: bool,
    /// The YAML list of API keys. Read again when it changes.
    #[arg(long, env = "OPSDECK_API_KEYS_FILE")]
    pub api_keys_file: Option<PathBuf>,
    /// A file of at least 32 random bytes that signs browser sessions: needed by replicas whose keys are given as hashes.
    #[arg(long, env = "OPSDECK_SESSION_SECRET_FILE")]
    pub session_secret_file: Option<PathBuf>,
    /// Where Prometheus finds the figures.
    #[arg(long, env = "OPSDECK_METRICS_LISTEN", default_value = "127.0.0.1:8080")]
    pub metrics_listen: SocketAddr,
    /// How long to serve on after SIGTERM while readiness is off, so that no client is sent here any more.
    #[arg(long, env = "OPSDECK_DRAIN_DELAY", default_value = "3s", value_parser = length, value_name = "DURATION")]
    pub drain_delay: Duration,
    #[command(flatten)]
    pub mount: Mount,
    #[command(flatten)]
    pub door: Door,
}

/// `3s`, `500ms`.
fn length(text: &str) -> Result<Duration, &'static str> {
    (duration::parse(text).ok().and_then(|length| length.try_into().ok())).ok_or("a duration such as 3s is expected")
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum SourceChoice {
    /// The cluster when in a pod or given a kubeconfig (--kubeconfig, --context, $KUBECONFIG), else the embedded store.
    Auto,
    Kubernetes,
    Embedded,
}

/// Which cluster, and which part of it.
#[derive(Debug, Args)]
pub struct Cluster {
    /// The file that says where the API server is and who we are there [default: $KUBECONFIG, the pod's service account or
    /// ~/.kube/config].
    #[arg(long)]
    pub kubeconfig: Option<PathBuf>,
    /// One of its contexts, instead of the current one.
    #[arg(long, env = "OPSDECK_CONTEXT")]
    pub context: Option<String>,
    /// Show these namespaces alone [default: all].
    #[arg(
        long,
        env = "OPSDECK_WATCH_NAMESPACES",
        value_name = "NAMESPACE,…",
        value_delimiter = ','
    )]
    pub watch_namespaces: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Preview {
    /// Where to listen.
    #[arg(long, env = "OPSDECK_LISTEN", default_value = "127.0.0.1:8085")]
    pub listen: SocketAddr,
    /// Leave everything as it is: no new incidents, no votes, no progress.
    #[arg(long)]
    pub calm: bool,
    /// Add this many generated incidents with their insights and plans.
    #[arg(long, default_value_t = 0)]
    pub objects: u32,
    /// Where Prometheus finds the figures; nowhere unless given.
    #[arg(long)]
    pub metrics_listen: Option<SocketAddr>,
    #[command(flatten)]
    pub mount: Mount,
    #[command(flatten)]
    pub door: Door,
}

/// Under which address people reach the console.
#[derive(Clone, Debug, Args)]
pub struct Mount {
    /// Serve everything under this path, such as /opsdeck.
    #[arg(long, env = "OPSDECK_BASE_PATH", default_value = "")]
    pub base_path: String,
    /// The address that people type, where a proxy stands in front.
    #[arg(long, env = "OPSDECK_PUBLIC_URL")]
    pub public_url: Option<String>,
}

/// Who may come in, how, and how often.
#[derive(Clone, Debug, Args)]
pub struct Door {
    /// Certificate chain in PEM form. With --tls-key: TLS 1.3 and nothing else. Read again when it changes.
    #[arg(long, env = "CHATCLI_AIOPS_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key in PEM form.
    #[arg(long, env = "CHATCLI_AIOPS_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Networks of proxies whose X-Forwarded-For is believed.
    #[arg(long, env = "OPSDECK_TRUSTED_PROXIES", value_delimiter = ',', value_name = "CIDR")]
    pub trusted_proxies: Vec<String>,
    /// Requests a minute that a host may make without a valid key.
    #[arg(long, env = "OPSDECK_RATE_LIMIT_HOST", default_value_t = PerMinute::HOST.0, value_name = "N")]
    pub rate_limit_host: NonZeroU32,
    /// Requests a minute that a key may make.
    #[arg(long, env = "OPSDECK_RATE_LIMIT_KEY", default_value_t = PerMinute::KEY.0, value_name = "N")]
    pub rate_limit_key: NonZeroU32,
    /// Origins whose scripts may use the API, or *. None by default.
    #[arg(
        long,
        env = "CHATCLI_CORS_ALLOWED_ORIGINS",
        value_delimiter = ',',
        value_name = "ORIGIN"
    )]
    pub cors_allowed_origins: Vec<String>,
    /// One more, under the name that upstream's chart sets.
    #[arg(long, env = "CHATCLI_CORS_ORIGIN", hide = true)]
    pub cors_origin: Option<String>,
    /// Methods that those scripts may use [default: GET, POST, PUT, DELETE, OPTIONS].
    #[arg(
        long,
        env = "CHATCLI_CORS_ALLOWED_METHODS",
        value_delimiter = ',',
        value_name = "METHOD"
    )]
    pub cors_allowed_methods: Vec<String>,
    /// `true`: those scripts may send credentials along.
    #[arg(
        long,
        env = "CHATCLI_CORS_ALLOW_CREDENTIALS",
        default_value = "false",
        value_name = "BOOL"
    )]
    pub cors_allow_credentials: String,
}

#[derive(Debug, Args)]
pub struct Healthcheck {
    /// The server's address, such as https://ops.example.com/opsdeck, instead of what the other flags say.
    #[arg(long)]
    pub url: Option<String>,
    /// Ask whether it has objects to show (/readyz), not only whether it lives (/livez).
    #[arg(long)]
    pub ready: bool,
    /// Where it listens [default: port 8090, or CHATCLI_AIOPS_PORT; who listens everywhere is asked on loopback].
    #[arg(long, env = "OPSDECK_LISTEN")]
    pub listen: Option<SocketAddr>,
    /// The port alone, under the name that upstream's operator reads.
    #[arg(long, env = "CHATCLI_AIOPS_PORT", hide = true)]
    pub port: Option<String>,
    /// Under which path it serves.
    #[arg(long, env = "OPSDECK_BASE_PATH", default_value = "")]
    pub base_path: String,
    /// The certificate that it was given: it speaks TLS then. The file is not read.
    #[arg(long, env = "CHATCLI_AIOPS_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Make a new key. It is printed once, with the entry that lets it in.
    Generate(GenerateKey),
}

#[derive(Debug, Args)]
pub struct GenerateKey {
    /// viewer, operator or admin.
    #[arg(long)]
    pub role: Role,
    /// Who holds it: recorded on every decision.
    #[arg(long)]
    pub name: String,
    /// Put the key itself into the entry: upstream's server knows no hashes.
    #[arg(long)]
    pub plain: bool,
}

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Say whether `serve` would start with these flags and this environment. Binds no port.
    Check(Serve),
}

/// The embedded store's place.
#[derive(Clone, Debug, Args)]
pub struct Store {
    /// Directory of the embedded store [default: $XDG_DATA_HOME/opsdeck or ~/.local/share/opsdeck].
    #[arg(long, env = "OPSDECK_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Rbac {
    /// Where the server and the operator run.
    #[arg(long, default_value = "chatcli-system")]
    pub namespace: String,
    /// Give it rights in these namespaces alone [default: all].
    #[arg(long, value_name = "NAMESPACE,…", value_delimiter = ',')]
    pub watch_namespaces: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Import {
    /// The file to read, or - for standard input.
    #[arg(short, long)]
    pub file: PathBuf,
    /// Store what is valid and name what is not, instead of storing nothing.
    #[arg(long)]
    pub skip_invalid: bool,
    #[command(flatten)]
    pub store: Store,
}

#[derive(Debug, Args)]
pub struct Export {
    #[arg(short, long, value_enum, default_value_t = ExportFormat::Yaml)]
    pub output: ExportFormat,
    #[command(flatten)]
    pub store: Store,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum ExportFormat {
    Yaml,
    Json,
}
