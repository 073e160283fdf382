//! The command line of loyd.

fn main() -> std::process::ExitCode {
    loyd::cli::run()
}
