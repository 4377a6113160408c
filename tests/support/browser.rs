//! A browser without a window, driven by its `WebDriver`.

use std::io::{Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::prelude::*;

/// What is missing when a browser does not start.
const MISSING: &str =
    "the tests of the console need Chromium and its driver: apt-get install chromium chromium-driver";

/// A browser and its driver; both end when it is dropped.
pub struct Browser {
    /// The session of the driver. It is ended here: on its own it would wait for a driver that has ended.
    pub driver: ManuallyDrop<WebDriver>,
    /// The address of the service.
    pub base: String,
    process: Child,
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Browser({})", self.base)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser, which would outlive its driver.
        let url = self.driver.handle().server_url();
        let address = format!("127.0.0.1:{}", url.port().unwrap_or_default());
        let path = format!("/session/{}", self.driver.session_id());
        if let Ok(mut stream) = TcpStream::connect(&address) {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = write!(stream, "DELETE {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
            let _ = stream.read(&mut [0; 64]);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts a browser for a service.
    pub async fn start(base: &str) -> Self {
        // Whoever came first has set it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let port = {
            let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            free.local_addr().expect("an address").port()
        };
        let mut command = Command::new("chromedriver");
        command.arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().unwrap_or_else(|error| panic!("{MISSING} ({error})"));
        let mut capabilities = DesiredCapabilities::chrome();
        let flags = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        ];
        for flag in flags {
            capabilities.add_arg(flag).expect("a flag");
        }
        let told = json!({"browser": "ALL", "performance": "ALL"});
        capabilities.set("goog:loggingPrefs", told).expect("a setting");
        let address = format!("http://127.0.0.1:{port}");
        let mut tried = 0;
        let driver = loop {
            match WebDriver::new(&address, capabilities.clone()).await {
                Ok(driver) => break driver,
                Err(error) if tried >= 400 => panic!("{MISSING} ({error})"),
                Err(_) => {
                    tried += 1;
                    tokio::time::sleep(Duration::from_millis(25)).await;
                }
            }
        };
        let driver = ManuallyDrop::new(driver);
        let browser = Self { driver, base: base.to_owned(), process };
        browser.size(1280, 900).await;
        browser
    }

    /// Opens a page of the service.
    pub async fn open(&self, path: &str) {
        self.driver.goto(format!("{}{path}", self.base)).await.expect("a page");
    }

    /// The path and query of the page.
    pub async fn at(&self) -> String {
        let url = self.driver.current_url().await.expect("an address").to_string();
        url.strip_prefix(&self.base).unwrap_or(&url).to_owned()
    }

    /// Signs in with a key.
    pub async fn sign_in(&self, key: &str) {
        self.open("/console/sign-in").await;
        self.fill("#key", key).await;
        self.press("Sign in").await;
        self.sees("Sign out").await;
    }

    /// The first element that a selector finds, for which it waits.
    pub async fn find(&self, css: &str) -> WebElement {
        let found = self
            .driver
            .query(By::Css(css.to_owned()))
            .wait(Duration::from_secs(15), Duration::from_millis(50));
        found.first().await.unwrap_or_else(|_| panic!("no {css}"))
    }

    /// How many elements a selector finds now.
    pub async fn count(&self, css: &str) -> usize {
        self.driver.find_all(By::Css(css.to_owned())).await.expect("a page").len()
    }

    /// The text of the page.
    pub async fn text(&self) -> String {
        self.find("body").await.text().await.expect("a text")
    }

    /// Waits until the page has a text.
    pub async fn sees(&self, text: &str) {
        for _ in 0..750 {
            let shown = self.script("return document.body ? document.body.innerText : ''").await;
            if shown.as_str().is_some_and(|shown| shown.contains(text)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{} does not say {text:?}: {}", self.at().await, self.text().await);
    }

    /// Waits until something is so in the page.
    pub async fn comes(&self, what: &str) {
        for _ in 0..750 {
            // Between two pages there is none.
            let so = self.driver.execute(format!("return Boolean({what})"), Vec::new()).await;
            if so.is_ok_and(|so| so.json() == true) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{what} did not come: {}", self.text().await);
    }

    /// Types into a field.
    pub async fn fill(&self, css: &str, text: &str) {
        let field = self.find(css).await;
        field.clear().await.expect("a field");
        field.send_keys(text).await.expect("a field");
    }

    /// Presses the button with this name, for assistive technology, or this text.
    pub async fn press(&self, name: &str) {
        let path = format!("//button[normalize-space()=\"{name}\" or @aria-label=\"{name}\"]");
        let button =
            self.driver.query(By::XPath(path)).wait(Duration::from_secs(15), Duration::from_millis(50));
        let button = button.first().await.unwrap_or_else(|_| panic!("no button {name}"));
        button.click().await.expect("a button that can be pressed");
    }

    /// Follows the link with this text.
    pub async fn follow(&self, text: &str) {
        let path = format!("//a[normalize-space()=\"{text}\" or @aria-label=\"{text}\"]");
        let link =
            self.driver.query(By::XPath(path)).wait(Duration::from_secs(15), Duration::from_millis(50));
        let link = link.first().await.unwrap_or_else(|_| panic!("no link {text}"));
        link.click().await.expect("a link");
    }

    /// Runs a script in the page.
    pub async fn script(&self, script: &str) -> Value {
        self.driver.execute(script, Vec::new()).await.expect("a script").json().clone()
    }

    /// Sets the size of the page.
    pub async fn size(&self, width: u32, height: u32) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Sets what the system prefers.
    pub async fn prefer(&self, scheme: &str) {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.cdp("Emulation.setEmulatedMedia", features).await;
    }

    async fn cdp(&self, command: &str, arguments: Value) -> Value {
        self.post("goog/cdp/execute", json!({"cmd": command, "params": arguments})).await
    }

    /// A command that only this browser's driver knows.
    async fn post(&self, path: &str, body: Value) -> Value {
        let url = format!("{}session/{}/{path}", self.driver.handle().server_url(), self.driver.session_id());
        let client = reqwest::Client::builder().build().expect("a client");
        let reply = client.post(url).header("content-type", "application/json").body(body.to_string());
        let reply = reply.send().await.expect("a reply").text().await.expect("a text");
        let reply: Value = serde_json::from_str(&reply).expect("JSON");
        reply["value"].clone()
    }

    /// Everything that the console of the browser has told since the last time: faults of scripts, and reports of the
    /// Content-Security-Policy.
    pub async fn told(&self) -> Vec<String> {
        self.log("browser")
            .await
            .iter()
            .map(|entry| entry["message"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// The addresses of all requests since the last time.
    pub async fn requested(&self) -> Vec<String> {
        let entries = self.log("performance").await;
        let read = |entry: &Value| -> Option<String> {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let is_request = event["message"]["method"] == "Network.requestWillBeSent";
            is_request
                .then(|| event["message"]["params"]["request"]["url"].as_str().map(str::to_owned))
                .flatten()
        };
        entries.iter().filter_map(read).collect()
    }

    async fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.post("se/log", json!({"type": kind})).await;
        entries.as_array().cloned().unwrap_or_default()
    }
}
