//! A shell command taken apart just far enough to tell which programs it ran, in which order, and
//! what stood between a program's output and the reader. Words only: nothing is expanded.

/// The deepest `sh -c '…'` that is followed; deeper ones are left as words.
const MAX_DEPTH: u8 = 3;
/// The longest command that is taken apart, in bytes; the rest of a longer one is a pasted script.
const MAX_COMMAND: usize = 64 * 1024;

/// One program with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// The words without quotes, redirections and assignments in front.
    pub words: Vec<String>,
}

impl Simple {
    /// The program's name without its folder, empty when there is none.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |w| basename(w))
    }

    /// The words after the program.
    pub fn args(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The word at a place, empty when there is none.
    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }
}

/// Programs joined by `|`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// Its programs, the producer first.
    pub stages: Vec<Simple>,
    /// Whether the producer's standard output went into a file, so that the reader never saw it.
    pub redirected: bool,
}

/// The last part of a path.
pub fn basename(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// Takes a command apart at `&&`, `||`, `;`, `&`, newlines and `|`, outside of quotes, with
/// here-documents left out and `sh -c` followed.
pub fn parse(command: &str) -> Vec<Pipeline> {
    let mut all = Vec::new();
    parse_into(clip_bytes(command, MAX_COMMAND), 0, &mut all);
    all
}

fn parse_into(command: &str, depth: u8, out: &mut Vec<Pipeline>) {
    for pipeline in split(command) {
        let inner = pipeline.stages.first().filter(|_| depth < MAX_DEPTH).and_then(inner_script);
        match inner {
            Some(script) => {
                let from = out.len();
                parse_into(&script, depth + 1, out);
                // `sh -c 'a; b' | tail`: the filter sees what every inner command printed.
                for inner in out.iter_mut().skip(from) {
                    inner.stages.extend(pipeline.stages.iter().skip(1).cloned());
                    inner.redirected |= pipeline.redirected;
                }
            }
            None => out.push(pipeline),
        }
    }
}

fn inner_script(simple: &Simple) -> Option<String> {
    if !matches!(simple.program(), "bash" | "sh" | "zsh" | "dash" | "ksh") {
        return None;
    }
    let flag =
        simple.args().iter().position(|w| w.starts_with('-') && !w.starts_with("--") && w.ends_with('c'))?;
    simple.args().get(flag + 1).cloned()
}

/// The longest prefix of at most `max` bytes that ends between characters.
pub fn clip_bytes(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or(text)
}

struct Splitter {
    pipelines: Vec<Pipeline>,
    current: Pipeline,
    simple: Simple,
    word: String,
    in_word: bool,
    skip_next_word: bool,
    heredocs: Vec<String>,
    want_heredoc: bool,
}

impl Splitter {
    fn end_word(&mut self) {
        if !self.in_word {
            return;
        }
        let word = std::mem::take(&mut self.word);
        self.in_word = false;
        if self.want_heredoc {
            self.want_heredoc = false;
            self.heredocs.push(word);
        } else if self.skip_next_word {
            self.skip_next_word = false;
        } else if !(self.simple.words.is_empty() && is_assignment(&word)) {
            self.simple.words.push(word);
        }
    }

    fn end_stage(&mut self) {
        self.end_word();
        self.skip_next_word = false;
        let simple = std::mem::take(&mut self.simple);
        if !simple.words.is_empty() {
            self.current.stages.push(simple);
        }
    }

    fn end_pipeline(&mut self) {
        self.end_stage();
        let pipeline = std::mem::take(&mut self.current);
        if !pipeline.stages.is_empty() {
            self.pipelines.push(pipeline);
        }
    }
}

/// Whether a word sets a variable for the program behind it.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

#[expect(clippy::too_many_lines, reason = "one arm for each character that means something to a shell")]
fn split(command: &str) -> Vec<Pipeline> {
    let mut s = Splitter {
        pipelines: Vec::new(),
        current: Pipeline::default(),
        simple: Simple::default(),
        word: String::new(),
        in_word: false,
        skip_next_word: false,
        heredocs: Vec::new(),
        want_heredoc: false,
    };
    let mut chars = command.chars().peekable();
    let mut parens = 0_u32;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                if let Some(next) = chars.next()
                    && next != '\n'
                {
                    s.in_word = true;
                    s.word.push(next);
                }
            }
            '\'' => {
                s.in_word = true;
                for q in chars.by_ref() {
                    if q == '\'' {
                        break;
                    }
                    s.word.push(q);
                }
            }
            '"' => {
                s.in_word = true;
                while let Some(q) = chars.next() {
                    match q {
                        '"' => break,
                        '\\' => s.word.extend(chars.next()),
                        _ => s.word.push(q),
                    }
                }
            }
            '$' if chars.peek() == Some(&'(') => {
                // A substitution is one word to us: what runs inside prints into an argument.
                chars.next();
                s.in_word = true;
                s.word.push_str("$(…)");
                let mut depth = 1_u32;
                for q in chars.by_ref() {
                    match q {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            '#' if !s.in_word => {
                while chars.peek().is_some_and(|n| *n != '\n') {
                    chars.next();
                }
            }
            '(' if !s.in_word => parens += 1,
            ')' if parens > 0 => {
                parens -= 1;
                s.end_pipeline();
            }
            '|' => {
                if chars.peek() == Some(&'|') {
                    chars.next();
                    s.end_pipeline();
                } else {
                    if chars.peek() == Some(&'&') {
                        chars.next();
                    }
                    s.end_stage();
                }
            }
            ';' => s.end_pipeline(),
            '&' if chars.peek() == Some(&'>') => {
                chars.next();
                s.end_word();
                redirect(&mut chars, &mut s, true);
            }
            '&' => {
                if chars.peek() == Some(&'&') {
                    chars.next();
                }
                s.end_pipeline();
            }
            '>' => {
                // `2>` keeps standard output where it is; `>` and `1>` do not.
                let errors_only = s.in_word && s.word == "2";
                if s.in_word && s.word.bytes().all(|b| b.is_ascii_digit()) {
                    s.word.clear();
                    s.in_word = false;
                } else {
                    s.end_word();
                }
                redirect(&mut chars, &mut s, !errors_only);
            }
            '<' => {
                s.end_word();
                if chars.peek() == Some(&'<') {
                    chars.next();
                    if chars.peek() == Some(&'<') {
                        chars.next();
                        s.skip_next_word = true;
                    } else {
                        if chars.peek() == Some(&'-') {
                            chars.next();
                        }
                        s.want_heredoc = true;
                    }
                } else {
                    s.skip_next_word = true;
                }
            }
            '\n' => {
                s.end_pipeline();
                for delimiter in std::mem::take(&mut s.heredocs) {
                    skip_heredoc(&mut chars, &delimiter);
                }
            }
            c if c.is_whitespace() => s.end_word(),
            c => {
                s.in_word = true;
                s.word.push(c);
            }
        }
    }
    s.end_pipeline();
    s.pipelines
}

fn redirect(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, s: &mut Splitter, output: bool) {
    if chars.peek() == Some(&'>') {
        chars.next();
    }
    if chars.peek() == Some(&'&') {
        // `2>&1` duplicates a descriptor: nothing leaves the pipeline.
        chars.next();
        while chars.peek().is_some_and(|n| n.is_ascii_digit() || *n == '-') {
            chars.next();
        }
        return;
    }
    s.skip_next_word = true;
    s.current.redirected |= output;
}

fn skip_heredoc(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, delimiter: &str) {
    let mut line = String::new();
    for c in chars.by_ref() {
        if c == '\n' {
            if line.trim() == delimiter {
                return;
            }
            line.clear();
        } else {
            line.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Vec<Vec<Vec<String>>> {
        parse(command).into_iter().map(|p| p.stages.into_iter().map(|s| s.words).collect()).collect()
    }

    #[test]
    fn chains_and_pipes_come_apart_outside_of_quotes() {
        assert_eq!(
            words("cd 'a b' && FOO=1 pytest -k \"x && y\" 2>&1 | tail -5; echo done"),
            vec![
                vec![vec!["cd".to_owned(), "a b".into()]],
                vec![
                    vec!["pytest".to_owned(), "-k".into(), "x && y".into()],
                    vec!["tail".into(), "-5".into()]
                ],
                vec![vec!["echo".to_owned(), "done".into()]],
            ]
        );
    }

    #[test]
    fn here_documents_are_no_commands() {
        assert_eq!(
            words("cat > a.sh <<'EOF'\npytest -q\nEOF\nls"),
            vec![vec![vec!["cat".to_owned()]], vec![vec!["ls".to_owned()]]]
        );
    }

    #[test]
    fn a_script_given_to_a_shell_is_followed() {
        let all = words("bash -lc 'cd x && go test ./...' | tail -3");
        assert_eq!(all.len(), 2);
        assert_eq!(all[1][0], vec!["go", "test", "./..."]);
        assert_eq!(all[1][1], vec!["tail", "-3"]);
    }

    #[test]
    fn a_redirected_output_is_known_to_be_unseen() {
        assert!(parse("pytest > out.txt 2>&1")[0].redirected);
        assert!(!parse("pytest 2>/dev/null")[0].redirected);
        assert!(!parse("pytest 2>&1")[0].redirected);
        assert!(parse("pytest &> log")[0].redirected);
    }

    proptest::proptest! {
        #[test]
        fn no_command_panics(command in "[ -~\\n\\u{e9}]{0,200}") {
            let _ = parse(&command);
        }
    }
}
