//! The `opsdeck` command: one screen. Configuration first, then source, catalog and router, then a port.

use clap::error::ErrorKind;
use opsdeck::{
    cli::{self, Cli, Command},
    config::{Config, Misconfigured},
    healthcheck::Question,
    run, telemetry,
};
use std::process::ExitCode;

/// `EX_USAGE` of sysexits.h: the command line or the configuration is wrong, nothing was started.
const USAGE: u8 = 64;

fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return if asked {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(USAGE)
            };
        }
    };
    telemetry::start(cli.log);
    let outcome = match cli.command {
        Command::Serve(serve) => Config::try_from(serve).map_err(Into::into).and_then(run::console),
        Command::Preview(preview) => Config::try_from(preview).map_err(Into::into).and_then(run::console),
        Command::Import(import) => run::import(&import),
        Command::Export(export) => run::export(&export),
        Command::Keys(cli::Keys::Generate(command)) => run::generate_key(&command),
        Command::Config(cli::Config::Check(serve)) => {
            Config::try_from(serve).map_err(Into::into).and_then(run::check_config)
        }
        Command::Crds => run::crds(),
        Command::Openapi => run::openapi(),
        Command::Rbac(rbac) => run::rbac(&rbac),
        Command::Healthcheck(asked) => Question::try_from(asked)
            .map_err(Into::into)
            .and_then(|question| run::healthcheck(&question)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("opsdeck: {error}");
            if error.is::<Misconfigured>() {
                ExitCode::from(USAGE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
