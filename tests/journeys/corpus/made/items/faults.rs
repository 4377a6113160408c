//! The faults that work items look for.

/// A fault: the line that reports it, the code that has it, the way to its cause.
pub(super) struct Bug {
    pub(super) raw: &'static str,
    pub(super) function: &'static str,
    pub(super) old: &'static str,
    pub(super) new: &'static str,
    pub(super) check: &'static str,
    pub(super) suspect: &'static str,
    pub(super) probe: &'static str,
    pub(super) shows: &'static str,
    pub(super) cause: &'static str,
    pub(super) fix: &'static str,
    pub(super) facts: &'static [&'static str],
}

impl Bug {
    /// The type of the error.
    pub(super) fn kind(&self) -> &'static str {
        self.raw.split(':').next().unwrap_or(self.raw)
    }
}

pub(super) const BUGS: &[Bug] = &[
    Bug {
        raw: "KeyError: '@f@'",
        function: "def read_@noun@_row(row: dict) -> dict:\n    \
            \"\"\"One row of the partner feed as our own record.\"\"\"\n    value = row[\"@f@\"]\n    \
            return {\"id\": row[\"id\"], \"@f@\": value}\n",
        old: "    value = row[\"@f@\"]\n    return {\"id\"",
        new: "    value = row[\"@f@\"] if \"@f@\" in row else row[\"@f@_v2\"]\n    return {\"id\"",
        check: "    assert subject.read_@noun@_row({\"id\": \"1\", \"@f@_v2\": \"x\"})[\"@f@\"] == \"x\"",
        suspect: "half empty rows from the night run",
        probe: "head -2 /srv/inbox/@noun@_@hex@.csv | cut -c1-90",
        shows: "id;@f@_v2;created_at\n@hex@;17;2026-01-30",
        cause: "the partner's feed calls the column @f@_v2 since its release @n@",
        fix: "both names are read",
        facts: &["@f@_v2", "@n@"],
    },
    Bug {
        raw: "TypeError: can't compare offset-naive and offset-aware datetimes",
        function: "def is_late_@noun@(row: dict) -> bool:\n    \
            \"\"\"True when the @noun@ should have been closed by now.\"\"\"\n    \
            return row[\"@f@\"] < now() - timedelta(minutes=@n@)\n",
        old: "    return row[\"@f@\"] < now() - timedelta(minutes=@n@)",
        new: "    return as_utc(row[\"@f@\"]) < now() - timedelta(minutes=@n@)",
        check: "    assert subject.is_late_@noun@({\"@f@\": datetime(2026, 1, 5, 8, 0)})",
        suspect: "the clock of the worker",
        probe: "psql -c \"select distinct source, extract(timezone from @f@) from @pkg@_@noun@ limit 3\"",
        shows: " source | extract\n--------+---------\n @host@ |\n others |       0",
        cause: "@host@ writes times without a zone since it was set up anew",
        fix: "the time is taken as UTC before it is compared",
        facts: &["@host@", "without a zone|naive"],
    },
    Bug {
        raw: "ZeroDivisionError: division by zero",
        function: "def mean_@noun@(values: list[int]) -> float:\n    \
            \"\"\"The mean for the daily sheet.\"\"\"\n    \
            return round(sum(values) / len(values), @n@ % 3)\n",
        old: "    return round(sum(values) / len(values), @n@ % 3)",
        new: "    if not values:\n        return 0.0\n    \
            return round(sum(values) / len(values), @n@ % 3)",
        check: "    assert subject.mean_@noun@([]) == 0.0",
        suspect: "a lost connection to the database",
        probe: "psql -c \"select site, count(*) from @pkg@_days where day = current_date - 1 group \
            by 1 having count(*) = 0\"",
        shows: " site       | count\n------------+-------\n @place@ |     0",
        cause: "@place@ had no rows at all that day, it was closed for a local holiday",
        fix: "an empty day counts as 0",
        facts: &["@place@", "holiday|closed"],
    },
    Bug {
        raw: "ValueError: invalid literal for int() with base 10: '1.@n@4'",
        function: "def amount_of_@noun@(text: str) -> int:\n    \
            \"\"\"The amount in the file of a customer.\"\"\"\n    number = int(text.strip())\n    \
            return number\n",
        old: "    number = int(text.strip())",
        new: "    number = int(text.strip().replace(\".\", \"\"))",
        check: "    assert subject.amount_of_@noun@(\"1.@n@4\") == 1@n@4",
        suspect: "a swapped column",
        probe: "grep -n '1\\.@n@4' /srv/inbox/customers/latest.csv | head -3",
        shows: "311:@cust@;1.@n@4;@f@",
        cause: "@cust@ sends thousands with a point since they changed their export",
        fix: "points are dropped before the number is read",
        facts: &["@cust@", "point|thousands"],
    },
    Bug {
        raw: "AttributeError: 'NoneType' object has no attribute '@f@'",
        function: "def owner_of_@noun@(store, key: str) -> str:\n    \
            \"\"\"Whose @noun@ it is.\"\"\"\n    found = store.find(key)\n    return found.@f@\n",
        old: "    return found.@f@",
        new: "    return found.@f@ if found is not None else \"\"",
        check: "    assert subject.owner_of_@noun@(Empty(), \"@hex@\") == \"\"",
        suspect: "a wrong key in the message",
        probe: "fleet cron list | grep -i clean",
        shows: "clean_@noun@   03:@n@   @host@   daily",
        cause: "the clean-up job on @host@ deletes the @noun@ between the two queries",
        fix: "a row that is gone gives an empty owner",
        facts: &["clean-up|cleanup|clean_", "@host@"],
    },
    Bug {
        raw: "IndexError: list index out of range",
        function: "def first_@noun@(lines: list[str]) -> str:\n    \
            \"\"\"The first line after the head.\"\"\"\n    head, first = lines[0], lines[1]\n    \
            return first if head else \"\"\n",
        old: "    head, first = lines[0], lines[1]",
        new: "    if len(lines) < 2:\n        return \"\"\n    head, first = lines[0], lines[1]",
        check: "    assert subject.first_@noun@([\"id;@f@\"]) == \"\"",
        suspect: "a file cut off on the way",
        probe: "wc -l /srv/inbox/@pkg@/*.csv | sort -n | head -3",
        shows: "      1 /srv/inbox/@pkg@/@place@.csv\n    412 /srv/inbox/@pkg@/main.csv",
        cause: "the file of @place@ has only its head line on days without work",
        fix: "a file with only a head is skipped",
        facts: &["@place@", "head"],
    },
    Bug {
        raw: "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe4 in position @n@: invalid \
            continuation byte",
        function: "def open_@noun@_file(path: str) -> list[str]:\n    \
            \"\"\"The lines of a file that a customer sent.\"\"\"\n    \
            with open(path, encoding=\"utf-8\") as stream:\n        return stream.read().splitlines()\n",
        old: "    with open(path, encoding=\"utf-8\") as stream:",
        new: "    with open(path, encoding=\"utf-8\", errors=\"surrogateescape\") as stream:",
        check: "    assert subject.open_@noun@_file(\"tests/data/latin.csv\")",
        suspect: "a broken upload",
        probe: "file /srv/inbox/customers/@hex@.csv",
        shows: "/srv/inbox/customers/@hex@.csv: ISO-8859 text, with CRLF line terminators",
        cause: "@cust@ went back to their old till, which writes Latin-1",
        fix: "odd bytes are kept and sorted out later",
        facts: &["@cust@", "Latin-1|latin-1|ISO-8859"],
    },
    Bug {
        raw: "RecursionError: maximum recursion depth exceeded",
        function: "def root_of_@noun@(rows: dict, key: str) -> str:\n    \
            \"\"\"The @noun@ at the top.\"\"\"\n    parent = rows[key].get(\"parent\")\n    \
            return root_of_@noun@(rows, parent) if parent else key\n",
        old: "    return root_of_@noun@(rows, parent) if parent else key",
        new: "    return root_of_@noun@(rows, parent) if parent and parent != key else key",
        check: "    assert subject.root_of_@noun@({\"a\": {\"parent\": \"a\"}}, \"a\") == \"a\"",
        suspect: "a list that has grown too deep",
        probe: "psql -c \"select id from @pkg@_@noun@ where parent = id\"",
        shows: "   id\n--------\n @hex@\n(1 row)",
        cause: "@noun@ @hex@ has been its own parent since two records were merged",
        fix: "a row that is its own parent is the top",
        facts: &["@hex@", "own parent|merged"],
    },
    Bug {
        raw: "TimeoutError: lock on @noun@ @hex@ not released after @n@ s",
        function: "def take_@noun@_lock(locks, key: str) -> bool:\n    \
            \"\"\"True when the lock was taken.\"\"\"\n    return locks.take(key, wait=@n@)\n",
        old: "    return locks.take(key, wait=@n@)",
        new: "    return locks.take(key, wait=@n@, steal_from_dead=True)",
        check: "    assert subject.take_@noun@_lock(DeadHolder(\"@hex@\"), \"@hex@\")",
        suspect: "too much load",
        probe: "fleet locks --key @hex@",
        shows: "@hex@  held by worker 3 on @host@  (process gone)",
        cause: "a worker on @host@ was killed for want of memory while it held the lock",
        fix: "a lock of a dead process may be taken over",
        facts: &["@host@", "memory|killed"],
    },
    Bug {
        raw: "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        function: "def answer_for_@noun@(body: str) -> dict:\n    \
            \"\"\"What the partner says.\"\"\"\n    return json.loads(body)\n",
        old: "    return json.loads(body)",
        new: "    return json.loads(body) if body.lstrip().startswith(\"{\") else {\"state\": \"later\"}",
        check: "    assert subject.answer_for_@noun@(\"<html>\") == {\"state\": \"later\"}",
        suspect: "a change in their interface",
        probe: "curl -si partner.example/@noun@ | head -4",
        shows: "HTTP/1.1 200 OK\ncontent-type: text/html\n\n\
            <html><title>Maintenance until 0@n@:00</title>",
        cause: "the partner's maintenance page comes as HTML with status 200",
        fix: "anything but JSON is asked for again later",
        facts: &["maintenance", "200|HTML"],
    },
    Bug {
        raw: "FileNotFoundError: [Errno 2] No such file or directory: '/srv/exports/@noun@_@hex@.csv'",
        function: "def send_@noun@_file(path: str, send) -> int:\n    \
            \"\"\"Sends the export of the night.\"\"\"\n    data = open(path, \"rb\").read()\n    \
            return send(data)\n",
        old: "    data = open(path, \"rb\").read()",
        new: "    if not os.path.exists(path):\n        return 0\n    data = open(path, \"rb\").read()",
        check: "    assert subject.send_@noun@_file(\"/srv/exports/@noun@_@hex@.csv\", len) == 0",
        suspect: "a full disk",
        probe: "fleet cron list | grep @noun@",
        shows: "send_@noun@     04:@n@  @host@\nexport_@noun@   04:40  @host@",
        cause: "the sending starts at 04:@n@ on @host@, before the export is written",
        fix: "without a file nothing is sent and the next run tries again",
        facts: &["04:@n@", "before"],
    },
    Bug {
        raw: "OverflowError: date value out of range",
        function: "def day_after_@noun@(end: datetime) -> datetime:\n    \
            \"\"\"The first day that is free again.\"\"\"\n    return end + timedelta(days=1)\n",
        old: "    return end + timedelta(days=1)",
        new: "    return end if end.year > 9000 else end + timedelta(days=1)",
        check: "    assert subject.day_after_@noun@(datetime(9999, 12, 31)).year == 9999",
        suspect: "a wrong time zone",
        probe: "psql -c \"select customer, max(@f@) from @pkg@_@noun@ where @f@ > '2900-01-01' group \
            by 1\"",
        shows: " customer | max\n----------+------------\n @cust@ | 9999-12-31",
        cause: "@cust@ writes 9999-12-31 for 'no end'",
        fix: "an end beyond all years stays as it is",
        facts: &["@cust@", "9999"],
    },
    Bug {
        raw: "PermissionError: [Errno 13] Permission denied: '/srv/spool/@noun@/@hex@'",
        function: "def drop_@noun@_spool(path: str) -> bool:\n    \
            \"\"\"Removes what was sent.\"\"\"\n    os.remove(path)\n    return True\n",
        old: "    os.remove(path)\n    return True",
        new: "    try:\n        os.remove(path)\n    except PermissionError:\n        \
            return False\n    return True",
        check: "    assert subject.drop_@noun@_spool(\"/srv/spool/@noun@/@hex@\") is False",
        suspect: "two jobs on the same file",
        probe: "ssh @host@ ls -ld /srv/spool/@noun@",
        shows: "drwxr-xr-x 2 root root 4096 Jan 30 11:@n@ /srv/spool/@noun@",
        cause: "the spool on @host@ belongs to root since the last update of the system",
        fix: "what cannot be removed is left for the next run",
        facts: &["@host@", "root"],
    },
    Bug {
        raw: "decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]",
        function: "def price_of_@noun@(text: str) -> Decimal:\n    \
            \"\"\"A price as the partner writes it.\"\"\"\n    return Decimal(text)\n",
        old: "    return Decimal(text)",
        new: "    return Decimal(text.replace(\",\", \".\"))",
        check: "    assert subject.price_of_@noun@(\"@n@,50\") == Decimal(\"@n@.50\")",
        suspect: "an empty price",
        probe: "cut -d';' -f4 /srv/inbox/prices.csv | grep , | head -2",
        shows: "@n@,50\n7,05",
        cause: "the price file of @cust@ has decimal commas since they moved to a new office suite",
        fix: "commas are taken for points",
        facts: &["@cust@", "comma"],
    },
];
