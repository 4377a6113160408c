//! Inputs out of pieces that mean something to some parser.

const PIECES: &[&str] = &[
    "\u{1}",
    "\u{1}0",
    "\u{1}1",
    "\u{1}2",
    "\u{1}3",
    "\u{1}4",
    "\u{1}5",
    "\u{1}6",
    "\u{1}7",
    "\u{1}8",
    "\u{1}9",
    "\u{1}:",
    "\u{1};",
    "\u{1}<",
    "\u{1}=",
    "\u{1}>",
    "\u{1}?",
    " ",
    "\n",
    "\t",
    "\r\n",
    "\0",
    "\u{1b}[31m",
    "\u{1b}",
    "é",
    "汉字",
    "😀",
    "👩‍👩‍👧",
    "\u{202e}",
    "\u{feff}",
    "İ",
    "ß",
    "K",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "\\",
    "/",
    "|",
    "&",
    ";",
    "$",
    "#",
    "@",
    "!",
    "?",
    "*",
    "$(",
    "${",
    "$((",
    "<(",
    "<<E\n",
    "E\n",
    "<<<",
    ">> ",
    "2>&1 ",
    "&& ",
    "|| ",
    "if ",
    "then ",
    "fi\n",
    "for f in ",
    "do ",
    "done\n",
    "case x in ",
    "esac ",
    "bash -c '",
    "cd ../",
    "cd /w && ",
    "cat > a.py ",
    "tee ",
    "sed -i s/a/b/ ",
    "mv a.py b.py",
    "rm -rf src",
    "cp ",
    "touch ",
    "git mv ",
    "git checkout -b x",
    "patch -p1 ",
    "pytest -q ",
    "cargo test ",
    "npm test ",
    "go test ./... ",
    "export A_B=",
    "a.py",
    "src/main.rs",
    "../",
    "./",
    "~/x",
    "C:\\a\\b",
    "/abs/path.ts",
    "Makefile",
    "node_modules/x/y.js",
    "error: ",
    "error[E0308]: ",
    "TypeError: x",
    "Traceback (most recent call last):\n",
    "  File \"a.py\", line 3\n",
    "panicked at src/a.rs:1:2:\n",
    "npm ERR! ",
    "a.go:1:2: ",
    "a.ts(1,2): error TS1: ",
    "  1:2  error  x\n",
    "fatal: ",
    "command not found",
    "No such file or directory",
    "HTTP 500",
    "0 errors",
    "CONFLICT (content): ",
    "test result: FAILED. 1 passed; 2 failed;",
    "2 failed, 1 passed in 0.1s",
    "FAILED a.py::b - x",
    "Tests: 1 failed",
    "ok 1 - x",
    "PASS",
    "--- FAIL: T",
    "99999999999999999999",
    "-1",
    "1.2.3",
    "v1.0.0-rc1",
    "10.0.0.1:80",
    "2026-01-02",
    "port 80",
    "https://u:p@h.example/x?token=1",
    "a@b.example",
    "ABC-12",
    "#7",
    "order id: A1",
    "`A_B`",
    "45ffe0a",
    "01234567-89ab-cdef-0123-456789abcdef",
    "$5.00",
    "api_key=abcdefgh1234",
    "password: hunter22X",
    "AKIAABCDEFGHIJKLMNOP",
    "Bearer abcdefghijklmnopqrst12",
    "-----BEGIN PRIVATE KEY-----",
    "eyJaaaaaaaa.eyJbbbbbbbb.cccccccc",
    "sk-",
    "```",
    "```bash\n",
    "~~~",
    "<write_to_file>",
    "<path>",
    "</path>",
    "</write_to_file>",
    "<function=x>",
    "<parameter=a>",
    "</function>",
    "<output>",
    "</output>",
    "<returncode>",
    "<system-reminder>",
    "<command-name>",
    "<thinking>",
    "> ",
    "> Applied edit to a.py\n",
    "> Added a.py to the chat.\n",
    "Output: ",
    "Command: make\nDirectory: (root)\n",
    "\nError: (none)\nExit Code: 1\n",
    "\nProcess Group PGID: 4",
    "Exit code: 0\nOutput:\n",
    "<task_progress>",
    "</task_progress>",
    "- [x] done\n",
    "Set-Content -Path a ",
    "Remove-Item -Recurse ",
    "@'\n",
    "\n'@ | Out-File x",
    "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzk",
    "R0lGODlh",
    "/9j/4AAQSkZJRg",
    "data:image/png;base64,",
    "image/png\u{1}",
    "{\"type\":\"image_url\",\"image_url\":{\"url\":\"",
    "<<<<<<< SEARCH\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    "/run make",
    "diff --git a/x b/x\n",
    "--- a/x\n",
    "+++ b/x\n",
    "@@ -1 +1 @@\n",
    "+a\n",
    "-b\n",
    "rename from x\n",
    "*** Begin Patch\n",
    "*** Update File: a.py\n",
    "*** Add File: b\n",
    "*** Move to: c\n",
    "*** End Patch",
    "{\"command\":\"",
    "{\"file_path\":\"a\"}",
    "\"todos\":[{\"content\":\"x\",\"status\":\"pending\"}]",
    "{\"role\":\"user\",\"content\":\"",
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"Bash\",\"arguments\":\"{}\"}}]}",
    "\"}",
    "\"type\":\"text\"",
    "null",
    "true",
    "1e999",
    "\\u0000",
    "\\ud800",
    "[[[[",
    "]]]]",
    "We decided to use A instead of B because C. ",
    "Never touch the schema. ",
    "You must ",
    "must not ",
    "only ",
    "Next steps\n",
    "- [ ] do it\n",
    "1. ",
    "* ",
    "Ana Li: ",
    "我们决定使用数据库，因为快。",
    "不要修改。",
    "Nous avons choisi A car B. ",
    "Wir nehmen A, weil B. ",
    "Мы решили использовать A. ",
    "必ず",
    "Why? ",
    "blocked by ",
    "word ",
    "\"asked for\" ",
    "-not ",
];

/// A generator of inputs (xorshift): cheap, and the same for the same seed.
pub struct Maker {
    state: u64,
    kept: Vec<Vec<u8>>,
}

/// The longest input, in bytes.
const MAX: usize = 64 * 1024;
/// How many inputs are kept to be changed.
const KEPT: usize = 64;

impl Maker {
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, kept: Vec::new() }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap_or_default() % bound.max(1)
    }

    fn piece(&mut self) -> &'static str {
        PIECES.get(self.below(PIECES.len())).copied().unwrap_or_default()
    }

    /// Keeps an input to make others of.
    pub fn keep(&mut self, input: Vec<u8>) {
        if self.kept.len() < KEPT {
            self.kept.push(input);
        } else {
            let at = self.below(KEPT);
            if let Some(place) = self.kept.get_mut(at) {
                *place = input;
            }
        }
    }

    /// The next input.
    pub fn next(&mut self) -> Vec<u8> {
        let mut input = match self.below(4) {
            0 if !self.kept.is_empty() => {
                let at = self.below(self.kept.len());
                self.kept.get(at).cloned().unwrap_or_default()
            }
            _ => self.fresh(),
        };
        for _ in 0..self.below(4) {
            self.change(&mut input);
        }
        input.truncate(MAX);
        if self.below(50) == 0 {
            self.keep(input.clone());
        }
        input
    }

    fn fresh(&mut self) -> Vec<u8> {
        // Most are short, so that many are tried; some say one thing again and again.
        let count = match self.below(20) {
            0 => self.below(2_000),
            1..5 => self.below(200),
            _ => self.below(24) + 1,
        };
        let mut input = Vec::new();
        if self.below(6) == 0 {
            let unit: String = (0..=self.below(3)).map(|_| self.piece()).collect();
            while input.len() < count * 8 {
                input.extend_from_slice(unit.as_bytes());
            }
            return input;
        }
        for _ in 0..count {
            input.extend_from_slice(self.piece().as_bytes());
        }
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        match self.below(6) {
            0 => {
                let piece = self.piece().bytes();
                input.splice(at..at, piece);
            }
            1 => input.truncate(at),
            2 => {
                let byte = u8::try_from(self.below(256)).unwrap_or_default();
                if let Some(place) = input.get_mut(at) {
                    *place = byte;
                }
            }
            3 => {
                let end = (at + self.below(40)).min(input.len());
                input.drain(at..end);
            }
            4 => {
                let end = (at + self.below(400)).min(input.len());
                let part = input.get(at..end).unwrap_or_default().to_vec();
                for _ in 0..self.below(8) {
                    input.splice(at..at, part.iter().copied());
                }
            }
            _ => {
                let other = self.fresh();
                input.splice(at..at, other);
            }
        }
    }
}
