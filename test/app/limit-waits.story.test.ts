import { expect, test } from "vitest";
import { listAudit } from "../../src/storage/audit.ts";
import { openHosted } from "../support/hosted-relay.ts";

const SOON = { timeout: 20_000 };

test("with only the reserve of the hour left, who waits is told until when, and a mention is answered at once (R-SCALE-2)", async () => {
  const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
  const number = life.open("mia", "Wrong total in the cart", "@relay the total is wrong.");
  await life.reaches(number, "clarifying");

  const { limits } = life.mock.world;
  const owner = `user ID ${life.mock.world.account("relay").id}`;
  for (let n = limits.count(owner, "core", 0).remaining; n > 45; n -= 1) limits.count(owner, "core", 1);
  // Relay learns of it with the next answer.
  const issue = await life.stored(number);
  if (issue === null) throw new Error("the issue is not known");
  await (await life.codeHostOf(issue)).getProject(issue.externalProjectId);

  const limited = () =>
    life.statuses(number).filter(({ body }) => body.includes("GitHub’s limit for Relay is reached until"));
  life.say("ann", number, "1. `total([])` in src/cart.ts throws.\n2. It should be 0.");
  await expect.poll(() => limited().length, SOON).toBe(1);

  const cycles = async () => (await listAudit(life.db, issue.id)).filter(({ what }) => what === "cycle.planned").length;
  expect(await cycles()).toBe(1);
  const mention = life.say("mia", number, "@relay please have a look at these answers.");
  await expect.poll(cycles, SOON).toBe(2);
  await expect.poll(() => limited().length, SOON).toBe(0);
  expect(life.eyes(number, mention)).toEqual(["relay"]);
  expect(life.statuses(number)).toHaveLength(1);
  expect(limits.count(owner, "core", 0).remaining).toBeGreaterThan(0);
});
