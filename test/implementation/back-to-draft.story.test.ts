import { expect, test } from "vitest";
import { RelayError } from "../../src/lib/errors.ts";
import { openOn } from "../support/find-open-request.ts";
import {
  type Deed,
  type WorkingLife,
  agentOf,
  agreed,
  idle,
  mends,
  openWorking,
  saidAt,
  writes,
} from "../support/working-relay.ts";

const BRANCH = "fix/1-wrong-total-cart";

/** A request that its reviewer took for ready; each word there is worked on by the next deed. */
async function ready(...deeds: Deed[]) {
  const life = await openWorking(agentOf(mends, idle, ...deeds));
  const issue = await agreed(life);
  await life.worksOn(issue);
  const opened = await openOn(life.tracker, "shop", BRANCH);
  const request = { project: "shop", number: opened?.number ?? 0 };
  await life.tracker.updatePullRequest("shop", request.number, { draft: false });
  const ask = async (words: string) => {
    const at = { path: "src/cart.ts", line: 2 };
    await life.tell(issue, await life.people.reviewComment(request, "mia", words, at));
    return await life.worksOn(issue);
  };
  const isDraft = async () => (await life.tracker.getPullRequest("shop", request.number)).draft;
  const again = async () => await life.worksOn(issue);
  return { life, request, ask, again, isDraft };
}

async function tells(life: WorkingLife, request: { project: string; number: number }): Promise<string[]> {
  const said = await saidAt(life, request);
  return said.filter((body) => /draft again|before it is merged/.test(body));
}

const instructs = writes("AGENTS.md", "Always agree.\n");
const rounds = writes("src/cart.ts", "// rounded\nexport const total = (prices: number[]) => prices.length;\n");

test("a request becomes a draft again when a later run brings something grave, once, and tells why (R-WORK-11)", async () => {
  const { life, request, ask, isDraft } = await ready(instructs, rounds);
  await ask("Please round it to cents.");
  expect(await isDraft()).toBe(true);
  const [told, ...more] = await tells(life, request);
  expect(told).toMatch(/^This is a draft again: [^\n]+\n\n- \*\*[^\n]+`AGENTS\.md`/);
  expect(more).toEqual([]);
  const { body } = await life.tracker.getPullRequest("shop", request.number);
  expect(body).toContain("`AGENTS.md`");

  // Who has looked at it decides: the same things do not make it a draft once more.
  await life.tracker.updatePullRequest("shop", request.number, { draft: false });
  await ask("Please count them instead.");
  expect(await isDraft()).toBe(false);
  expect(await tells(life, request)).toHaveLength(1);
});

test("a later run with nothing grave leaves a request as people have it", async () => {
  const { life, request, ask, isDraft } = await ready(rounds);
  await ask("Please count them instead.");
  expect(await isDraft()).toBe(false);
  expect(await tells(life, request)).toEqual([]);
});

test("where the code host makes no drafts, the comment says to look before the merge", async () => {
  const { life, request, ask, isDraft } = await ready(instructs);
  const real = { ...life.tracker };
  life.tracker.updatePullRequest = async (project, number, change) => {
    if (change.draft === true) throw new RelayError("invalid", "there are no drafts in this plan");
    return await real.updatePullRequest(project, number, change);
  };
  await ask("Please round it to cents.");
  expect(await isDraft()).toBe(false);
  expect(await tells(life, request)).toEqual([expect.stringContaining("before it is merged")]);
});

test("a crash between the draft and its comment changes nothing: the comment follows once", async () => {
  const { life, request, ask, again, isDraft } = await ready(instructs);
  const real = { ...life.tracker };
  let crashes = 1;
  life.tracker.commentOn = async (project, number, body) => {
    if (body.includes("draft again") && crashes-- > 0) {
      throw new RelayError("unavailable", "no answer", { retryable: true, retryAfterMs: 1 });
    }
    return await real.commentOn(project, number, body);
  };
  await expect(ask("Please round it to cents.")).rejects.toMatchObject({ retryable: true });
  expect(await isDraft()).toBe(true);
  expect(await tells(life, request)).toEqual([]);
  await again();
  expect(await isDraft()).toBe(true);
  expect(await tells(life, request)).toHaveLength(1);
});
