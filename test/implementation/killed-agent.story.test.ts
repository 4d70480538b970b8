import { expect, test } from "vitest";
import { openOn } from "../support/find-open-request.ts";
import { outcome } from "../support/sandboxed.ts";
import { WORK_SETTINGS } from "../support/work-settings.ts";
import { type Deed, agentOf, agreed, idle, mends, openWorking } from "../support/working-relay.ts";

/** Fills its home with files until it is killed. */
const litters: Deed = async ({ launch, directory, home, timeoutMs, mostOutputBytes }) => {
  const script = `cd "$0" && i=0; while [ $i -lt 3000 ]; do i=$((i+1)); : > f$i; done; exec sleep 600`;
  const options = { cwd: directory, environment: {}, stdin: "closed" as const, timeoutMs, mostOutputBytes };
  const { code } = await outcome(launch, { ...options, command: "sh", args: ["-c", script, home] });
  expect(code).toBe(null);
  return { ending: { kind: "failed", detail: "it was ended by a signal", usable: true } };
};
const hesitates: Deed = async () => await Promise.resolve({ ending: { kind: "timeout" } });
const LIMITED = { settings: { ...WORK_SETTINGS, files: 1_000 } };

test("a request names the limit at which a run of its agent was killed, and its setting", async () => {
  const life = await openWorking(agentOf(litters, mends, idle));
  const issue = await agreed(life);
  await life.worksOn(issue, LIMITED);
  const opened = await openOn(life.tracker, "shop", "fix/1-wrong-total-cart");
  expect(opened?.body).toMatch(/a limit, which Relay’s operator can raise\*\*: `work\.files: 1000`/);
});

test("so does the comment of a run that came to no end, and what the operator reads of it", async () => {
  const life = await openWorking(agentOf(litters, hesitates));
  const issue = await agreed(life);
  expect(await life.worksOn(issue, LIMITED)).toMatchObject({ state: "stuck" });
  const said = (await life.said(issue)).join("\n");
  expect(said).toContain(
    "The agent was ended at a limit: `work.files: 1000`, `work.iteration_minutes: 5`. Relay’s operator can raise it.",
  );
  expect(await life.shown(issue)).not.toContain("undefined");
});
