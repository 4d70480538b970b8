import { describe, expect, test } from "vitest";
import { listRuns } from "../../src/storage/runs.ts";
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
const AT = { path: "src/cart.ts", line: 2 };

/** An issue whose request is open; mia may write. */
async function inReview(...later: readonly Deed[]) {
  const life = await openWorking(agentOf(mends, idle, ...later));
  const issue = await agreed(life);
  await life.worksOn(issue);
  const opened = await openOn(life.tracker, "shop", BRANCH);
  if (opened === null) throw new Error("there is no request");
  return { life, issue, request: { project: "shop", number: opened.number } };
}

const labelsOf = async (life: WorkingLife, issue: Awaited<ReturnType<typeof agreed>>) =>
  (await life.tracker.getIssue(issue)).labels.filter((name) => name.startsWith("relay:"));

const shows = async (life: WorkingLife, issue: Awaited<ReturnType<typeof agreed>>) => {
  await life.work.syncLabels((await life.existing(issue)).id);
  return { status: await life.shown(issue), labels: await labelsOf(life, issue) };
};

const endings: [string, Deed, { status: RegExp; label: string }][] = [
  [
    "done",
    writes("src/digits.ts", "export const digits = 2;\n"),
    { status: /waiting for a review/, label: "relay:review" },
  ],
  ["got stuck", idle, { status: /couldn’t finish what was asked for in #2/, label: "relay:stuck" }],
  [
    "unusable",
    async () => await Promise.resolve({ ending: { kind: "failed", detail: "no key", usable: false } }),
    { status: /./, label: "relay:stuck" },
  ],
];

describe("status and label agree in each ending of a follow-up (R-LIFE-5, R-LIFE-9)", () => {
  test.each(endings)("%s", async (_, deed, { status, label }) => {
    const { life, issue, request } = await inReview(deed);
    await life.tell(issue, await life.people.reviewComment(request, "mia", "Please round it to cents.", AT));
    await life.worksOn(issue);
    const shown = await shows(life, issue);
    expect(shown.status).toMatch(status);
    expect(shown.labels).toEqual([label]);
  });

  test.each([
    ["Never mind.", null],
    ["Never mind, leave it as it is.", AT],
    ["Leave it, thanks.", AT],
    ["Vergiss es, lass das so.", null],
    ["Laisse tomber.", null],
    ["Déjalo así.", AT],
    ["Deixe como está.", AT],
    ["Неважно, оставь так.", null],
    ["不用管了。", null],
    ["そのままでいいです。", AT],
  ] as const)("“%s” after a run that got stuck ends the wait for a hint, without a run", async (words, at) => {
    const { life, issue, request } = await inReview();
    await life.tell(issue, await life.people.reviewComment(request, "mia", "Please round it to cents.", AT));
    await life.worksOn(issue);
    const said = (await life.said(issue)).length;
    await life.tell(issue, await life.people.reviewComment(request, "mia", words, at));
    expect(await shows(life, issue)).toEqual({
      status: expect.stringMatching(/waiting for a review/),
      labels: ["relay:review"],
    });
    expect((await saidAt(life, request)).at(-1)).toBe("All right, I’m leaving it as it is.");
    expect(await life.said(issue)).toHaveLength(said);
    expect((await listRuns(life.db, (await life.existing(issue)).id)).map(({ status }) => status)).toEqual([
      "done",
      "stuck",
    ]);
  });
});
