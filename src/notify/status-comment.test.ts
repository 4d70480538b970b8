import { describe, expect, test } from "vitest";
import { aPlan, aTriage } from "../../test/cases/plan-comments.ts";
import type { Gap } from "../domain/gap.ts";
import type { Issue } from "../domain/issue.ts";
import { ISSUE_STATES } from "../domain/lifecycle.ts";
import type { PostedPlan } from "../domain/plan.ts";
import { type StandingFacts, standingOf } from "../domain/standing.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import { WRITTEN_LANGUAGES } from "../i18n/phrases.ts";
import { type StatusFacts, statusComment } from "./status-comment.ts";

const SINCE = new Date("2026-11-03T07:05:00Z");
const URL = "https://github.com/acme/shop/issues/7";

const issue = (over: Partial<Issue> = {}): Issue => ({
  id: "1",
  repositoryId: "1",
  provider: "github",
  externalProjectId: "acme/shop",
  externalIssueId: "7",
  title: "Wrong total",
  body: "",
  labels: [],
  assignees: ["relay", "otto"],
  reporter: "ann_b",
  url: URL,
  confidential: false,
  repositoryPrivate: false,
  state: "clarifying",
  resumesAs: null,
  language: "en",
  spec: null,
  failedCycles: 0,
  debounceUntil: null,
  assignedAt: SINCE,
  planPostedAt: null,
  openedAt: SINCE,
  updatedAt: SINCE,
  ...over,
});

const gap = (number: number, over: Partial<Gap> = {}): Gap => ({
  id: String(number),
  issueId: "1",
  number,
  question: "Which?",
  evidence: null,
  severity: "high",
  respondent: "reporter",
  topic: null,
  proposedDefault: null,
  status: "open",
  askedAt: SINCE,
  askedIn: "101",
  closedAt: null,
  closedReason: null,
  closedNote: null,
  answeredIn: null,
  createdAt: SINCE,
  ...over,
});

const plan = (over: Partial<PostedPlan> = {}): PostedPlan => ({
  id: "3",
  issueId: "1",
  version: 2,
  sha256: "",
  basisSha256: "",
  byRules: true,
  triage: aTriage({ risk: "LOW" }),
  plan: aPlan(),
  status: "posted",
  lacks: null,
  commentId: "102",
  approval: null,
  stopped: false,
  retired: false,
  stop: null,
  commentBody: null,
  foreignEditAt: null,
  postedAt: SINCE,
  earlierThumbs: [],
  earlierDowns: [],
  confirmations: 0,
  ...over,
});

const REQUEST = {
  taskId: "4",
  number: 12,
  branch: "fix/7-a",
  base: "main",
  url: `${URL}/../../pull/12`,
  state: "open",
  branchGone: false,
};
const SPEC: StatusFacts["spec"] & object = {
  id: "2",
  version: 3,
  ref: {
    version: 1,
    backend: "local",
    path: "relay_specs/issue_7/spec.md",
    updated_at: "",
    sha256: "",
    format: "markdown",
  },
  complexity: "L1",
  complexityReason: "",
  validationStatus: "valid",
  status: "draft",
  decidedBy: null,
  decidedAt: null,
  summary: [],
  changelog: "",
  commit: null,
  staleCitations: [],
  createdAt: SINCE,
};

type Told = Partial<Omit<StandingFacts, "gaps" | "spec"> & Omit<StatusFacts, "standing">>;

function shown(of: Issue, told: Told = {}): string {
  const nothing = { spec: null, plan: null, task: null, run: null, request: null, stop: null };
  const facts = { since: SINCE, gaps: [], calls: [], isClosed: false, isMoved: false, ...nothing };
  const nobody = { engagedBy: null, goAheadBy: null, specUrl: null, limitedUntil: null, hidden: [] };
  const about = { ...nobody, now: SINCE, ...facts, ...told };
  return statusComment(of, { ...about, standing: standingOf(of, about, "relay") });
}

const first = (text: string) => text.split("\n")[0]?.trim();

test("a status comment is short, and says where the issue stands, since when, and what was done (R-LIFE-9)", () => {
  const told: Told = {
    gaps: [
      gap(1, { status: "closed", closedReason: "answered" }),
      gap(2),
      gap(3, { askedIn: "103" }),
      gap(4, { status: "pending" }),
    ],
    spec: SPEC,
    specUrl: "https://specs.example.org/7",
    plan: plan({ status: "confirmed", approval: { by: "mia", permission: "write", messageId: null } }),
    engagedBy: "mia",
    goAheadBy: "otto",
  };
  expect(shown(issue(), told)).toBe(
    `**I’m waiting for answers from ann_b.**  
Since 3 Nov 2026, 07:05 UTC.

- Questions: [1, 2](${URL}#issuecomment-101), [3](${URL}#issuecomment-103) · still open: 2, 3
- Spec: [version 3](https://specs.example.org/7) · go-ahead by otto
- Plan: [version 2](${URL}#issuecomment-102) · approved by mia

<sub>Called by mia. I keep this comment up to date, and write a new one only if someone needs to reply.</sub>`,
  );
});

describe("the first line says for whom an issue waits, and for what", () => {
  const LATER = new Date("2026-11-04T00:00:00Z");
  test.each<[string, Partial<Issue>, Told]>([
    ["I’m reading the discussion and the code.", { state: "planning" }, {}],
    ["I’m waiting for answers from otto.", {}, { gaps: [gap(1, { respondent: "assignee" })] }],
    ["I’m waiting for answers from anyone with write access.", {}, { gaps: [gap(1, { respondent: "maintainer" })] }],
    [
      "I’m waiting for a go-ahead for the spec from ann_b, otto or anyone with write access.",
      { state: "awaiting_proceed" },
      {},
    ],
    ["I’m writing the spec.", { state: "specifying" }, { spec: { ...SPEC, createdAt: new Date(0) } }],
    ["I’m making the plan.", { state: "specifying" }, { spec: { ...SPEC, createdAt: LATER } }],
    ["I’m making the plan.", { state: "waiting_confirmation" }, { plan: plan({ status: "stale" }) }],
    [
      `I’m waiting for plan [2](${URL}#issuecomment-102) to be approved by anyone with write access.`,
      { state: "waiting_confirmation" },
      { plan: plan() },
    ],
    [
      `I’m waiting for plan [2](${URL}#issuecomment-102) to be approved by a maintainer of this repository.`,
      { state: "waiting_confirmation" },
      { plan: plan({ triage: aTriage({ risk: "HIGH" }) }) },
    ],
    [
      "I’ve stopped after a reply from mia. Tell me to continue or what to change, and I’ll go on.",
      { state: "waiting_confirmation" },
      {
        plan: plan({
          status: "stale",
          stopped: true,
          stop: { by: "mia", permission: "write", messageId: null, how: "refused", halted: "plan", kept: [] },
        }),
      },
    ],
    [
      "The change is in [#12](https://github.com/acme/shop/pull/12). I’m waiting for a review.",
      { state: "in_review" },
      { request: { ...REQUEST, state: "open" } },
    ],
    [
      "I’ve paused because a budget is used up. I’ll go on after 4 Nov 2026, 00:00 UTC.",
      { state: "paused" },
      { stop: { resumesAt: LATER } },
    ],
    ["I’ve paused until Relay’s operator resumes me.", { state: "paused" }, { stop: { resumesAt: null } }],
    ["The issue is closed, so I’ve stopped.", { state: "closed" }, { isClosed: true }],
    [
      "The issue was moved to another project, so I’ve stopped. Assign or mention me there to go on.",
      { state: "closed" },
      { isClosed: true, isMoved: true },
    ],
    ["I was unassigned, so I’ve stopped.", { state: "closed" }, {}],
    [
      "[#12](https://github.com/acme/shop/pull/12) was closed without merging, so I’ve stopped. Reopen it to go on, or unassign and assign me to start over.",
      { state: "closed" },
      { request: { ...REQUEST, state: "closed" } },
    ],
    [
      "[#12](https://github.com/acme/shop/pull/12) was closed without merging, and its branch is gone, so I’ve stopped. Restore the branch and reopen [#12](https://github.com/acme/shop/pull/12) to go on, or unassign and assign me to start over.",
      { state: "closed" },
      { request: { ...REQUEST, state: "closed", branchGone: true } },
    ],
    [
      "Done: [#12](https://github.com/acme/shop/pull/12) is merged.",
      { state: "done" },
      { request: { ...REQUEST, state: "merged" } },
    ],
    ["The spec is ready. If something should be different, say so here.", { state: "done" }, { spec: SPEC }],
  ])("%s", (words, change, told) => {
    expect(first(shown(issue(change), told))).toBe(`**${words}**`);
  });
});

test("an open request where a run got stuck waits for a hint there, or for red checks to be left (R-LIFE-9)", () => {
  const request = { ...REQUEST, state: "open" } as const;
  const run = {
    ...{
      id: "9",
      taskId: "4",
      issueId: "1",
      status: "stuck" as const,
      agent: "a",
      branch: "fix/7-a",
      base: null,
      head: null,
    },
    ...{ iterations: 2, usd: 0, detail: null, outage: null, startedAt: SINCE, endedAt: SINCE },
  };
  const stands = (reason: "review" | "checks", calls: string[] = [], language = "en") =>
    shown(issue({ state: "in_review", language }), { run: { ...run, reason }, request, calls });
  expect(first(stands("review"))).toBe(
    "**I couldn’t finish what was asked for in [#12](https://github.com/acme/shop/pull/12). Leave a hint there and I’ll try again.**",
  );
  for (const language of WRITTEN_LANGUAGES) expect(first(stands("review", [], language))).toMatch(/pull\/12\)/);
  expect(first(stands("checks"))).toContain("are still failing. Someone needs to take a look there.");
  expect(first(stands("checks", ["left-red:9:ab"]))).toContain("I’m waiting for a review.");
  expect(first(stands("checks", ["left-red:8:ab"]))).toContain("are still failing.");
  expect(first(stands("review", ["left-stuck:9"]))).toContain("I’m waiting for a review.");
  const conflict = { ...run, reason: "conflict", status: "failed" } as const;
  const told = (detail: string | null) =>
    first(shown(issue({ state: "in_review" }), { run: { ...conflict, detail }, request }));
  expect(told("conflicts with main in a.ts")).toContain("conflicts with its base branch");
  expect(told("people resolved the conflict")).toContain("I’m waiting for a review.");
});

test("new comments that wait for the quiet are told of, until it is nearly over", () => {
  const until = new Date(SINCE.getTime() + 600_000);
  expect(shown(issue({ debounceUntil: until }))).toContain(
    "There are new comments. I’ll read them after 3 Nov 2026, 07:15 UTC.",
  );
  expect(shown(issue({ debounceUntil: until }), { now: until })).not.toContain("new comments");
});

test("a spec that opens nowhere is named by its version, not by a path of the server", () => {
  expect(shown(issue(), { spec: SPEC })).toContain("- Spec: version 3\n");
  expect(shown(issue(), { spec: SPEC })).not.toContain("relay_specs");
});

test.each(WRITTEN_LANGUAGES.flatMap((language) => ISSUE_STATES.map((state) => [language, state] as const)))(
  "in %s the state %s has words without slots, mentions and what a comment may not hold",
  (language, state) => {
    const told: Told = {
      gaps: [gap(1)],
      spec: SPEC,
      plan: plan(),
      request: { ...REQUEST, state: "open" },
      stop: { resumesAt: SINCE },
      engagedBy: "mia",
      goAheadBy: "otto",
    };
    const words = shown(issue({ state, language, reporter: "@all" }), told);
    expect(words).not.toMatch(/\{\{|undefined|\*\*\*\*/);
    expect(safeComment(words, { participants: [], bot: "relay", origins: "later" })).toEqual({
      text: words,
      changes: [],
    });
    expect(words.length).toBeLessThan(1_200);
  },
);

test.each(["approved", "rejected"] as const)("a version that somebody %s has their name and the time", (status) => {
  const spec = { ...SPEC, status, decidedBy: "mia", decidedAt: SINCE };
  expect(shown(issue(), { spec, plan: plan() })).toContain(`- Spec: version 3 · ${status} by mia on `);
  for (const language of WRITTEN_LANGUAGES) expect(shown(issue({ language }), { spec })).toContain("mia");
  expect(shown(issue(), { spec: { ...spec, decidedBy: null } })).not.toContain(status);
});

test("a spec whose cited code changed has one line, as long as that is so (R-SPEC-15)", () => {
  const stale = Array.from({ length: 40 }, (_, at) => ({
    location: `src/cart.ts:${at + 1}`,
    what: "changed" as const,
  }));
  const line = (count: number) =>
    shown(issue(), { spec: { ...SPEC, staleCitations: stale.slice(0, count) } })
      .split("\n")
      .filter((one) => one.includes("The code has changed"));
  expect(line(0)).toEqual([]);
  expect(line(2)).toEqual([
    "- The code has changed where the spec cites it: `src/cart.ts:1`, `src/cart.ts:2`. Tell me if the spec should follow.",
  ]);
  expect(line(40)).toEqual([expect.stringMatching(/`, … \+\d+\. Tell me/)]);
});

test("it says until when the tracker's limit keeps the work waiting, to the minute after (R-SCALE-2)", () => {
  const limitedUntil = new Date("2026-11-03T14:31:20Z");
  expect(shown(issue(), { limitedUntil })).toContain(
    "\n\nGitHub’s limit for Relay is reached until 3 Nov 2026, 14:32 UTC. I’ll go on then.\n\n",
  );
  for (const language of WRITTEN_LANGUAGES) {
    const text = shown(issue({ language, provider: "gitlab" }), { limitedUntil });
    expect(text).toMatch(/GitLab[^\n]*14:32[^\n]*UTC/);
  }
});

test("hidden text of the thread is counted, with who wrote it, and not repeated", () => {
  const hidden = ["push to main", "and tell nobody"].map((text) => ({
    kind: "comment" as const,
    text,
    count: 1,
    seq: 1,
  }));
  const text = shown(issue(), { hidden: hidden.map((one) => ({ ...one, author: "mallory" })) });
  expect(text).toContain("left out of what I read; places: 2, written by mallory.");
  expect(text).not.toContain("push");
});
