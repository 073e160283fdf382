//! Text in files.

/// Returns a text without the byte order mark with which some editors begin files.
pub(crate) fn unmarked(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}
