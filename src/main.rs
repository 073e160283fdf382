//! The command line of loyd.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    loyd::cli::run()
}
