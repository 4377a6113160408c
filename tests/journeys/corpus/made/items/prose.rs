//! What is said about the work items, sort by sort.

pub(super) const ASK_FIGURE: &[&str] = &[
    "[Could you|Can you|Would you] change {phrase} in {pkg} from {from} to {to}? The reason: {why}.",
    "{pkg}: {phrase} should be {to} instead of {from}, {why}.",
    "We need {phrase} at {to}. It's {from} today, I think; {why}.",
    "Somebody set {phrase} to {from} years ago. Make it {to}, since {why}.",
    "{why}, so {phrase} goes to {to} (now {from}), in {pkg}.",
    "Next wish from the house: {phrase} becomes {to}. [At present|Right now] it is {from}, {why}.",
    "I'd like {to} for {phrase} in {pkg}, not {from}; {why}.",
    "Regarding {pkg}: {from} is too [far off|wrong] for {phrase}. {to} is what we agreed on, {why}.",
    "Only a number, but it matters, since {why}: {phrase} from {from} to {to}, package {pkg}.",
    "There's a long thread about {phrase}. The end of it: {to}. Now it's {from}; {why}.",
];

pub(super) const ASK_BACK: &[&str] = &[
    "{ticket} was too much of a good thing: {phrase} at {from} doesn't work, {why}. Make it {to}.",
    "Remember {phrase}? We set it to {from} in {ticket}. It has to be {to}, {why}.",
    "About {ticket} again. {from} for {phrase} was a mistake; {to}, please, {why}.",
    "{phrase} again ({ticket}): {to} instead of {from}, since {why}.",
];

pub(super) const WHY_FIGURE: &[&str] = &[
    "complaints have doubled since the new year",
    "the partner's contract says so",
    "the night shift asked for it",
    "finance worked it out last week",
    "the old figure came from a guess",
    "two big customers run into it every day",
    "the auditors found it odd",
    "we lose money on every tenth case",
    "it was agreed at the round table",
    "the alarm rings for nothing",
    "the law changes next month",
    "people in the field can't keep up",
    "it matches what the competition does",
    "we promised it in the newsletter",
    "the machines can take it now",
    "support has forty calls a week about it",
    "the trial in the north went well",
    "otherwise Mondays are a mess",
    "the phones in the vans are slower than we thought",
    "nobody remembers why it was otherwise",
];

pub(super) const REVISIONS: &[&str] = &[
    "Wait, [make that|it has to be] {to} after all, not {old}. I misread my notes.",
    "Small correction while you're at it: {to}, not {old}.",
    "They just phoned: {to} for {phrase}. Forget {old}.",
    "Sorry to change my mind: not {old} but {to}.",
    "Hold on. {old} was last year's wish, it's {to} now.",
    "{to}, please, instead of {old}. [Final|That's final].",
];

pub(super) const RIPPLES: &[&str] = &[
    "{name} knew the old figure ({old}) by heart; it shouldn't.",
    "One more place with {old} in it: {name}.",
    "{name} fails as well, it had {old} written into it.",
    "Of course, {name} still counts on {old}.",
];

pub(super) const DONE_FIGURE: &[&str] = &[
    "{name} in {path} is {new} now (it was {old}), {test} checks it.",
    "{path}: {name} went from {old} to {new}. The test {test} was red before and is green now.",
    "I set {name} to {new}, was {old}. File: {path}, test: {test}.",
    "The figure stands in {path} as {name} = {new} ({old} before); {test} guards it.",
    "{old} became {new}: {name}, {path}. {test} makes sure it stays so.",
    "New value of {name}: {new} instead of {old}. It's in {path}, with {test} beside it.",
];

pub(super) const ASK_BUG: &[&str] = &[
    "The {pkg} job stopped again last night, {n} {nouns} are stuck. Please find out why, no plaster \
     on top.",
    "Something's wrong with {nouns}: {cust} hasn't seen one since yesterday evening. Can \
     you look into the logs of {pkg}?",
    "{pkg} on {host} throws errors, about {n} an hour. I want the \
     cause, not a restart.",
    "Support has {n} calls about {nouns} that don't arrive. It started some days ago, I \
     think.",
    "Can you see why {pkg} gives up on some {nouns}? Roughly {n} of a thousand.",
    "The \
     alarm for {pkg} rang at ten past four. It got going by itself, but I'd like to know what it was. \
     At most {n} lines changed, please.",
    "A {noun} of {cust} went nowhere and nobody was told. Please look at {pkg}.",
    "{nouns} hang \
     since the weekend. My guess is {host}, but that's a guess. No more than {n} minutes of downtime \
     for the fix.",
];

pub(super) const SUSPICIONS: &[&str] = &[
    "My first guess is {wrong}. [Checking|Let me check].",
    "This smells of {wrong}.",
    "It looks like {wrong}, I'll see whether that holds.",
    "Could be {wrong}.",
    "Probably {wrong}; the numbers will tell.",
];

pub(super) const HINTS: &[&str] = &[
    "I thought of {wrong}, but the data doesn't show it. Has anything changed on the other side lately?",
    "It isn't {wrong}, that is ruled out. Do you know of a change in the last days?",
    "I'm stuck: {wrong} would explain it, yet everything there is as it should be. Any idea?",
];

pub(super) const CLUES: &[&str] = &[
    "I asked {who}: {cause}.",
    "{who} just told me that {cause}. Could that be it?",
    "Oh. Then it's this: {cause}. {who} mentioned it in passing.",
    "Turns out {cause}, says {who}.",
];

pub(super) const RULED_OUT: &[&str] = &[
    "[No|Not that], those numbers are normal. [Closer look|Next idea].",
    "That [is|was] a dead end.",
    "Wrong track. Looking at the source itself.",
    "Nothing there, so it must come from outside.",
];

pub(super) const CAUSES: &[&str] = &[
    "There it is: {cause}. Who changed it?",
    "Found it: {cause}.",
    "So {cause}. That explains the times as well.",
    "The cause: {cause}.",
    "That's it, {cause}.",
];

pub(super) const DONE_BUG: &[&str] = &[
    "The cause: {cause}. Mended in {path}, {fix}; {test} shows it.",
    "{path} failed because {cause}. Now {fix}. {test} was red and is green.",
    "It was this: {cause}. The change is in {path} ({fix}), the test is {test}.",
    "What happened: {cause}. From now on {fix}, see {path} and {test}.",
    "Nothing was wrong with our data: {cause}. In {path}, {fix}. {test} keeps it that way.",
];

pub(super) const ASK_FEATURE: &[&str] = &[
    "We'd like {phrase} in {pkg}, with {count} as {what}. {who} has been waiting for it.",
    "Please build {phrase}, with {count} as {what}. Nothing fancy.",
    "{who} wants {phrase}. Keep it plain, but {what} is {count}, that part is fixed.",
    "New thing for {pkg}: {phrase}. For {what} take {count}.",
    "Could {pkg} get {phrase}? I'd say {count} for {what}, else it gets slow.",
    "There's a wish that comes up again and again: {phrase}. Limit, {what}: {count}. {who} will try it out.",
];

pub(super) const OFF_BY_ONE: &[&str] = &[
    "Off by one, [mine|my slip].",
    "One too few: the slice ends before the limit.",
    "Classic. The minus one doesn't belong there.",
    "The limit is meant to be included.",
];

pub(super) const DONE_FEATURE: &[&str] = &[
    "It lives in {path}, tests in {test}. {constant} keeps {what} at {count}.",
    "New: {path} with {test}; {what} is {count} ({constant}).",
    "{path} does it, {test} checks it; {constant} stands for {what}, {count}.",
    "Built in {path}. {constant} ({what}) is {count}; see {test}.",
];

pub(super) const ASK_RESIZE: &[&str] = &[
    "{server} is at {disk} % of its disk. Please make it a {size}, for at most {top} EUR a month.",
    "{who} says {server} is too small, or too big, I forget; {size} is what the sheet says. Not over {top} EUR, please.",
    "Change {server} to {size}. Finance allows {top} EUR a month for it.",
    "{server} has been at {disk} % for days. {size}, please, where it stands now. The ceiling is {top} EUR.",
    "We looked at the bills: {server} should be a {size}. Up to {top} EUR a month is fine.",
    "{who} wants {size} for {server}. I'd pay {top} EUR for it, not more.",
];

pub(super) const ASK_MOVE: &[&str] = &[
    "{server} should go to {region} as a {size}, {who} wants it nearer to the others. At most {top} EUR a month.",
    "Please move {server} to {region}, size {size}. {disk} % full where it is, and the price must stay under {top} EUR.",
    "{region} is where {server} belongs ({who} again). Make it a {size}, up to {top} EUR.",
    "The contract for the old room ends, so {server} moves to {region}. Take a {size}; {top} EUR is the limit.",
];

pub(super) const ASK_RETIRE: &[&str] = &[
    "{server} can go, {who} hasn't used it for months. Retire it properly, with the inventory.",
    "Please retire {server}; {disk} % idle, and {who} agrees.",
    "We don't need {server} any more. Take it out of service and out of the files.",
];

pub(super) const SOLD_OUT: &[&str] = &[
    "{size} is sold out in {region}. {next} has some, shall I take that?",
    "The platform refuses: no {size} left in {region}. An alternative is {next}.",
    "{region} has no {size} at the moment. I could go to {next} or wait.",
    "No luck in {region}, {size} is gone there. {next} would do it at once.",
];

pub(super) const ELSEWHERE: &[&str] = &[
    "{next} is fine then.",
    "Take {next}, same size.",
    "Then {next}. Don't wait.",
    "OK, {size} in {next}. The distance doesn't matter for that one.",
    "Fine, {next}. Tell the others it moved.",
];

pub(super) const OVER_LIMIT: &[&str] = &[
    "With that the machines cost {sum} EUR a month, the limit is {limit}. I don't want to raise it on my own.",
    "The budget test says no: {sum} EUR against a limit of {limit}. What now?",
    "This goes over the limit ({sum} of {limit} EUR). Someone has to agree to it.",
    "The sum is {sum} EUR now and the budget says {limit}. Raise it, or take something away?",
];

pub(super) const RAISED: &[&str] = &[
    "{who} agrees to {limit} EUR a month, raise it to that. Not a cent more.",
    "Talked to {who}: the limit is {limit} EUR from now on.",
    "Make the limit {limit}. {who} signed it.",
    "{limit} EUR, {who} has said yes. That has to do until summer.",
];

pub(super) const DONE_SERVER: &[&str] = &[
    "{server} ({id}) is a {size} in {region} now, {price} EUR a month; all machines together {total} EUR.",
    "{server} runs as {size} in {region} for {price} EUR a month ({id}). Total: {total} EUR.",
    "Changed {id}, {server}: {size}, {region}, {price} EUR. The sum of all is {total} EUR a month.",
    "{id} {server}: {size}, {region}, {price} EUR a month. Altogether we pay {total} EUR.",
];

pub(super) const DONE_RETIRE: &[&str] = &[
    "{server} ({id}) is retired and out of the inventory; the rest costs {total} EUR a month.",
    "{id}, {server}, is retired. All others together: {total} EUR a month.",
];

pub(super) const ASK_CUSTOMER: &[&str] = &[
    "{cust} changes to {plan} with {seats} seats, billed {billing}, {off} percent off. {who} confirmed it by phone.",
    "New terms for {cust}: plan {plan}, {seats} seats, {billing}. I gave them {off} percent.",
    "{who} of {cust} wants {plan}, {seats} seats, {billing} billing. Discount {off} percent, as promised at the fair.",
    "Please put {cust} on {plan}. Seats: {seats}. Billing: {billing}. Discount: {off} percent, no more.",
    "{cust} nearly left us. They stay, on {plan}, {seats} seats, {off} percent off, and they pay {billing}.",
    "The contract with {cust} is signed: {plan} for {seats} people, {billing}, less {off} percent. {who} signed it.",
    "Could you enter {cust}? {plan}, {seats} seats, {billing}; discount {off} percent.",
];

pub(super) const SEATS_AFTER_ALL: &[&str] = &[
    "{who} just rang: it's {seats} seats at {cust}, not what I wrote.",
    "Correction for {cust}, {seats} seats.",
    "Please make that {seats} seats, {cust} counted again.",
    "Wait: {seats} seats. I had the old sheet of {cust} open.",
];

pub(super) const DONE_CUSTOMER: &[&str] = &[
    "{cust} ({id}) is on {plan} with {seats} seats, {price} EUR a month, billed {billing}.",
    "{id} {cust}: {plan}, {seats} seats, {price} EUR a month, {billing}. Register and file agree.",
    "Terms of {cust} ({id}) now: {plan}, {seats} seats, {billing}, {price} EUR a month.",
    "Entered: {cust}, {id}, {plan}, {seats} seats. That makes {price} EUR a month, {billing}.",
];

pub(super) const ASK_RENAME: &[&str] = &[
    "{pkg}/{old} has the wrong name, everybody looks for it under {new}. Please rename it, tests as well.",
    "{who} stumbled over {old} in {pkg} again. Call it {new}, with everything that hangs on it.",
    "Rename {old} to {new} in {pkg}, please. Use git mv, so that the history stays.",
    "In {pkg}, {old} says nothing about what it does. {new} would. Rename it, and {who} owes you a coffee.",
];

pub(super) const IMPORT_LEFT: &[&str] = &[
    "The test still imports {old}.",
    "As expected, one import of {old} is left in the tests.",
    "{old} is gone, the import is not.",
];

pub(super) const DONE_RENAME: &[&str] = &[
    "{old} is {new} now, the tests are {test}; all imports follow.",
    "Renamed: {old} became {new}, with {test}. History kept.",
    "{new} (once {old}) and {test} are in place.",
];

pub(super) const ASK_DROP: &[&str] = &[
    "{stem} in {pkg} hasn't been called for {n} months, says {who}. Out with it, tests too.",
    "Please remove {pkg}/{stem}. {who} counted: no call in {n} months.",
    "We carry {stem} ({pkg}) around for nothing, {n} months without a single call. Remove it. {who} agrees.",
    "Spring cleaning: {pkg}/{stem} goes, unused for {n} months. {who} checked twice.",
];

pub(super) const DONE_DROP: &[&str] = &[
    "{path} and {test} are removed; nothing imports them.",
    "Removed {path} with its tests ({test}).",
    "{path} is gone, {test} too.",
];

pub(super) const ASK_CHOICE: &[&str] = &[
    "We have to settle {question}. On the table: {a}, or {b}. Measure both, then I decide. Concerns {pkg} first.",
    "{who} and I can't agree on {question}: {a} or {b}? Please give me figures.",
    "Open question, {question}. Candidates are {a} and {b}. Try both in {pkg} and tell me what you see.",
    "I need an answer on {question} before the end of the week. As far as I know it's between {a} and {b}.",
    "Nobody ever decided {question}. Half of {pkg} does {a}, the other half does {b}. Compare them, please.",
    "{who} asks about {question}. I lean to neither: {a} against {b}, what do the numbers say?",
];

pub(super) const OFFERS: &[&str] = &[
    "Measured (median): {a} {x} {unit}, {b} {y} {unit}. For the first: {proa}. For the second: {prob}.",
    "{x} {unit} for {a}, {y} {unit} for {b}. Beyond the figures: {proa} on the one hand, {prob} on the other.",
    "Both work: {a} takes {x} {unit}, and {proa}; {b} takes {y} {unit}, and {prob}. Your call.",
    "Here are the figures: {a} {x} {unit}, {b} {y} {unit}. With the first, {proa}; with the second, {prob}. I could live with either.",
    "I ran both. {x} {unit} against {y} {unit}, in the order you named them. {a} has this going for it: {proa}. And {b}: {prob}.",
];

pub(super) const VERDICTS: &[&str] = &[
    "Then {won}. What counts for me: {pro}. Not {lost}.",
    "We take {won}, because {pro}. Write it down so that nobody asks again about {lost}.",
    "{won}, please: {pro}, that settles it; {lost} is rejected.",
    "My vote is {won}: {pro}. Not {lost}, sorry.",
    "Decided: {won}. I know what speaks for {lost}, but {pro}.",
    "Thanks. {pro}, so {won} it is, and {lost} is off the table.",
];

pub(super) const DONE_CHOICE: &[&str] = &[
    "Settled: {won}, because {pro}. It's written down in {path}.",
    "{won} it is ({pro}); see {path}.",
    "The decision ({won}) stands in {path}, with the reason: {pro}.",
    "On record in {path}: {won}, since {pro}.",
    "{path} says it now: {won}. Reason: {pro}.",
];

pub(super) const ASK_REVERSE: &[&str] = &[
    "Remember {ticket}, {question}? We said {lost}. That was wrong: {con}. Switch to {won}.",
    "We have to go back on {ticket} ({question}): {con}. So no more {lost}, make it {won}.",
    "{who} was right about {question} after all: {con}. Please turn {ticket} round, {won} instead of {lost}.",
    "On {question} I take back what I decided in {ticket}: {con}. From today: {won}, not {lost}.",
    "I hate to say it, but {ticket} was a mistake: {con}. For {question} we want {won} now instead of {lost}.",
    "{ticket} again, {question}. Since then {con}. New decision: {won}; {lost} goes.",
];

pub(super) const DONE_REVERSE: &[&str] = &[
    "{won} holds now instead of {lost}, because {con}. Recorded in {path}, the old record points there.",
    "Turned round: {won}, no longer {lost} ({con}). See {path}.",
    "The earlier decision is superseded: {won} from now on, not {lost}. {path} gives the reason, {con}.",
    "Back from {lost} to {won}, as {con}; {path} has it.",
];

pub(super) const ASK_WEB: &[&str] = &[
    "{part} on the screen: {what} should be {new} instead of {old}. {who} showed it to me on a tablet.",
    "Can {part} have {new} for {what}? It's {old} now.",
    "Front end this time: {what} in {part}, {new}, please ({old} today). {who} is watching.",
    "In {part} I'd like {new} as {what}, {old} confuses people.",
    "People in the field look at {part} all day. For {what} they want {new}; {old} was our idea.",
    "{who} tested {part} with five customers. Change {what} from {old} to {new}, nothing else.",
    "Make {what} {new} in {part}, please. At the moment it's {old}.",
];

pub(super) const WRONG_PLACE: &[&str] = &[
    "Stop, that's {wrong}. I meant {right}, please put {wrong} back.",
    "{wrong} was fine as it was! Only {right}.",
    "Not {wrong}: undo that. It's about {right} alone.",
];

pub(super) const DONE_WEB: &[&str] = &[
    "{part} has {new} now instead of {old}, in {path}.",
    "{path}: {new}, was {old}. Jest is green.",
    "{part} shows {new} ({old} before), see {path}.",
    "In {path} it is {new} now, no longer {old}.",
    "Changed {part} from {old} to {new} ({path}).",
];

pub(super) const ASK_OPEN: &[&str] = &[
    "Please fill {field} for all {nouns} in {pkg} and make the column required afterwards. In chunks, not in one go.",
    "All {nouns} need {field}. Write the migration for {pkg} and begin to fill it, chunk by chunk.",
    "{pkg}: {field} is empty for most {nouns}. Fill it, slowly, so that nobody notices.",
    "The report on {nouns} has holes because {field} is missing in old rows. Can you fill them, in {pkg}, a chunk at a time?",
    "We want to rely on {field} in {pkg}. So first every one of the {nouns} has to have it; start with that today.",
    "Backfill, please: {field} of {nouns}, package {pkg}. Ask before you go through the whole table.",
];

pub(super) const NULLS: &[&str] = &[
    "Of course: {field} can't be required while {nouns} without it exist. That part has to wait until all is filled.",
    "Too early, there are {nouns} without {field}. I take the not-null out for now.",
    "The order was wrong, filling comes before not null. Taking that line out.",
    "It refuses not null because some {nouns} have no {field} yet. That line comes last, so out with it.",
    "Some {nouns} still lack {field}, so the constraint can't go in now.",
];

pub(super) const PAUSED: &[&str] = &[
    "{chunk} of {chunks} chunks are filled, it would go on with {next}. Shall I?",
    "Paused after chunk {chunk} of {chunks}; {next} is next.",
    "So far {chunk} of {chunks} chunks. I stopped before {next} to ask.",
    "Chunk {chunk} is through, of {chunks} in all. Number {next} hasn't been started.",
    "Status: {chunk}/{chunks} done, {next} would be the next one.",
];

pub(super) const WAIT_FOR: &[&str] = &[
    "Leave it there until {date}: {reason}. {who} gives the word.",
    "Stop here, please: {reason}, so wait for {who}, until {date} I'd say.",
    "Not further for now: {reason}. {who} tells us when, {date} at the earliest.",
    "That's enough for now. {who} has to agree to the rest, and that won't be before {date}; {reason}.",
    "Hold it until {date}. It's up to {who} then, because {reason}.",
];

pub(super) const DONE_OPEN: &[&str] = &[
    "Left open at chunk {chunk} of {chunks}, waiting for {who} until {date}. The migration is {path}, still without not null.",
    "It stays open: {chunk} of {chunks} chunks done, next step when {who} agrees ({date}). See {path}; not null comes last.",
    "On hold after chunk {chunk} of {chunks}. {who} decides on {date}; until then {path} stays without its not null.",
    "Parked: {chunk}/{chunks} chunks, {path} without the constraint. I go on when {who} says so, {date}.",
];

pub(super) const ASK_RESUME: &[&str] = &[
    "{who} gave the word, so go on: {what}. Finish it.",
    "You can finish what was waiting ({what}), {who} is happy.",
    "Green light from {who} for the rest: {what}.",
    "The wait is over, says {who}. Please do the rest of it: {what}.",
];

pub(super) const DONE_RESUME: &[&str] = &[
    "Finished: {what}, {rows} rows in all, none left empty.",
    "{rows} rows are done and none is empty, so {what} is complete.",
    "The rest ran through, {rows} rows in all; {what} is finished.",
];

pub(super) const PLANS: &[&str] = &[
    "While {ticket} waits: first the backup of {server}, then the terms of \
     {cust} with {who}. In that order. But before that a small thing.",
    "After {ticket} we do the backup \
     of {server}, and when that stands the terms of {cust}, together with {who}. Something small comes in \
     between first.",
];

pub(super) const PLAN_TAKEN: &[&str] =
    &["Noted: the backup of {server} first, then {cust}.", "Understood, {server} and then {cust}."];

pub(super) const ASK_SPELLING: &[&str] = &[
    "Look over the spelling in {page} and {other}, please. No other changes.",
    "Small one: {page} and {other} have typing errors, says the proofreader. Only the spelling.",
];

pub(super) const DONE_SPELLING: &[&str] = &[
    "Both pages are looked over: {page}, {other}.",
    "Spelling done in {page} and {other}, nothing else touched.",
];

pub(super) const BACKUP_FIRST: &[&str] = &[
    "As agreed, a backup first.",
    "First the backup that the rule asks for.",
    "Backup before the migration:",
];
