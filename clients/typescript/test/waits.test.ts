// When calls are repeated, on a clock of the test's. It is a file of its own, because the built-in fetch has timers on the same clock.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Anchord, type Options } from "anchord";

/** The milliseconds at which a call is made that is answered with 503 each time, on a clock that nobody waits for. */
async function attempts(t: TestContext, chance: number, options: Options): Promise<number[]> {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.mock.method(Math, "random", () => chance);
  const at: number[] = [];
  const unavailable = () => {
    at.push(Date.now());
    return Promise.resolve(new Response("{}", { status: 503 }));
  };
  let isOver = false;
  const call = new Anchord({ ...options, url: "http://service", fetch: unavailable }).sessions.get({ session_id: "s" });
  const over = assert.rejects(call, { status: 503 }).finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((done) => setImmediate(done));
    t.mock.timers.tick(1);
  }
  await over;
  t.mock.timers.reset();
  return at;
}

for (const [which, chance, share] of [["shortest", 0, 0.5], ["longest", 1, 1]] as const)
  test(`waits begin short and grow up to a bound: the ${which}`, async (t) => {
    const at = await attempts(t, chance, { retries: 9, timeout: 600_000 });
    const waits = at.slice(1).map((when, index) => Math.round((when - at[index]!) / 100 / share) * 100);
    assert.deepEqual(waits, [200, 400, 800, 1600, 3200, 6400, 8000, 8000, 8000]);
  });

test("a call ends with its timeout, whatever is repeated", async (t) => {
  const at = await attempts(t, 1, { retries: 9, timeout: 1000 });
  assert.equal(at.length, 3);
  assert.ok(at.at(-1)! - at[0]! < 1000);
});
