// The types of the package: uses that they allow and refuse. It is only compiled.
import { Anchord, ProblemError, type Arguments, type Context, type Event, type Item, type Schemas } from "anchord";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function is<A, B>(..._: Same<A, B> extends true ? [] : [never]): void {}

/** A message as a provider's library declares it: an interface, with literal fields. */
interface UserMessage {
  role: "user";
  content: string;
  name?: string;
}

const anchord = new Anchord({ url: undefined, timeout: 1000 });
declare const said: UserMessage[];

export async function checks(): Promise<void> {
  const appended = await anchord.messages.append({ session_id: "s", return: "context", body: { messages: said } });
  is<typeof appended, Schemas["AppendResult"]>();
  is<typeof appended.context, Context | undefined>();
  is<typeof appended.usage.effective_window, number>();
  const turn = await anchord.turn<UserMessage>("s", { messages: said });
  is<typeof turn.messages, UserMessage[]>();
  for await (const item of anchord.sessions.list()) is<typeof item, Item<"sessions.list">>();
  for await (const event of anchord.events.stream({ session_id: "s" })) is<typeof event, Event>();
  const page = await anchord.sessions.list({ limit: 5, user: undefined });
  is<typeof page.next_cursor, string | null>();
  const markdown = await anchord.summaries.getCurrent({ session_id: "s", accept: "text/markdown" });
  is<typeof markdown, string>();
  const handoff = await anchord.sessions.getHandoff({ session_id: "s" });
  is<typeof handoff, Schemas["Handoff"] | undefined>();
  const deleted = await anchord.sessions.delete({ session_id: "s" });
  is<typeof deleted, void>();
  is<Arguments<"compressions.create">["wait"], number | undefined>();
  is<Arguments<"sessions.get">["session_id"], string>();

  // @ts-expect-error: the session is missing
  await anchord.sessions.get({});
  // @ts-expect-error: there is no such parameter
  await anchord.sessions.get({ session_id: "s", sesion: 1 });
  // @ts-expect-error: messages are objects
  await anchord.messages.append({ session_id: "s", body: { messages: ["Hello."] } });
  // @ts-expect-error: there is no such format
  await anchord.messages.append({ session_id: "s", body: { format: "openai", messages: said } });
  // @ts-expect-error: there is no such field
  await anchord.sessions.put({ session_id: "s", body: { contextwindow: 1 } });
  // @ts-expect-error: an index may lead nowhere
  (await anchord.messages.list({ session_id: "s" })).items[0].seq.toFixed();
  // @ts-expect-error: there is no such operation
  await anchord.sessions.fetch({ session_id: "s" });
  try {
    await anchord.sessions.get({ session_id: "s" });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    is<typeof error.limit, number | undefined>();
    is<typeof error.field, string | undefined>();
    if (error.code === "session-not-found") return;
  }
}
