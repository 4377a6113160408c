//! Names of people, firms, places, modules and components.

#[rustfmt::skip]
pub(super) const FIRST_NAMES: &[&str] = &[
    "Ilse", "Bram", "Noor", "Tamsin", "Jorun", "Wido", "Maelle", "Oskar", "Petra", "Rurik", "Sanne", "Tilde", "Ulla", "Vigo", "Wanda", "Yorick",
    "Zita", "Anselm", "Berit", "Cosmo", "Dagny", "Edda", "Fenna", "Gerrit", "Hedda", "Ivo", "Jelle", "Kaja", "Lioba", "Merle", "Nils", "Odile",
    "Piet", "Quirin", "Ragna", "Severin", "Thea", "Undine", "Veit", "Wiebke", "Ylva", "Zeno",
];

#[rustfmt::skip]
pub(super) const LAST_NAMES: &[&str] = &[
    "Achterberg", "Brandvold", "Corvane", "Dunmere", "Eskildsen", "Farrowby", "Gansevoort", "Hallgrim", "Iversholt", "Jankuhn", "Kaldewey", "Lindqvar",
    "Moorhaus", "Niemand", "Oosterveld", "Pellworm", "Quistorp", "Ravnsborg", "Sandgren", "Tollerup", "Uhlenhorst", "Vossberg", "Wennerlo", "Ypenburg",
    "Zandkuil", "Ambrosius", "Birkeland", "Castorp", "Drevland", "Elverskog", "Fjellheim", "Grothus", "Holmquer", "Ingvarsen", "Juelsgaard", "Kettwig",
    "Lauenroth", "Malmgard", "Nordhorn", "Osterkamp",
];

pub(super) const ROLES: &[&str] = &[
    "operations",
    "support",
    "product",
    "finance",
    "sales",
    "the warehouse",
    "customer care",
    "the data team",
    "back office",
    "quality",
];

#[rustfmt::skip]
pub(super) const FIRM_HEADS: &[&str] = &[
    "Alder", "Birchgate", "Copperfen", "Dovecote", "Elmstead", "Fernhill", "Goldcrest", "Hawthorn", "Ironbridge", "Junipero", "Kingsmoor", "Larkfield",
    "Millrace", "Nettlebed", "Oxbow", "Pinewater", "Quarrybank", "Redshank", "Silverleat", "Thornbury", "Underhill", "Velvetmoor", "Whitlock", "Yarrow",
    "Zephyr", "Amberley", "Brackwater", "Cindermill", "Driftwood", "Eaglesham",
];

#[rustfmt::skip]
pub(super) const FIRM_TAILS: &[&str] = &[
    "Outfitters", "Bakeries", "Instruments", "Textiles", "Nurseries", "Books", "Ceramics", "Cycles", "Dairy", "Electric", "Foundry", "Glassworks", "Hotels",
    "Joinery", "Lighting", "Motors", "Opticians", "Paper", "Roasters", "Seeds", "Timber", "Vintners", "Wholesale", "Workshops",
];

pub(super) const REGIONS: &[&str] = &[
    "north-1", "north-2", "fjord-1", "delta-3", "delta-4", "ridge-2", "coast-1", "coast-5", "heath-2",
    "isle-1",
];

/// Sizes of servers and what they cost a month, in cents.
pub(super) const SIZES: &[(&str, usize)] = &[
    ("S1-2", 900),
    ("S2-4", 1_700),
    ("M2-8", 3_100),
    ("M4-16", 5_900),
    ("M8-32", 11_400),
    ("L8-64", 17_800),
    ("L16-64", 22_600),
    ("X16-128", 39_500),
];

pub(super) const BILLING: &[&str] =
    &["monthly", "quarterly", "half-yearly", "yearly in advance", "yearly in arrears"];

pub(super) const PLACES: &[&str] = &[
    "Harkstede",
    "Ollerfjord",
    "Brennick",
    "Sandholt",
    "Vellmar Quay",
    "Tornesk",
    "Grauwater",
    "Lowick Moss",
    "Eskdal",
    "Pommerby",
    "Rothmere",
    "Zuidwolde",
];

pub(super) const WAITS: &[&str] = &[
    "the backup of Sunday has to be checked first",
    "the audit looks at the table until then",
    "the partner is still sending old rows",
    "the month is being closed",
    "the lawyers have to agree to the wording",
    "a second pair of eyes is wanted before the rest",
    "the nightly job may not be slowed down this week",
    "the disks are swapped first",
];

pub(super) const STEMS: &[&str] = &[
    "rules", "calc", "store", "sync", "queue", "limits", "export", "feed", "rounding", "calendar", "matcher",
    "audit", "cache", "retry", "schema", "planner", "archive", "merge", "checks", "intake", "ledger",
    "windows", "formats", "sampling", "replay", "mapper", "guard", "totals", "ranking", "batching",
    "cleanup", "drafts",
];

pub(super) const VERBS: &[&str] = &[
    "settle", "collect", "close", "reopen", "split", "join", "price", "check", "rank", "book", "release",
    "hold", "move", "count", "trim", "verify",
];

pub(super) const PART_KINDS: &[&str] = &[
    "Dialog", "Panel", "List", "Card", "Picker", "Table", "Banner", "Form", "Badge", "Drawer", "Timeline",
    "Summary", "Filter", "Toolbar",
];

pub(super) const LABELS: &[&str] = &[
    "At a glance",
    "Still open",
    "Needs a look",
    "Coming up",
    "Handled today",
    "Everything else",
    "Waiting for you",
    "Latest changes",
    "On hold",
    "By date",
    "Your choices",
    "Recently closed",
    "To be checked",
    "Next steps",
    "All entries",
    "Set aside",
];
