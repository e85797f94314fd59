//! Commands and flags, as text becomes types. What they mean together is decided in `config`.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{net::SocketAddr, path::PathBuf};

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
    /// Print the manifests of the custom resources.
    Crds,
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
    #[arg(long, env = "OPSDECK_NO_SETTLER")]
    pub no_settler: bool,
    /// The YAML list of API keys.
    #[arg(long, env = "OPSDECK_API_KEYS_FILE")]
    pub api_keys_file: Option<PathBuf>,
    #[command(flatten)]
    pub mount: Mount,
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
    #[command(flatten)]
    pub mount: Mount,
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

/// The embedded store's place.
#[derive(Clone, Debug, Args)]
pub struct Store {
    /// Directory of the embedded store [default: $XDG_DATA_HOME/opsdeck or ~/.local/share/opsdeck].
    #[arg(long, env = "OPSDECK_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
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
