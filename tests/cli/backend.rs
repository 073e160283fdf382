//! How the command line reaches a server.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use loyd::cli::Exit;

use crate::fake::Fake;

#[test]
fn a_token_is_given_without_its_label() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    for text in [
        "token: loyd_9b2f\n",
        "token: loyd_9b2f\nline:  lobby 5c1e 1\n",
    ] {
        std::fs::write(file.path(), text).unwrap();
        let ran = Fake::default().run_remote(&["check", "1 2 0 3", "--token-from", path], "");
        assert_eq!(ran.exit(), Exit::BadInput);
        let complaint = ran.complaint();
        assert!(
            complaint.contains("give only the token, without the label"),
            "{complaint}"
        );
    }
}
