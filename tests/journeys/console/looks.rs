//! How the pages look: for assistive technology, in light and dark, wide and narrow; what they weigh; and the pictures of the
//! documentation, which `just console-shots` takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::browser::looking;
use super::{page, pages, signed_in};
use crate::support::app::{OPERATOR, OURS};

/// The checks of pages, which axe-core makes.
const AXE: &str = "axe-core@4.14.1";
/// With it the pictures are taken.
const SHOTS: &str = "ANCHORD_CONSOLE_SHOTS";
/// The most bytes of all that a page loads, compressed or not.
const MOST_BYTES: usize = 250 * 1024;

#[expect(
    clippy::disallowed_methods,
    reason = "who runs the tests asks for it, and no configuration of the service does"
)]
fn shots() -> bool {
    std::env::var_os(SHOTS).is_some()
}

/// The checks, as npm brings them; once for a folder of what is built.
fn axe() -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(AXE.replace('@', "-"));
    let file = folder.join("node_modules/axe-core/axe.min.js");
    if !file.is_file() {
        let flags = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save"];
        let mut npm = Command::new("npm");
        npm.args(flags).arg("--prefix").arg(&folder).arg(AXE);
        let done = npm.status().expect("npm, which the checks of the console's pages need");
        assert!(done.success(), "npm does not install {AXE}: {done}");
    }
    fs::read_to_string(file).expect("axe-core")
}

#[tokio::test]
async fn no_page_fails_a_check_for_assistive_technology_in_light_and_dark_wide_and_narrow() {
    let axe = axe();
    let looking = looking().await;
    let browser = &looking.browser;
    let mut faults = Vec::new();
    let mut all = vec!["/console/sign-in".to_owned()];
    all.extend(pages(&looking.app).await);
    all.extend(["/console/nothing-here".to_owned(), "/console/operator".to_owned()]);
    browser.sign_in(OURS).await;
    for path in &all {
        if path == "/console/operator" {
            browser.open("/console/sessions").await;
            browser.press("Sign out").await;
            browser.fill("#key", OPERATOR).await;
            browser.find("input[value=operator]").await.click().await.expect("a choice");
            browser.press("Sign in").await;
            browser.sees("Tenants").await;
        }
        browser.open(path).await;
        // What is folded is checked, too.
        browser.script("for (const one of document.querySelectorAll('details')) one.open = true").await;
        browser.script(&axe).await;
        for (width, scheme) in [(1_280, "light"), (390, "dark")] {
            browser.size(width, 900).await;
            browser.prefer(scheme).await;
            let run = "const done = arguments[arguments.length - 1];
                       axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
                         .then(found => done(found.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | '))))
                         .catch(error => done(['failed: ' + error]))";
            let found = browser.driver.execute_async(run, Vec::new()).await.expect("a result").json().clone();
            for fault in found.as_array().into_iter().flatten().filter_map(Value::as_str) {
                faults.push(format!("{path} {width} {scheme}: {fault}"));
            }
            let fits = browser.script("return document.documentElement.scrollWidth <= innerWidth").await;
            if fits != true {
                faults.push(format!("{path} is wider than {width}"));
            }
        }
        browser.size(1_280, 900).await;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    looking.is_clean().await;
}

#[tokio::test]
async fn the_first_page_is_there_soon_and_weighs_little() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    let cookie = signed_in(app, OURS, "key").await;
    let mut took = Vec::new();
    let mut bytes = 0;
    for _ in 0..5 {
        let started = Instant::now();
        let first = page(app, &cookie, "/console/sessions").await.with(200);
        took.push(started.elapsed().as_millis());
        bytes = first.text.len();
        let named = first.text.split('"').filter(|word| word.starts_with("/console/assets/"));
        for name in named.map(str::to_owned).collect::<Vec<_>>() {
            bytes += page(app, &cookie, &name).await.with(200).text.len();
        }
    }
    took.sort_unstable();
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
    // A debug build beside other tests is several times slower than what people run.
    assert!(took[0] < 2_000, "{took:?} ms");
    browser.sign_in(OURS).await;
    browser.open("/console/sessions").await;
    let timing = "const t = performance.getEntriesByType('navigation')[0]; return t.domContentLoadedEventEnd";
    let shown = browser.script(timing).await;
    println!(
        "first page: {} ms on the server, {shown} ms until it is shown, {bytes} bytes with what it loads",
        took[0]
    );
    looking.is_clean().await;
}

#[tokio::test]
async fn the_pictures_of_the_documentation_are_taken_where_asked_for() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/console");
    if !shots() {
        let document = fs::read_to_string(folder.with_extension("md")).expect("docs/console.md");
        let named: Vec<&str> = document
            .split(['(', ')', '"'])
            .filter(|word| Path::new(word).extension().is_some_and(|end| end == "png"))
            .collect();
        assert_eq!(named.len(), 12, "{named:?}");
        for name in named {
            assert!(folder.with_file_name(name).is_file(), "{name}: just console-shots");
        }
        return;
    }
    let looking = looking().await;
    let browser = &looking.browser;
    super::played(&looking.app).await;
    fs::create_dir_all(&folder).expect("a folder");
    browser.sign_in(OURS).await;
    let served = looking.app.call("GET", "/v1/sessions/ledger-api/served-contexts?limit=30", "").await.json();
    let call = served["items"][2]["id"].as_str().expect("a call");
    let six = [
        ("sessions", "/console/sessions".to_owned()),
        ("session", "/console/sessions/ledger-api".to_owned()),
        ("call", format!("/console/sessions/ledger-api/calls/{call}")),
        ("dropped", "/console/sessions/ledger-api/dropped".to_owned()),
        ("record", "/console/sessions/ledger-api/record".to_owned()),
        ("cost", "/console/cost?input=3&cached=0.3".to_owned()),
    ];
    for (name, path) in six {
        for (width, height) in [(1_280, 600), (390, 600)] {
            browser.size(width, height).await;
            browser.open(&path).await;
            let picture = browser.driver.screenshot_as_png().await.expect("a picture");
            fs::write(folder.join(format!("{name}-{width}.png")), picture).expect("a file");
        }
    }
}
