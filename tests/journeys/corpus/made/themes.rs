//! The platforms a session can be about, with their packages.

/// A field of trade for the platform, with its packages.
pub(super) struct Theme {
    pub(super) platform: &'static str,
    pub(super) slug: &'static str,
    pub(super) tag: &'static str,
    pub(super) trade: &'static str,
    pub(super) plans: [&'static str; 4],
    pub(super) packages: [Package; 8],
}

/// A package of the platform: its nouns and the fields of its rows.
pub(super) struct Package {
    pub(super) name: &'static str,
    pub(super) nouns: [&'static str; 4],
    pub(super) fields: [&'static str; 6],
}

/// Shortens the table below.
const fn pack(name: &'static str, nouns: [&'static str; 4], fields: [&'static str; 6]) -> Package {
    Package { name, nouns, fields }
}

#[rustfmt::skip]
pub(super) const THEMES: &[Theme] = &[
    Theme {
        platform: "Kestrelway", slug: "kestrelway", tag: "KW", trade: "a network of parcel carriers", plans: ["Sparrow", "Plover", "Heron", "Kestrel"],
        packages: [
            pack("routing", ["route", "leg", "hub", "lane"], ["hub_code", "leg_km", "cutoff_at", "carrier", "priority", "eta"]),
            pack("tariffs", ["tariff", "zone", "surcharge", "quote"], ["zone_code", "net_cents", "weight_g", "fuel_pct", "valid_to", "band"]),
            pack("pickup", ["pickup", "courier", "stop", "slot"], ["slot_start", "courier_id", "street", "parcels", "window_end", "gate_code"]),
            pack("labels", ["label", "barcode", "printer", "sheet"], ["tracking_no", "format", "dots", "printed_at", "printer_id", "check_digit"]),
            pack("customs", ["declaration", "tariff_line", "broker", "permit"],
                ["goods_code", "origin", "value_cents", "broker_ref", "cleared_at", "currency"]),
            pack("claims", ["claim", "payout", "assessor", "damage"], ["claim_no", "filed_at", "amount_cents", "cause", "assessor_id", "state"]),
            pack("tracking", ["scan", "event", "gap", "handover"], ["scanned_at", "depot", "status_code", "device", "shift", "signal"]),
            pack("notify", ["message", "template", "channel", "digest"], ["recipient", "locale", "sent_at", "template_key", "bounce_code", "channel_id"]),
        ],
    },
    Theme {
        platform: "Loamwise", slug: "loamwise", tag: "LW", trade: "a co-operative that delivers vegetable boxes", plans: ["Radish", "Chard", "Leek", "Orchard"],
        packages: [
            pack("boxes", ["box", "swap", "share", "size_class"], ["box_week", "share_kg", "swap_until", "variant", "packed_at", "crate_no"]),
            pack("harvest", ["harvest", "field_strip", "crop", "forecast"], ["crop_code", "picked_kg", "strip_no", "ripe_from", "grade", "picker"]),
            pack("delivery", ["round", "drop", "van", "note"], ["round_no", "drop_order", "van_id", "left_at", "doorstep", "km"]),
            pack("billing", ["invoice", "direct_debit", "credit", "reminder"], ["invoice_no", "gross_cents", "due_on", "mandate", "dunning", "booked_at"]),
            pack("pauses", ["pause", "holiday", "stand_in", "request"], ["pause_from", "pause_to", "stand_in_id", "reason", "asked_at", "weeks"]),
            pack("vouchers", ["voucher", "gift", "campaign", "redemption"],
                ["voucher_code", "face_cents", "campaign_id", "redeemed_at", "rest_cents", "giver"]),
            pack("depots", ["depot", "key", "cool_room", "opening"], ["depot_no", "opens_at", "closes_at", "degrees", "key_holder", "capacity"]),
            pack("growers", ["grower", "contract", "delivery_slip", "price_list"], ["grower_no", "organic_no", "slip_no", "price_cents", "agreed_on", "tons"]),
        ],
    },
    Theme {
        platform: "Tidewell", slug: "tidewell", tag: "TW", trade: "a group of small harbours that let berths", plans: ["Dinghy", "Sloop", "Ketch", "Schooner"],
        packages: [
            pack("berths", ["berth", "jetty", "finger", "lease"], ["berth_no", "length_cm", "depth_cm", "lease_to", "jetty_code", "power_amp"]),
            pack("moorings", ["mooring", "buoy", "chain", "inspection"], ["buoy_no", "chain_mm", "checked_at", "diver", "swing_m", "block_kg"]),
            pack("fees", ["fee", "season", "rebate", "bracket"], ["season_code", "net_cents", "bracket_cm", "rebate_pct", "valid_from", "tax_code"]),
            pack("arrivals", ["arrival", "vessel", "crew_list", "stay"], ["vessel_name", "flag", "eta", "draught_cm", "nights", "call_sign"]),
            pack("tides", ["tide", "gauge", "warning", "window"], ["gauge_code", "height_cm", "high_at", "low_at", "surge_cm", "source"]),
            pack("meters", ["meter", "reading", "pedestal", "tap"], ["meter_no", "kwh", "litres", "read_at", "pedestal_no", "start_value"]),
            pack("invoices", ["invoice", "payment", "dunning_letter", "account"],
                ["invoice_no", "gross_cents", "due_on", "paid_at", "account_no", "reference"]),
            pack("waitlist", ["applicant", "offer", "rank", "deposit"], ["applied_at", "rank_no", "offer_until", "boat_cm", "deposit_cents", "answer"]),
        ],
    },
    Theme {
        platform: "Emberline", slug: "emberline", tag: "EL", trade: "a company for district heating", plans: ["Hearth", "Stove", "Boiler", "Furnace"],
        packages: [
            pack("meters", ["meter", "gateway", "seal", "swap"], ["meter_no", "gateway_id", "sealed_on", "pulse_kwh", "firmware", "riser"]),
            pack("tariffs", ["tariff", "price_step", "index", "contract"], ["step_no", "net_cents", "index_pct", "valid_to", "contract_no", "base_kw"]),
            pack("readings", ["reading", "gap", "estimate", "batch"], ["read_at", "kwh", "flow_c", "return_c", "quality", "batch_no"]),
            pack("outages", ["outage", "notice", "valve", "crew"], ["started_at", "ended_at", "valve_no", "streets", "crew_id", "severity"]),
            pack("substations", ["substation", "pump", "exchanger", "alarm"], ["station_no", "pump_rpm", "delta_k", "alarm_code", "served_kw", "checked_at"]),
            pack("invoices", ["invoice", "instalment", "correction", "payment"], ["invoice_no", "gross_cents", "due_on", "period", "booked_at", "reference"]),
            pack("forecasts", ["forecast", "weather_run", "load_curve", "scenario"], ["run_at", "horizon_h", "load_kw", "outside_c", "model", "error_pct"]),
            pack("tenants", ["tenant", "flat", "move", "mandate"], ["flat_no", "moved_in", "moved_out", "square_m", "mandate_no", "persons"]),
        ],
    },
    Theme {
        platform: "Ostrelle", slug: "ostrelle", tag: "OS", trade: "a chain of practices for physiotherapy", plans: ["Willow", "Hazel", "Rowan", "Oak"],
        packages: [
            pack("slots", ["slot", "booking", "gap", "series"], ["starts_at", "minutes", "series_no", "room_id", "booked_by", "kept"]),
            pack("therapists", ["therapist", "shift", "skill", "absence"], ["therapist_id", "shift_from", "shift_to", "skill_code", "absent_to", "hours"]),
            pack("reminders", ["reminder", "channel", "opt_out", "wording"], ["sent_at", "channel_id", "lead_h", "locale", "opt_out_at", "attempts"]),
            pack("insurance", ["approval", "insurer", "rate", "rejection"], ["approval_no", "insurer_id", "rate_cents", "valid_to", "reject_code", "units"]),
            pack("invoices", ["invoice", "position", "co_payment", "refund"], ["invoice_no", "gross_cents", "due_on", "position_no", "paid_at", "reference"]),
            pack("rooms", ["room", "device", "cleaning", "closure"], ["room_no", "device_no", "cleaned_at", "closed_to", "floor", "capacity"]),
            pack("letters", ["letter", "report", "recipient", "signature"], ["letter_no", "recipient_id", "signed_at", "pages", "template_key", "reply_by"]),
            pack("courses", ["course", "participant", "session", "certificate"],
                ["course_no", "places", "starts_on", "session_no", "certified_at", "fee_cents"]),
        ],
    },
];
