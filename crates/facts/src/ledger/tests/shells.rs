//! Tests of the effects of shell commands on files.

use rstest::rstest;
use serde_json::json;

use super::Talk;

#[rstest]
#[case("cat > a.py <<'EOF'\nprint(1)\nEOF", &["created a.py unsure"])]
#[case("cat <<EOF >> a.py\nx\nEOF", &["modified a.py"])]
#[case("cat > 'my file.py' <<EOF\nx\nEOF", &["created my file.py unsure"])]
#[case("echo hi | tee -a log.txt out.txt", &["modified log.txt", "modified out.txt"])]
#[case("sed -i 's/a/b/g' src/x.rs src/y.rs", &["modified src/x.rs", "modified src/y.rs"])]
#[case("sed -i '' -e 's/a/b/' x.rs", &["modified x.rs"])]
#[case("sed -i.bak 's/a/b/' x.rs", &["modified x.rs"])]
#[case("sed -n '1,20p' x.rs", &["read x.rs"])]
#[case("sed -n '/index/,/end/p' x.rs", &["read x.rs"])]
#[case("perl -pi -e 's/a/b/' x.pl", &["modified x.pl"])]
#[case("ruby -i -pe 'gsub(/a/, \"b\")' x.rb", &["modified x.rb"])]
#[case("ruby x.rb", &[])]
#[case("yq -i '.a = 1' x.yml", &["modified x.yml"])]
#[case("yq eval '.a' x.yml", &["read x.yml"])]
#[case("gawk -i inplace '{print $1}' x.txt", &["modified x.txt"])]
#[case("sd foo bar x.py y.py", &["modified x.py", "modified y.py"])]
#[case("sd -p foo bar x.py", &[])]
#[case("dos2unix x.sh", &["modified x.sh"])]
#[case("mv a.txt b.txt", &["renamed b.txt from a.txt"])]
#[case("mv a.txt dir/", &["renamed dir/a.txt from a.txt"])]
#[case("mv a.txt b.txt sub", &["renamed sub/a.txt from a.txt", "renamed sub/b.txt from b.txt"])]
#[case("git mv a.txt b.txt", &["renamed b.txt from a.txt"])]
#[case("cp a.txt b.txt", &["read a.txt", "created b.txt unsure"])]
#[case("rm -f a.txt b.txt", &["deleted a.txt", "deleted b.txt"])]
#[case("rm *.o", &[])]
#[case("rm \"$FILE\"", &[])]
#[case("rm -rf build", &[])]
#[case("git rm --cached a.txt", &[])]
#[case("git rm a.txt", &["deleted a.txt"])]
#[case("git checkout -- src/a.rs", &["modified src/a.rs"])]
#[case("git checkout main", &[])]
#[case("git restore --staged src/a.rs", &[])]
#[case("touch new.txt", &["created new.txt unsure"])]
#[case("mkdir -p a/b", &[])]
#[case("ls > /dev/null 2>&1", &[])]
#[case("make 2>&1 | tail -5", &[])]
#[case("make > build.log 2>&1", &["created build.log unsure"])]
#[case("python t.py &> out.log", &["created out.log unsure"])]
#[case("cat a.txt b.txt | head -3", &["read a.txt", "read b.txt"])]
#[case("head -n 5 a.txt; tail -20 b.txt; wc -l c.txt", &["read a.txt", "read b.txt", "read c.txt"])]
#[case("grep -n 'foo.bar' src/a.rs", &["read src/a.rs"])]
#[case("grep -rn foo src", &[])]
#[case("nl -ba a.txt | sed -n '1,5p'", &["read a.txt"])]
#[case("cd /w/sub && cat > x.py <<EOF\n1\nEOF", &["created /w/sub/x.py unsure"])]
#[case("(cd /w && rm a.txt); rm b.txt", &["deleted /w/a.txt", "deleted b.txt"])]
#[case("bash -c \"rm a.txt && touch b.txt\"", &["deleted a.txt", "created b.txt unsure"])]
#[case("bash -lc 'cd sub; rm a.txt'", &["deleted sub/a.txt"])]
#[case("sudo rm a.txt", &["deleted a.txt"])]
#[case("timeout 10 env A=1 rm a.txt", &["deleted a.txt"])]
#[case("for f in a.rs b.rs; do sed -i 's/x/y/' \"src/$f\"; done", &["modified src/a.rs", "modified src/b.rs"])]
#[case("if [ -f a.txt ]; then rm a.txt; fi", &["deleted a.txt"])]
#[case("python3 - <<'EOF'\np = 'src/a.py'\ns = open(p).read()\nopen(p, 'w').write(s)\nEOF", &["modified src/a.py"])]
#[case("python -c \"from pathlib import Path; Path('a.txt').write_text('x')\"", &["created a.txt unsure"])]
#[case("node -e \"fs.writeFileSync('a.json', '{}')\"", &["created a.json unsure"])]
#[case("patch -p1 <<'EOF'\n--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1 @@\n-int a;\n+int b;\nEOF", &["modified src/a.c"])]
#[case("git apply <<'EOF'\ndiff --git a/n.c b/n.c\nnew file mode 100644\n--- /dev/null\n+++ b/n.c\n@@ -0,0 +1 @@\n+int b;\nEOF", &["created n.c"])]
#[case("git -C /w mv a.txt b.txt", &["renamed /w/b.txt from /w/a.txt"])]
#[case("echo 'it''s > not.txt'", &[])]
#[case("echo \"a > b.txt\"", &[])]
#[case("test 1 -gt 0 # > c.txt", &[])]
#[case("cat <<EOF\nrm a.txt\nEOF", &[])]
#[case("cat > t.sh <<'EOF'\nrm other.txt\necho x > y.txt\nEOF\nchmod +x t.sh", &["created t.sh unsure"])]
#[case("prettier --write src/a.ts src/b.ts", &["modified src/a.ts", "modified src/b.ts"])]
#[case("npx prettier --check src/a.ts", &[])]
#[case("gofmt -w main.go", &["modified main.go"])]
#[case("gofmt -l main.go", &[])]
#[case("black a.py", &["modified a.py"])]
#[case("black --check a.py", &[])]
#[case("ruff check --fix a.py", &["modified a.py"])]
#[case("ruff check a.py", &[])]
#[case("ruff format a.py", &["modified a.py"])]
#[case("rustfmt src/lib.rs", &["modified src/lib.rs"])]
#[case("rustfmt --check src/lib.rs", &[])]
#[case("npx eslint --fix src/a.ts", &["modified src/a.ts"])]
#[case("clang-format -i src/a.c", &["modified src/a.c"])]
#[case("isort a.py && autopep8 --in-place b.py", &["modified a.py", "modified b.py"])]
#[case("cp a.txt a.txt.bak", &["read a.txt"])]
#[case("cp a.txt /tmp/a.txt", &["read a.txt"])]
#[case("cp a.txt.bak a.txt", &["read a.txt.bak", "created a.txt unsure"])]
#[case("cp a.txt b.txt && rm b.txt", &["read a.txt"])]
#[case("git restore src/a.rs", &["modified src/a.rs"])]
#[case("git checkout HEAD~1 -- src/a.rs", &["modified src/a.rs"])]
#[case("git stash", &[])]
#[case("grep -rl foo src | xargs sed -i 's/foo/bar/'", &[])]
#[case("echo a.txt b.txt | xargs rm", &[])]
#[case("find . -name '*.pyc' -delete", &[])]
#[case("find src -name '*.ts' -exec sed -i 's/a/b/' {} \\;", &[])]
#[case("curl -sSL https://x.y/z -o out.bin", &["created out.bin unsure"])]
#[case("curl --output=out.bin https://x.y/z", &["created out.bin unsure"])]
#[case("wget -q -O out.bin https://x.y/z", &["created out.bin unsure"])]
#[case("dd if=/dev/zero of=disk.img bs=1M count=1", &["created disk.img unsure"])]
#[case("tar xzf a.tar.gz", &["read a.tar.gz"])]
#[case("tar czf out.tar.gz src", &["created out.tar.gz unsure"])]
#[case("unzip -o a.zip -d out", &["read a.zip"])]
#[case("zip -r out.zip src", &["created out.zip unsure"])]
#[case("ln -s ../a.conf b.conf", &["created b.conf unsure"])]
#[case("install -m 755 bin/x.sh /usr/local/bin/x.sh", &["read bin/x.sh", "created /usr/local/bin/x.sh unsure"])]
#[case("truncate -s 0 app.log", &["created app.log unsure"])]
#[case("env X=1 Y=2 rm a.txt", &["deleted a.txt"])]
#[case("sudo -u root tee /etc/app.conf <<EOF\nx\nEOF", &["created /etc/app.conf unsure"])]
#[case("X=1 rm a.txt || true", &["deleted a.txt"])]
#[case("test -f a.txt || touch a.txt", &["created a.txt unsure"])]
#[case("ruby -e \"File.write('a.rb', 'x')\"", &["created a.rb unsure"])]
#[case("php -r \"file_put_contents('a.php', 'x');\"", &["created a.php unsure"])]
#[case("python - <<'EOF'\nimport shutil, os\nshutil.copy('a.py', 'b.py')\nos.rename('c.py', 'd.py')\nos.remove('e.py')\nEOF", &["read a.py", "created b.py unsure", "renamed d.py from c.py", "deleted e.py"])]
#[case("python - <<'EOF'\nfrom pathlib import Path\np = Path('src') / 'a.py'\np.write_text(p.read_text().replace('a', 'b'))\nEOF", &["modified src/a.py"])]
#[case("python3 <<'EOF'\nwith open('out/data.json', 'w', encoding='utf-8') as f:\n    json.dump(x, f)\nEOF", &["created out/data.json unsure"])]
#[case("node <<'EOF'\nconst fs = require('fs');\nconst p = 'a.json';\nconst s = fs.readFileSync(p, 'utf8');\nfs.writeFileSync(p, s);\nEOF", &["modified a.json"])]
#[case("printf 'a\\n' | sudo tee -a /etc/hosts > /dev/null", &["modified /etc/hosts"])]
#[case("jq '.a = 1' x.json > tmp.json && mv tmp.json x.json", &["modified x.json", "deleted tmp.json transient unsure"])]
#[case("sed 's/a/b/' x.rs > x.rs.new && mv x.rs.new x.rs", &["modified x.rs", "deleted x.rs.new transient unsure"])]
#[case("sponge a.txt < b.txt", &["created a.txt unsure", "read b.txt"])]
#[case("cat <<'EOF' | tee src/a.rs\nfn a() {}\nEOF", &["created src/a.rs unsure"])]
#[case("while read f; do rm \"$f\"; done < list.txt", &["read list.txt"])]
#[case("rm -rf node_modules package-lock.json", &["deleted package-lock.json"])]
#[case("git rm -r --cached vendor", &[])]
#[case("git clean -fd", &[])]
#[case("mkdir -p a && touch a/{x,y}.rs", &["created a/x.rs unsure", "created a/y.rs unsure"])]
#[case("mv src/{a,b}.rs", &["renamed src/b.rs from src/a.rs"])]
fn a_command_does_what_it_does(#[case] command: &str, #[case] expected: &[&str]) {
    assert_eq!(Talk::new().tool("bash", json!({"command": command}), "").files(), expected, "{command}");
}

/// What is left open at the end changes nothing of what stands before it.
#[rstest]
#[case("cat > a.py <<'EOF'\nprint('(((')\nEOF\nrm b.py", &["created a.py unsure", "deleted b.py"])]
#[case("cd /w && sed -i 's/a/b/' x.rs; echo x >> y.log", &["modified /w/x.rs", "modified /w/y.log"])]
#[case("if true; then rm a.txt; fi", &["deleted a.txt"])]
#[case("cat <<-A > a.txt\n\tx\n\tA\nrm b.txt", &["created a.txt unsure", "deleted b.txt"])]
#[case("A=1 B=2 rm a.txt", &["deleted a.txt"])]
#[case("mv 'a b.txt' c.txt 2>/dev/null", &["renamed c.txt from a b.txt"])]
fn a_broken_script_is_read_up_to_where_it_breaks(#[case] command: &str, #[case] expected: &[&str]) {
    let broken = format!("{command}\nif ((( then");
    let files = Talk::new().tool("bash", json!({"command": broken}), "").files();
    assert_eq!(files, expected, "{command}");
}

#[test]
fn a_complaint_about_a_file_takes_its_effect_back() {
    let run = |command: &str, output: &str| {
        Talk::new().calls(&[("a", "bash", json!({"command": command}))]).result("a", output, None).files()
    };
    assert!(run("rm a.txt", "rm: cannot remove 'a.txt': No such file or directory").is_empty());
    assert_eq!(run("cat a.txt b.txt", "cat: a.txt: No such file or directory\nhello"), ["read b.txt"]);
    assert!(run("mv a.txt b.txt", "mv: cannot stat 'a.txt': No such file or directory").is_empty());
    assert!(run("sed -i s/a/b/ x.rs", "sed: can't read x.rs: No such file or directory").is_empty());
}

#[test]
fn a_failing_command_alone_changes_nothing_but_what_it_redirects() {
    let run =
        |command: &str| Talk::new().tool("bash", json!({"command": command}), "Exit code 1\nboom").files();
    assert!(run("sed -i s/a/b/ x.rs").is_empty());
    assert_eq!(run("cat > t.py <<EOF\nx\nEOF\npython t.py"), ["created t.py unsure"]);
    assert_eq!(run("make > log.txt"), ["created log.txt unsure"]);
}

#[test]
fn a_refused_command_never_ran() {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected";
    assert!(Talk::new().tool("Bash", json!({"command": "rm a.txt"}), refused).files().is_empty());
}

#[test]
fn a_written_script_that_edits_files_edits_them_when_it_runs() {
    let script = "p = 'lib/a.py'\ns = open(p).read()\nwith open(p, 'w') as f:\n    f.write(s)\n";
    let talk = Talk::new()
        .tool("bash", json!({"command": format!("cat > fix.py <<'EOF'\n{script}EOF")}), "")
        .tool("bash", json!({"command": "python fix.py && rm fix.py"}), "");
    assert_eq!(talk.files(), ["deleted fix.py transient unsure", "modified lib/a.py"]);
}

#[test]
fn patch_output_names_the_files() {
    let talk = Talk::new().tool(
        "bash",
        json!({"command": "patch -p1 < fix.diff"}),
        "patching file src/a.c\npatching file 'src/b.c'",
    );
    assert_eq!(talk.files(), ["read fix.diff", "modified src/a.c", "modified src/b.c"]);
}

#[test]
fn an_open_shell_stays_where_it_went() {
    let talk = Talk::new()
        .user("Working directory: /w")
        .tool("Bash", json!({"command": "cd sub"}), "")
        .tool("Bash", json!({"command": "rm a.txt"}), "")
        .tool("Read", json!({"file_path": "/w/sub/b.txt"}), "x");
    assert_eq!(talk.files(), ["deleted sub/a.txt", "read /w/sub/b.txt"]);
    assert_eq!(talk.facts().carry.shell_cwd.as_deref(), Some("/w/sub"));
    assert_eq!(talk.facts().carry.cwd.as_deref(), Some("/w"));
}
