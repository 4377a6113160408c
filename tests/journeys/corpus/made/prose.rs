//! What the person and the agent say, whatever the work item is about.

pub(super) const ABOUT_COMMAND: &[&str] = &[
    "Look at the state of things",
    "See what is there",
    "Check before going on",
    "Find out more",
    "Get the facts",
    "Run and look",
    "Have a look at the output",
    "Make sure of it",
    "Compare with what I expect",
    "Short check",
];

pub(super) const LOOKING: &[&str] = &[
    "[First|Before anything else,] a look at what is there.",
    "Let me see how this [is used|hangs together].",
    "I want to see [the surroundings|what else depends on it] first.",
    "[Checking|Looking at] the neighbours.",
    "That is [not|hardly] enough to go on, one more look.",
    "This should tell me [where it comes from|who calls it].",
    "I'd like to know [what the machines say|how often that happens].",
    "Does anything else [rely on|touch] this?",
    "[A quick|One more] check [before I go on|to be sure].",
    "Let me [rule out|exclude] the obvious.",
    "Where else does this [turn up|occur]?",
    "I'll [read|go through] this one as well.",
    "Looking [left and right|around it] first.",
    "The [names|dates] there may matter.",
    "I [remember|think there was] something similar nearby.",
    "To compare:",
    "Now the other side of it.",
    "[Nothing odd|Nothing unusual] so far. Next:",
    "Let me look at that from the data's side.",
    "The state of [today|this morning], for comparison.",
    "Not that one. [Next|On].",
    "[Fine|Good]. What about this?",
];

pub(super) const BEFORE_TEST: &[&str] = &[
    "Test first: {name}.",
    "I'll [write down|pin down] what we want as {name} [first|and see it fail].",
    "First a test that [shows it|fails]: {name}.",
    "{name} [will say|says] when it is done.",
    "Now a failing test, {name}.",
    "The test [before the change|comes first].",
    "I put the [wish|expectation] into {name}.",
];

pub(super) const BEFORE_EDIT: &[&str] = &[
    "Red as expected. Now {path}.",
    "[Now|And now] the [change itself|real change].",
    "The change is [small|one line], in {path}.",
    "Good, it fails for the right reason. Changing {path}.",
    "[On to|Now for] {path}.",
    "That is the place.",
];

pub(super) const BEFORE_WRITE: &[&str] = &[
    "This [goes|belongs] into {path}.",
    "A new file, {path}.",
    "I start with {path}.",
    "[Writing|Setting up] {path}.",
    "First draft of {path}:",
];

pub(super) const BEFORE_COMMIT: &[&str] = &[
    "[All green|Green], so I commit.",
    "Committing.",
    "That [can go in|is fit to go in].",
    "[Wrapping up|Closing] with a commit.",
    "In it goes.",
];

pub(super) const BEFORE_COMMAND: &[&str] = &[
    "[Let me|I'll] try this.",
    "[Next|Now] the command line.",
    "This should [do|be quick].",
    "On the shell:",
    "[Trying|Running] it.",
];

pub(super) const BEFORE_RECORD: &[&str] = &[
    "[Changing|Updating] the record.",
    "Now the register.",
    "[Entering|Putting in] the new terms.",
    "This is the [real|actual] change.",
];

pub(super) const SIGNS: &[&str] = &[
    "{who} here, from {role}.",
    "This is {who} ({role}).",
    "Hello, {who} of {role} here.",
    "{who} speaking, {role}.",
    "Hi, it's {who} from {role} this time.",
    "({who}, {role}, at a borrowed desk.)",
];

pub(super) const OPENERS: &[&str] = &[
    "[Good|Fine], next.",
    "Thanks, [that was quick|well done].",
    "OK.",
    "[Right|All right], on we go.",
    "Good. [Another one|The next one].",
    "Seen it, [looks right|works here].",
    "[Great|Lovely], thank you.",
    "Merged. Next one.",
    "Now for something else.",
    "I [tried|checked] it on staging, fine.",
    "While that [runs|settles]:",
    "Back from [lunch|the meeting].",
    "Morning.",
    "Before I forget:",
    "That's [one|another] off the list.",
    "Very well.",
    "Hm, OK. Let's [leave it at that|move on].",
    "Perfect, [told everyone|passed it on].",
];

pub(super) const TICKETS: &[&str] = &[
    "{ticket}: {body}",
    "{body} That's {ticket}.",
    "{ticket} is [yours|next]. {body}",
    "{body} (It's {ticket} in the tracker.)",
    "Please take {ticket}. {body}",
    "{ticket} has been lying around long enough: {body}",
    "{body} I've put it down as {ticket}.",
    "Here comes {ticket}. {body}",
];

pub(super) const ASIDES: &[&str] = &[
    "My train is late, so I'm typing on the phone.",
    "{who} sends regards, by the way.",
    "It's raining into the server room again, but that's another story.",
    "I'll be in meetings until three.",
    "Sorry for the short notice.",
    "I know, I know, this should have been done in spring.",
    "Half of the house has a cold, so answers take longer today.",
    "The coffee machine is broken, so be kind.",
    "{who} will ask about it on Monday.",
    "No hurry, but today would be nice.",
    "I haven't looked into the code myself.",
    "Say so if that makes no sense.",
    "I promised it to {who} weeks ago.",
    "We talked about it at length and then nobody wrote it down.",
    "The new people in the hall are loud today.",
    "You'll find it quicker than I can explain it.",
    "There's cake in the kitchen, not that it helps you.",
    "If it gets bigger than half a day, stop and tell me.",
    "{who} found it, not me.",
    "We had that once before, in autumn.",
    "I'm off on Thursday afternoon.",
    "Don't let {who} talk you into more.",
    "The last attempt by hand went wrong.",
    "It isn't pretty, I know.",
    "Ask if something is unclear.",
    "The customers notice it more than we do.",
];

pub(super) const RULE_LEADS: &[&str] = &[
    "And one thing for good:",
    "By the way, and please keep to it:",
    "Something that holds from today on:",
    "One more thing, not only for this ticket.",
    "Also, so that it's said:",
    "A rule for everything that comes:",
    "While I think of it, this holds until I say otherwise.",
    "And remember:",
    "We agreed on something this morning.",
];

pub(super) const LIFTS: &[&str] = &[
    "Oh, and the rule about {short} is off: {why}.",
    "You can forget the rule about {short}, {why}.",
    "The rule about {short} no longer holds, {why}.",
    "By the way, we drop the rule about {short}; {why}.",
    "What I said about {short} is over, {why}.",
];

pub(super) const IN_PASSING: &[&str] = &[
    "While you're at it, something else: {who} is away until {date}, {instead} stands in. Go on.",
    "Don't let me disturb you. {who} is on leave until {date}; ask {instead} meanwhile.",
    "Just so you know, {instead} stands in for {who} until {date}.",
    "No answer from {who} until {date}, a broken leg. {instead} has taken over. Carry on, please.",
    "{who} is with the partner until {date}, so {instead} is the one to ask.",
];

pub(super) const HEARD: &[&str] = &[
    "Noted: {who}, until {date}.",
    "Good to know, thanks. Going on.",
    "I'll keep it in mind ({date}).",
    "Understood. Back to work.",
];

pub(super) const HEEDED: &[&str] = &[
    "I kept to what you said about {short}.",
    "The rule about {short} is kept.",
    "As agreed, I minded the rule about {short}.",
    "Checked against your rule about {short}.",
];

pub(super) const STUMBLED: &[&str] = &[
    "That failed: {why}",
    "No luck. The cause: {why}",
    "My mistake: {why}",
    "Ah, {why} Going round it.",
    "Should have known: {why}",
    "It says so plainly: {why}",
    "Found why: {why}",
    "Of course: {why}",
    "A detour, because {why}",
    "Reason found: {why}",
];

pub(super) const CHOSE: &[&str] = &[
    "On {about}, I chose {a} [rather than|over] {b}: {why}. [Noted|Written down] in the runbook.",
    "One decision on the way, {about}: {a}, not {b}, because {why}.",
    "For {about} there were two ways, {a} and {b}. I took the first: {why}.",
    "{b} would also have worked for {about}. But {why}, so: {a}.",
    "I had to settle {about}: {a} ({why}), not {b}.",
    "A word on {about}. My choice is {a}; {why}. The other was {b}.",
    "Where I was free, {about}: {a}. The reason: {why}. Left out: {b}.",
];

pub(super) const OVERRULES: &[&str] = &[
    "[No|Sorry, no], {about}: {b}, because {why}.",
    "For {about} I'd rather have {b}: {why}.",
    "On {about} I disagree: {b}, please, because {why}.",
    "Wait, {about}: take {b}. You couldn't know it, but {why}.",
    "Not quite. For {about} we want {b}; {why}.",
    "Please turn that round, {about} I mean. It has to be {b}, {why}.",
];

pub(super) const YIELDS: &[&str] = &[
    "[Right|Understood], I change it.",
    "[Good to know|I see]. Changed.",
    "You are right, [putting it straight|mending that].",
    "Then the other way round.",
    "[Sorry|Ah], corrected.",
];

pub(super) const REPORTS: &[&str] = &[
    "{ticket} is done.",
    "Done with {ticket}.",
    "That was {ticket}.",
    "{ticket} is [finished|through].",
    "Finished {ticket}.",
    "So much for {ticket}.",
    "{ticket} can be closed.",
    "All of {ticket} is in.",
];

pub(super) const PASTED: &[&str] = &[
    "This is what {host} wrote around that time:",
    "From the screen of the night shift:",
    "I copied this before it scrolled away, perhaps it helps:",
    "Support sent me these lines:",
    "A piece of what {who} got to see in the admin view:",
];

pub(super) const MAILS: &[&str] = &[
    "Their mail, for the file:\n> Hello, thank you for the talk on Tuesday. As said, our house in \
     {place} opens in {n} weeks, so please have everything ready by then. The invoice goes to the \
     same address as before.\n> Kind regards, {who}",
    "> Dear team, {cust} has grown: {n} colleagues more since autumn. Your offer is accepted as it \
     stands. Could somebody tell our desk in {place} when the change is made?\n> {who}",
    "From the mail:\n> We compared {n} offers and stay with you, mostly because of the people at the \
     phone. {place} will be closed for two weeks, please don't call there.\n> Best, {who}",
    "> Thanks for the quick answer. All fine for {cust}. One thing only: our bookkeeper in {place} needs {n} days between order and invoice.\n> {who}",
    "They write:\n> Hi, the board said yes. We'd like to begin with the next month. {place} and the other {n} shops are told already. Greetings, {who}",
];

pub(super) const PLAN_HEADS: &[&str] = &[
    "[My plan|How I'd go about it]:",
    "What I'm going to do:",
    "In this order:",
    "Three steps:",
    "I'd do it like this:",
];

pub(super) const PLAN_FIRST: &[&str] = &[
    "Look at [what is there|the present state] and who depends on it.",
    "Read the code and its tests.",
    "Find out [where it stands|which files are concerned].",
    "See what the logs and the data say.",
];

pub(super) const PLAN_THEN: &[&str] = &[
    "Write a test that fails [today|now], then make the change.",
    "Change as little as possible, test first.",
    "Pin it down with a test, then the change itself.",
    "Make the change in one place only, red to green.",
];

pub(super) const PLAN_LAST: &[&str] = &[
    "Run the tests, [commit, report|commit and tell you].",
    "Check the neighbours, commit.",
    "Note what had to be decided, commit, report.",
    "Run everything of that package and close the ticket.",
];
