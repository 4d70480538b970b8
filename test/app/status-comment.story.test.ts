import { describe, expect, test } from "vitest";
import { listMessages, listThread } from "../../src/storage/messages.ts";
import { PROJECT, openHosted } from "../support/hosted-relay.ts";

type Life = Awaited<ReturnType<typeof openHosted>>;

/** Longer than the edits of some seconds take that become one. */
const PATIENT = { timeout: 30_000 };

/** A vague issue whose questions stand in the thread. */
async function asked(life: Life): Promise<number> {
  const number = life.open("ann", "Wrong total in the cart", "The total is wrong.");
  life.mock.act({ do: "assign", as: "mia", repo: PROJECT, number, login: "relay" });
  await life.reaches(number, "clarifying");
  return number;
}

async function says(life: Life, number: number, words: string): Promise<void> {
  await expect
    .poll(() => life.statuses(number).map(({ body }) => body), PATIENT)
    .toEqual([expect.stringContaining(words)]);
}

describe("one status comment for each issue (R-LIFE-9)", () => {
  test("is there from the first reading on, and is edited in place while four comments ask and answer", async () => {
    const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
    const number = await asked(life);
    await says(life, number, "**I’m waiting for answers from ann.**");
    const [begun] = life.statuses(number);
    life.say("ann", number, "1. `total([])` in src/cart.ts throws.\n2. It should be 0.");
    await life.reaches(number, "awaiting_proceed");
    life.say("mia", number, "go ahead");
    await life.reaches(number, "waiting_confirmation");
    life.say("mia", number, "yes");
    await life.reaches(number, "queued");
    await says(life, number, "approved by mia\n\n<sub>Called by mia. ");
    await says(life, number, "· go-ahead by mia · approved by mia on ");
    await says(life, number, "UTC\n- Plan: [version 1](");
    expect(life.statuses(number)).toMatchObject([{ id: begun?.id }]);
    expect(life.said(number)).toHaveLength(4);
    expect(life.mock.violations).toEqual([]);
  });

  test("is no message of the discussion", async () => {
    const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
    const number = await asked(life);
    await says(life, number, "**I’m waiting for answers from ann.**");
    life.say("ann", number, "1. `total([])` in src/cart.ts throws.\n2. It should be 0.");
    await life.reaches(number, "awaiting_proceed");
    const { id } = await existing(life, number);
    const messages = await listMessages(life.db, id);
    expect(messages.map(({ seq, author }) => [seq, author])).toEqual([
      [1, "relay"],
      [2, "ann"],
    ]);
    expect(await listThread(life.db, id)).toHaveLength(3);
  });

  test("costs no request where it would say the same", async () => {
    const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
    const number = await asked(life);
    await says(life, number, "**I’m waiting for answers from ann.**");
    const { id } = await existing(life, number);
    const before = life.mock.requests.length;
    await life.orchestrator.updateStatus(id);
    expect(life.mock.requests).toHaveLength(before);
  });

  test("is not made again where somebody deleted it, and overwritten where somebody edited it", async () => {
    const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
    const [edited, deleted] = [await asked(life), await asked(life)];
    for (const number of [edited, deleted]) await says(life, number, "**I’m waiting for answers from ann.**");
    const comment = (number: number) => life.statuses(number)[0]?.id ?? 0;
    life.mock.act({
      do: "edit_comment",
      as: "max",
      repo: PROJECT,
      number: edited,
      comment: comment(edited),
      body: "Merged!",
    });
    life.mock.act({ do: "delete_comment", as: "max", repo: PROJECT, number: deleted, comment: comment(deleted) });
    for (const number of [edited, deleted]) life.say("ann", number, "1. `total([])` throws.\n2. It should be 0.");
    for (const number of [edited, deleted]) await life.reaches(number, "awaiting_proceed");
    await says(life, edited, "**I’m waiting for a go-ahead");
    await life.orchestrator.updateStatus((await existing(life, deleted)).id);
    life.say("mia", deleted, "go ahead");
    await life.reaches(deleted, "waiting_confirmation");
    await life.orchestrator.updateStatus((await existing(life, deleted)).id);
    expect(life.statuses(deleted)).toEqual([]);
  });
});

async function existing(life: Life, number: number) {
  const issue = await life.stored(number);
  if (issue === null) throw new Error("Relay is not engaged in the issue");
  return issue;
}
