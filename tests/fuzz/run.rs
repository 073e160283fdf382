//! Runs a target on its seeds, its corpus, and mutations of both for a bounded time.

use std::collections::HashSet;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use loyd::puzzle::Dice;
use twox_hash::XxHash3_64;

use crate::mutate::mutate;
use crate::targets::{Target, Trait};

/// How long mutations are tried if `LOYD_FUZZ_SECONDS` is not set.
const SECONDS: f64 = 2.0;

/// The most inputs that are mutated, and the largest input that is kept, in bytes.
const MOST_INPUTS: usize = 4096;
const MOST_BYTES: usize = 1024;

/// An input that takes longer counts as hanging.
const HANG: Duration = Duration::from_secs(60);

/// Held by the running target. Targets share workers and need to know which input caused a panic,
/// so they run one at a time.
static TURN: Mutex<()> = Mutex::new(());

/// The panics since the last input, on any thread, caught or not.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The current input and when it started.
static UNDER_WAY: Mutex<Option<(Instant, &'static str, Vec<u8>)>> = Mutex::new(None);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a target.
pub(crate) fn run(target: &Target) {
    let _turn = lock(&TURN);
    watch();
    let mut inputs = (target.seeds)();
    inputs.extend(corpus(target.name));
    let known = inputs.len();
    let mut traits: HashSet<Trait> = inputs.iter().map(|input| attempt(target, input)).collect();
    let seconds = std::env::var("LOYD_FUZZ_SECONDS").ok();
    let seconds = seconds.map_or(SECONDS, |text| text.parse().expect("a number of seconds"));
    let keeps = std::env::var_os("LOYD_FUZZ_KEEP").is_some();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut dice = Dice::new(getrandom::u64().unwrap());
    let mut mutations = 0_u64;
    while Instant::now() < end {
        let pick = |dice: &mut Dice| dice.below(inputs.len() as u32) as usize;
        let (first, second) = (pick(&mut dice), pick(&mut dice));
        let message_at = (target.message_at)(&inputs[first]);
        let input = mutate(&inputs[first], message_at, &inputs[second], &mut dice);
        // An input that leads somewhere new may lead further.
        if traits.insert(attempt(target, &input)) && inputs.len() < MOST_INPUTS {
            if keeps && input.len() <= MOST_BYTES {
                keep(target.name, &input);
            }
            inputs.push(input);
        }
        mutations += 1;
    }
    println!(
        "{}: {known} inputs, {mutations} mutations, of which {} led somewhere new",
        target.name,
        inputs.len() - known
    );
    assert!(mutations > 0 || seconds == 0.0, "no input was tried");
}

fn folder(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join("fuzz/corpus").join(name)
}

fn file_name(input: &[u8]) -> String {
    format!("{:016x}", XxHash3_64::oneshot(input))
}

/// The inputs that were found worth keeping.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let Ok(files) = fs::read_dir(folder(name)) else {
        return Vec::new();
    };
    files
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect()
}

fn keep(name: &str, input: &[u8]) {
    fs::create_dir_all(folder(name)).unwrap();
    fs::write(folder(name).join(file_name(input)), input).unwrap();
}

/// Runs the target on an input, and returns the trait.
fn attempt(target: &Target, input: &[u8]) -> Trait {
    *lock(&UNDER_WAY) = Some((Instant::now(), target.name, input.to_vec()));
    let ended = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    *lock(&UNDER_WAY) = None;
    let panics = std::mem::take(&mut *lock(&PANICS));
    match ended {
        Ok(came_to) if panics.is_empty() => came_to,
        _ => {
            let report = report("fails", target.name, input);
            panic!("{}\n{report}", panics.join("\n"));
        }
    }
}

/// Saves an input, and says what to do with it.
fn report(verb: &str, target: &str, input: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = path.join(format!("fuzz-{target}-{}", file_name(input)));
    let saved = fs::write(&path, input).map_or_else(
        |error| format!("it could not be saved: {error}"),
        |()| {
            format!(
                "it is saved as {}: mend what it found and keep it in tests/fuzz/corpus/{target}/",
                path.display()
            )
        },
    );
    format!(
        "{target} {verb} with {} bytes; {saved}\n{}",
        input.len(),
        input.escape_ascii()
    )
}

/// Watches for panics on all threads, and for inputs that hang.
fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // The test's own panic goes to the test's own hook, which reports the others.
            match lock(&UNDER_WAY).is_some() {
                true => lock(&PANICS).push(panic.to_string()),
                false => before(panic),
            }
        }));
        thread::spawn(|| {
            loop {
                thread::sleep(Duration::from_secs(1));
                if let Some((begun, target, input)) = &*lock(&UNDER_WAY)
                    && begun.elapsed() > HANG
                {
                    eprintln!("{}", report("hangs", target, input));
                    std::process::abort();
                }
            }
        });
    });
}
