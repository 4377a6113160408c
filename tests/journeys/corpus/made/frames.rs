//! Frames of code: functions, components, tests and the names of tests.

pub(super) const PART_TESTS: &[&str] = &[
    "shows [one|every] {noun} with its date",
    "is empty without a {noun}",
    "opens on a click",
    "keeps the order of the {noun} list",
    "[hides|greys out] a closed {noun}",
    "asks before it drops a {noun}",
    "survives a {noun} without a name",
    "reads well [on a narrow screen|for screen readers]",
    "says how many are left",
    "goes back to the first {noun}",
    "marks the {noun} that changed",
    "does not ask twice for a {noun}",
];

pub(super) const TEST_NAMES: &[&str] = &[
    "test_@noun@_needs_@f@",
    "test_empty_@stem@_is_fine",
    "test_@f@_may_be_missing",
    "test_@noun@_is_closed_once",
    "test_order_by_@f@",
    "test_@stem@_keeps_@f@",
    "test_two_@noun@_rows_are_joined",
    "test_@noun@_without_@f@_is_left_out",
    "test_@f@_is_rounded",
    "test_old_@noun@_is_archived",
    "test_@stem@_is_idempotent",
    "test_@noun@_counts_once",
    "test_@f@_survives_a_round_trip",
    "test_late_@noun@_goes_to_the_next_day",
    "test_@stem@_refuses_negative_@f@",
    "test_@noun@_of_another_customer_is_hidden",
    "test_@f@_is_compared_in_utc",
    "test_@stem@_stops_at_the_limit",
];

pub(super) const TEST_FIGURE: &[&str] = &[
    "test_@about@_is_as_agreed",
    "test_@about@_holds",
    "test_@about@_follows_the_ticket",
    "test_agreed_@about@",
    "test_@about@_has_its_new_value",
];

pub(super) const TEST_BUG: &[&str] = &[
    "test_@about@_from_the_log",
    "test_@about@_that_stopped_the_job",
    "test_bad_@about@_is_survived",
    "test_@about@_regression",
    "test_@about@_as_the_partner_sends_it",
];

pub(super) const FUNCTIONS: &[&str] = &[
    "def @v@_@nouns@(rows: list[dict], most: int = @C@) -> list[dict]:\n    \
     \"\"\"The @nouns@ that may go on. @remark@\"\"\"\n    kept = []\n    for row in rows:\n        \
     if row[\"@f@\"] is None:\n            log.debug(\"no @f@ in %s\", row[\"id\"])\n            \
     continue\n        kept.append(row)\n        if len(kept) >= most:\n            break\n    \
     return kept\n",
    "@dataclass(frozen=True)\nclass @Noun@Row:\n    \"\"\"@remark@\"\"\"\n\n    id: str\n    \
     @f@: str\n    @g@: int | None = None\n    @h@: datetime | None = None\n\n    \
     def is_due(self, at: datetime) -> bool:\n        \
     return self.@h@ is not None and self.@h@ <= at\n",
    "def @noun@_by_@f@(rows: list[dict]) -> dict[str, list[dict]]:\n    \
     \"\"\"Groups rows by their @f@. @remark@\"\"\"\n    groups: dict[str, list[dict]] = {}\n    \
     for row in rows:\n        groups.setdefault(normalise(row[\"@f@\"]), []).append(row)\n    \
     return {key: sorted(group, key=lambda r: r[\"@g@\"]) for key, group in groups.items()}\n",
    "def due_@nouns@(rows: list[dict], at: datetime | None = None) -> list[dict]:\n    \
     \"\"\"@remark@\"\"\"\n    at = as_utc(at or now())\n    edge = at - timedelta(hours=@n@)\n    \
     return [row for row in rows if as_utc(row[\"@h@\"]) < edge and not row.get(\"closed\")]\n",
    "def @v@_@noun@(row: dict, *, force: bool = False) -> bool:\n    \
     \"\"\"True when the @noun@ was changed. @remark@\"\"\"\n    \
     if row.get(\"@f@\") == row.get(\"@g@\") and not force:\n        return False\n    \
     row[\"@f@\"] = row.get(\"@g@\")\n    row[\"touched_at\"] = now()\n    \
     log.info(\"@v@ @noun@ %s\", row[\"id\"])\n    return True\n",
    "def total_@f@(rows: list[dict]) -> int:\n    \"\"\"@remark@\"\"\"\n    total = 0\n    \
     for row in rows:\n        value = row.get(\"@f@\") or 0\n        total += int(value)\n    \
     return total\n",
    "class @Noun@Store:\n    \"\"\"Keeps @nouns@ in the database. @remark@\"\"\"\n\n    \
     def __init__(self, connection) -> None:\n        self.connection = connection\n        \
     self.seen: set[str] = set()\n\n    def find(self, @f@: str) -> dict | None:\n        \
     rows = self.connection.run(\"select * from @nouns@ where @f@ = %s limit 1\", [@f@])\n        \
     return rows[0] if rows else None\n\n    def put(self, row: dict) -> None:\n        \
     if row[\"id\"] in self.seen:\n            return\n        self.seen.add(row[\"id\"])\n        \
     self.connection.run(\"insert into @nouns@ (@f@, @g@) values (%s, %s)\", [row[\"@f@\"], \
     row[\"@g@\"]])\n",
    "def parse_@f@(text: str) -> str | None:\n    \"\"\"@remark@\"\"\"\n    \
     text = text.strip().upper()\n    if not text or len(text) > @n@:\n        return None\n    \
     head, _, tail = text.partition(\"-\")\n    \
     return f\"{head}-{tail.zfill(4)}\" if tail else head\n",
    "def share_of_@nouns@(part: int, whole: int) -> float:\n    \"\"\"@remark@\"\"\"\n    \
     if whole <= 0:\n        return 0.0\n    return round(100 * part / whole, 1)\n",
    "def @nouns@_to_rows(items) -> list[list[str]]:\n    \"\"\"For the export. @remark@\"\"\"\n    \
     head = [\"id\", \"@f@\", \"@g@\", \"@h@\"]\n    \
     body = [[str(item.get(name, \"\")) for name in head] for item in items]\n    \
     return [head, *body]\n",
    "def next_@noun@_window(start: datetime, steps: int = @C@) -> tuple[datetime, datetime]:\n    \
     \"\"\"@remark@\"\"\"\n    begin = as_utc(start).replace(minute=0, second=0, microsecond=0)\n    \
     while steps > 0 and begin.weekday() > 4:\n        begin += timedelta(days=1)\n        \
     steps -= 1\n    return begin, begin + timedelta(hours=@n@)\n",
    "def merge_@nouns@(left: dict, right: dict) -> dict:\n    \
     \"\"\"Right wins where it has a value. @remark@\"\"\"\n    merged = dict(left)\n    \
     for key in (\"@f@\", \"@g@\", \"@h@\"):\n        \
     if right.get(key) not in (None, \"\"):\n            merged[key] = right[key]\n    \
     merged[\"sources\"] = sorted({*left.get(\"sources\", []), *right.get(\"sources\", [])})\n    \
     return merged\n",
    "def @noun@_problems(row: dict) -> list[str]:\n    \
     \"\"\"What speaks against a row. @remark@\"\"\"\n    problems = []\n    \
     if not row.get(\"@f@\"):\n        problems.append(\"@f@ is missing\")\n    \
     if (row.get(\"@g@\") or 0) in range(1, 4):\n        \
     problems.append(\"@g@ looks like a test value\")\n    \
     if row.get(\"@h@\") and len(str(row[\"@h@\"])) > @k@:\n        \
     problems.append(\"@h@ is too long\")\n    return problems\n",
    "def pages_of_@nouns@(fetch, size: int = @C@):\n    \
     \"\"\"Yields page after page. @remark@\"\"\"\n    after = None\n    while True:\n        \
     page = fetch(after=after, limit=size)\n        yield from page\n        \
     if len(page) < size:\n            return\n        after = page[-1][\"id\"]\n",
    "def retry_@noun@(send, row: dict, tries: int = 3) -> bool:\n    \"\"\"@remark@\"\"\"\n    \
     for attempt in range(tries):\n        if send(row):\n            return True\n        \
     log.warning(\"@noun@ %s: attempt %d of %d\", row[\"id\"], attempt + 1, tries)\n    \
     row[\"@f@\"] = \"stuck\"\n    return False\n",
    "def is_same_@noun@(one: dict, two: dict) -> bool:\n    \"\"\"@remark@\"\"\"\n    \
     keys = (\"@f@\", \"@h@\")\n    \
     return all(normalise(str(one.get(k))) == normalise(str(two.get(k))) for k in keys)\n",
    "def report_@nouns@(rows: list[dict], limit: int = @k@) -> str:\n    \
     \"\"\"Lines for the morning mail. @remark@\"\"\"\n    \
     lines = [f\"{row['@f@']:<20} {row['@g@']:>8}\" for row in rows[:limit]]\n    \
     if len(rows) > limit:\n        lines.append(f\"... and {len(rows) - limit} more\")\n    \
     return \"\\n\".join(lines)\n",
    "def expire_@nouns@(rows: list[dict], days: int = @n@) -> int:\n    \"\"\"@remark@\"\"\"\n    \
     edge = now() - timedelta(days=days)\n    \
     old = [row for row in rows if row[\"@h@\"] and as_utc(row[\"@h@\"]) < edge]\n    \
     for row in old:\n        row[\"state\"] = \"expired\"\n    \
     log.info(\"%d @nouns@ expired\", len(old))\n    return len(old)\n",
];

/// How every module of the platform begins.
pub(super) const MODULE_HEAD: &str = "from __future__ import annotations\n\nimport json\nimport logging\n\
    import os\nfrom dataclasses import dataclass\nfrom datetime import datetime, timedelta\n\
    from decimal import Decimal\n";

pub(super) const TEST_BODIES: &[&str] = &[
    "    row = build(\"@noun@\", @f@=\"@k@\")\n    assert subject.@v@_@noun@(row, force=True)\n    assert row[\"touched_at\"]",
    "    rows = [build(\"@noun@\", @f@=value) for value in (None, \"a\", \"b\")]\n    \
     kept = subject.@v@_@nouns@(rows)\n    assert [row[\"@f@\"] for row in kept] == [\"a\", \"b\"]",
    "    left, right = build(\"@noun@\", @g@=@n@), build(\"@noun@\", @g@=None)\n    assert subject.merge_@nouns@(left, right)[\"@g@\"] == @n@",
    "    assert subject.total_@f@([{\"@f@\": @n@}, {\"@f@\": None}, {\"@f@\": @k@}]) == @n@ + @k@",
    "    row = build(\"@noun@\", @h@=None)\n    assert \"@f@ is missing\" in subject.@noun@_problems({**row, \"@f@\": \"\"})",
    "    calls = []\n    pages = [[build(\"@noun@\")] * @n@, []]\n    \
     list(subject.pages_of_@nouns@(lambda **k: calls.append(k) or pages[len(calls) - 1], \
     size=@n@))\n    assert len(calls) == 2",
    "    with pytest.raises(ValueError):\n        subject.parse_@f@(\"@k@-\" * @n@)",
    "    assert subject.share_of_@nouns@(@n@, 0) == 0.0\n    assert subject.share_of_@nouns@(1, 8) == 12.5",
    "    rows = subject.@nouns@_to_rows([build(\"@noun@\", @f@=\"x@k@\")])\n    assert rows[1][1] == \"x@k@\"",
    "    groups = subject.@noun@_by_@f@([build(\"@noun@\", @f@=name, @g@=i) for i, name in \
     enumerate(\"abca\")])\n    assert list(groups) == [\"a\", \"b\", \"c\"]",
];

pub(super) const PART_BODIES: &[&str] = &[
    "function use@Noun@Filter(rows: Row[]) {\n  const [word, setWord] = useState('');\n  \
     // @remark@\n  const hits = useMemo(() => rows.filter((row) => String(row.@f@).includes(word)), \
    [rows, word]);\n  return { hits, word, setWord };\n}\n",
    "export function format@Noun@(row: Row): string {\n  // @remark@\n  if (row.@f@ == null) return '-';\n  return `${row.@f@} (${row.@g@ ?? @n@})`;\n}\n",
    "const EMPTY_@k@: Row = { id: '', @f@: '', @g@: null, @h@: null };\n",
    "function sortBy@Noun@(rows: Row[]): Row[] {\n  \
     return [...rows].sort((a, b) => (a.@h@ === b.@h@ ? a.id.localeCompare(b.id) : a.@h@ < b.@h@ ? -1 \
     : 1));\n}\n",
    "export async function load@Noun@s(after?: string): Promise<Row[]> {\n  \
     const answer = await fetch(`/api/@nouns@?limit=@n@${after ? `&after=${after}` : ''}`);\n  \
     if (!answer.ok) throw new Error(t('load.failed'));\n  return (await answer.json()).data;\n}\n",
    "function Line({ row }: { row: Row }) {\n  \
     const late = row.@h@ != null && Date.parse(row.@h@) < Date.now();\n  return (\n    \
     <li className={late ? 'late' : undefined}>\n      <span>{row.@f@}</span>\n      \
     <small>{row.@g@}</small>\n    </li>\n  );\n}\n",
    "export function group@Noun@(rows: Row[]): Map<string, Row[]> {\n  \
     const groups = new Map<string, Row[]>();\n  for (const row of rows) {\n    \
     const key = row.@f@ ?? 'none';\n    groups.set(key, [...(groups.get(key) ?? []), row]);\n  }\n  \
     return groups;\n}\n",
    "const SHOWN_@k@ = new Set(['@f@', '@g@', '@h@']);\n\n\
     export function columns@Noun@(all: string[]): string[] {\n  \
     return all.filter((name) => SHOWN_@k@.has(name)).slice(0, @n@);\n}\n",
];

pub(super) const GREP_LINES: &[&str] = &[
    "        if row[\"@f@\"] is None:",
    "    @f@ = row.get(\"@f@\", @n@)",
    "    \"@f@\": \"varchar(@n@)\",",
    "def by_@f@(rows):",
    "        log.debug(\"@f@ of @noun@ %s\", row[\"@f@\"])",
    "    return row[\"@f@\"] or @n@",
    "    # @f@ is filled by the import of the @noun@",
    "        \"select @f@ from @noun@ where id = %s\"",
    "    assert row[\"@f@\"]",
    "    columns = [\"id\", \"@f@\"]",
];

pub(super) const INFRA_TESTS: &[&str] = &[
    "test_every_server_has_an_id",
    "test_file_matches_register",
    "test_regions_are_known",
    "test_sum_stays_under_limit",
    "test_names_are_unique",
    "test_prices_have_two_places",
    "test_retired_machines_are_gone",
];

pub(super) const TERM_TESTS: &[&str] = &[
    "test_ids_are_known",
    "test_seats_are_positive",
    "test_file_matches_crm",
    "test_billing_is_known",
    "test_prices_follow_the_list",
    "test_no_customer_twice",
];

pub(super) const MIGRATION_TESTS: &[&str] = &[
    "test_numbers_have_no_gap",
    "test_each_has_a_ticket",
    "test_transactions_are_closed",
    "test_no_drop_without_backup",
    "test_names_are_short",
];
