import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openOn } from "../support/find-open-request.ts";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { silentLog } from "../../src/lib/log.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { markFeedbackAnswered, listOpenFeedback } from "../../src/storage/review-feedback.ts";
import { listRuns } from "../../src/storage/runs.ts";
import { ANSWERS_FILE, DONE_FILE, TASK_FILE } from "../../src/implementation/run/notes.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";
import { BOT } from "../support/relay.ts";
import { planOf } from "../support/planning-relay.ts";
import {
  type Deed,
  type WorkingLife,
  agentOf,
  agreed,
  hangs,
  idle,
  mends,
  openWorking,
  pushes,
  saidAt,
  writes,
} from "../support/working-relay.ts";

const BRANCH = "fix/1-wrong-total-cart";

/** An issue whose request is open. */
async function inReview(life: WorkingLife) {
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  // The look that follows a run takes up what people say meanwhile.
  await life.settled(issue);
  const opened = await openOn(life.tracker, "shop", BRANCH);
  if (opened === null) throw new Error("there is no request");
  return { issue, request: { project: "shop", number: opened.number } };
}

async function runsOf(life: WorkingLife, issue: IssueAddress): Promise<string[]> {
  const runs = await listRuns(life.db, (await life.existing(issue)).id);
  return runs.map(({ reason, status }) => `${reason} ${status}`);
}

test("a wish in the review is carried out on the same branch and answered once; a merge is the end (R-WORK-9)", async () => {
  const seen: string[] = [];
  const rounds: Deed = async (request) => {
    const text = `// rounded\nexport const total = (prices: number[]) => prices.reduce((sum, price) => sum + price, 0);\n`;
    await writes("src/cart.ts", text)(request);
    // While it works somebody else puts a commit on the branch.
    if (seen.push("round") === 1) await pushes(life, BRANCH, "mia.txt");
    await writes(
      `${NOTES}/${ANSWERS_FILE}`,
      "## 1\nThe words stay: they are in use.\n## 2\nThe total is rounded.\n",
    )(request);
    return { summary: "Did what was asked." };
  };
  const life: WorkingLife = await openWorking(agentOf(mends, idle, rounds));
  const { issue, request } = await inReview(life);
  await life.people.setMember("shop", "eve", "read");
  const at = { path: "src/cart.ts", line: 2 };
  const { people } = life;
  expect(await life.tell(issue, await people.reviewComment(request, "eve", "Use a loop!", at))).toMatchObject({
    state: "in_review",
  });
  expect(await life.tell(issue, await people.review(request, "mia", "approved", "LGTM, thanks!"))).toMatchObject({
    state: "in_review",
  });
  expect(await runsOf(life, issue)).toEqual(["plan done"]);
  await people.reviewComment(request, "mia", "Other words, please.", { path: "README.md", line: 1 });
  const asked = await people.reviewComment(request, "mia", "Please round it to cents.", at);
  expect(await life.tell(issue, asked)).toMatchObject({ state: "queued" });

  await expect(life.worksOn(issue)).rejects.toMatchObject({ code: "conflict", retryable: true });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await runsOf(life, issue)).toEqual(["plan done", "review done"]);
  expect(await life.git("log", "--format=%an", `main..${BRANCH}`)).toBe("relay\nMia\nrelay");
  expect(await life.git("show", `${BRANCH}:mia.txt`)).toBe("by mia");
  const threads = await life.tracker.listReviewThreads("shop", request.number);
  const answers = threads.flatMap(({ comments }) => comments.filter(({ author }) => author === BOT));
  const commit = (await life.git("rev-parse", BRANCH)).slice(0, 10);
  expect(answers.map(({ body }) => body.replace(/\n\n<!--.*/, ""))).toEqual([
    `\`README.md\` was not changed for this; ${commit} changed \`src/cart.ts:1-2\`.\n\n> The words stay: they are in use.`,
    `Changed in ${commit}: \`src/cart.ts:1-2\`.\n\n> The total is rounded.`,
  ]);
  const said = await life.said(issue);

  // Merging it closes the issue, and the tracker tells of that first.
  const merged = await people.mergeRequest(request, "mia");
  await life.deliver(await people.setState(issue, "mia", "closed"));
  expect(await life.settled(issue)).toMatchObject({ state: "done" });
  expect(await life.tell(issue, merged)).toMatchObject({ state: "done" });
  await life.deliver(await people.setState(issue, "mia", "closed"));
  expect(await life.settled(issue)).toMatchObject({ state: "done" });
  expect(await life.said(issue)).toEqual(said);
});

test("red checks go back to the agent twice at most; a request that is closed is the end (R-WORK-9)", async () => {
  let tries = 0;
  const triesAgain: Deed = async (request) => {
    tries += 1;
    await writes("src/cart.ts", `export const total = () => ${tries};\n`)(request);
  };
  const life = await openWorking(agentOf(mends, idle, triesAgain));
  const { issue, request } = await inReview(life);
  const { people } = life;
  await people.setMember("shop", "ci", "write", true);
  const red = async () => {
    const check = { name: "build", outcome: "failed" as const, detail: "src/cart.ts(1): no" };
    const commit = await life.git("rev-parse", BRANCH);
    return await life.tell(issue, await people.reportCheck(request, "ci", commit, check));
  };
  expect(await red()).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await red()).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await red()).toMatchObject({ state: "in_review" });
  expect(await red()).toMatchObject({ state: "in_review" });
  expect(await runsOf(life, issue)).toEqual(["plan done", "checks done", "checks done"]);
  expect((await saidAt(life, request)).filter((body) => body.includes("still failing"))).toHaveLength(1);

  const closed = await people.closeRequest(request, "mia");
  expect(await life.tell(issue, closed)).toMatchObject({ state: "closed" });
  expect(await life.tell(issue, closed)).toMatchObject({ state: "closed" });
  expect(await life.shown(issue)).toContain(
    "was closed without merging, so I’ve stopped. Reopen it to go on, or unassign and assign me to start over.",
  );
  // Who assigns Relay again gets another plan to agree to.
  await life.deliver(await people.unassign(issue, "mia", BOT));
  await life.deliver(await people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
});

test("a request that was closed by mistake and reopened is in review again, under its approval (R-WORK-9)", async () => {
  const life = await openWorking(agentOf(mends, idle, mends));
  const { issue, request } = await inReview(life);
  const { people } = life;
  expect(await life.tell(issue, await people.closeRequest(request, "mia"))).toMatchObject({ state: "closed" });
  const reopened = await people.reopenRequest(request, "mia");
  expect(await life.tell(issue, reopened)).toMatchObject({ state: "in_review" });
  expect(await life.tell(issue, reopened)).toMatchObject({ state: "in_review" });
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "confirmed" });
  const red = { name: "build", outcome: "failed" as const, detail: "src/cart.ts(1): no" };
  const check = await people.reportCheck(request, "mia", await life.git("rev-parse", BRANCH), red);
  expect(await life.tell(issue, check)).toMatchObject({ state: "queued" });

  // Where no webhook tells of it, the comparison of the repository does.
  expect(await life.tell(issue, await people.closeRequest(request, "mia"))).toMatchObject({ state: "closed" });
  await people.reopenRequest(request, "mia");
  const { repositoryId } = await life.existing(issue);
  const shown = { number: request.number, updatedAt: new Date() };
  await life.orchestrator.checkReviews(repositoryId, [{ ...shown, state: "closed" }]);
  expect(await life.settled(issue)).toMatchObject({ state: "closed" });
  await life.orchestrator.checkReviews(repositoryId, [{ ...shown, state: "open" }]);
  expect(await life.settled(issue)).toMatchObject({ state: "in_review" });

  // Where the issue was closed too, it stays so until it is reopened itself.
  expect(await life.tell(issue, await people.closeRequest(request, "mia"))).toMatchObject({ state: "closed" });
  await life.deliver(await people.setState(issue, "mia", "closed"));
  await life.settled(issue);
  expect(await life.tell(issue, await people.reopenRequest(request, "mia"))).toMatchObject({ state: "closed" });
});

test("red checks that a run cannot mend are told at the open request, once, and end when people leave them (R-WORK-15)", async () => {
  const gives: Deed = async () => await Promise.resolve({ summary: "The rates service is down." });
  const life = await openWorking(agentOf(mends, idle, gives));
  const { issue, request } = await inReview(life);
  const { people } = life;
  await people.setMember("shop", "ci", "write", true);
  const before = await life.said(issue);
  const red = async () => {
    const check = { name: "build", outcome: "failed" as const, detail: "rates.test.ts: no" };
    return await life.tell(issue, await people.reportCheck(request, "ci", await life.git("rev-parse", BRANCH), check));
  };
  expect(await red()).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const [ending, ...others] = await saidAt(life, request);
  expect(others).toEqual([]);
  expect(ending).toMatch(
    /two attempts in a row[\s\S]*Still failing:\n\n`build`\n\n```\nrates\.test\.ts: no\n```\n\nThe coding agent says:\n\n> The rates service is down\./,
  );
  expect(ending).toMatch(/the pull request is as it was/);
  expect(await life.said(issue)).toEqual(before);
  // Another look at the same commit tries and tells nothing again.
  expect(await red()).toMatchObject({ state: "in_review" });
  expect(await life.shown(issue)).toContain("are still failing. Someone needs to take a look there.");
  const leaves = "That build has been red on main since January, ignore it.";
  expect(await life.tell(issue, await people.reviewComment(request, "mia", leaves, null))).toMatchObject({
    state: "in_review",
  });
  expect(await life.shown(issue)).toContain("I’m waiting for a review.");
  await pushes(life, BRANCH, "mia.txt");
  expect(await red()).toMatchObject({ state: "in_review" });
  expect(await runsOf(life, issue)).toEqual(["plan done", "checks stuck"]);
  expect(await saidAt(life, request)).toEqual([ending, "I’m leaving this red, as you asked: `build`."]);
  expect(await life.said(issue)).toEqual(before);
});

test("a check that was red on the base before is none of Relay's, though CI has not run on the newest commit there (R-WORK-15)", async () => {
  const life = await openWorking(agentOf(mends, idle));
  await life.git(
    "-c",
    "user.name=Mia",
    "-c",
    "user.email=m@example.org",
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "Newer",
  );
  const { issue, request } = await inReview(life);
  const { people } = life;
  await people.setMember("shop", "ci", "write", true);
  const check = { name: "build", outcome: "failed" as const, detail: "rates.test.ts: no" };
  await people.reportCheck(request, "ci", await life.git("rev-parse", "main~1"), check);
  const event = await people.reportCheck(request, "ci", await life.git("rev-parse", BRANCH), check);
  expect(await life.tell(issue, event)).toMatchObject({ state: "in_review" });
  // Who says so before Relay asks gets a word, and no work.
  const leaves = await people.reviewComment(request, "mia", "build was red before this change. Leave it.", null);
  expect(await life.tell(issue, leaves)).toMatchObject({ state: "in_review" });
  expect(await runsOf(life, issue)).toEqual(["plan done"]);
  expect(await saidAt(life, request)).toEqual(["I’m leaving this red, as you asked: `build`."]);
  const log = await listAudit(life.db, (await life.existing(issue)).id);
  expect(log.filter(({ what }) => what === "checks.left_red")).toMatchObject([{ after: { checks: ["build"] } }]);
});

test("red checks that the change did not cause are left to people, with the agent's reason (R-WORK-15)", async () => {
  const explains: Deed = async (request) =>
    await writes(`${NOTES}/${DONE_FILE}`, "`rates.test.ts` fails on the default branch as well.\n")(request);
  const life = await openWorking(agentOf(mends, idle, explains));
  const { issue, request } = await inReview(life);
  await life.people.setMember("shop", "ci", "write", true);
  const check = { name: "build", outcome: "failed" as const, detail: "rates.test.ts: no" };
  const commit = await life.git("rev-parse", BRANCH);
  await life.tell(issue, await life.people.reportCheck(request, "ci", commit, check));
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await saidAt(life, request)).toEqual([
    "`build` fails, but I changed nothing: the coding agent found that this change isn’t the cause. Someone needs to decide what happens next.\n\nThe coding agent says:\n\n> `rates.test.ts` fails on the default branch as well.",
  ]);
  expect(await life.git("rev-parse", BRANCH)).toBe(commit);
});

test("of words that wait for a run the newest count, and what was deleted is not worked on (R-WORK-9)", async () => {
  const told: string[] = [];
  const reads: Deed = async (request) => {
    told.push(await readFile(join(request.directory, NOTES, TASK_FILE), "utf8"));
    await writes("src/cart.ts", "export const total = () => 0;\n")(request);
  };
  const life = await openWorking(agentOf(mends, idle, reads));
  const { issue, request } = await inReview(life);
  const wish = async (text: string) => await life.people.reviewComment(request, "mia", text, null);
  const asNow = (change: (body: string) => string | null) => {
    const listReviewThreads: typeof life.tracker.listReviewThreads = async (project, number) =>
      (await life.tracker.listReviewThreads(project, number)).map((thread) => ({
        ...thread,
        comments: thread.comments.flatMap((comment) => {
          const body = change(comment.body);
          return body === null ? [] : [{ ...comment, body }];
        }),
      }));
    return { codeHostFor: async () => await Promise.resolve({ ...life.tracker, listReviewThreads }) };
  };
  expect(await life.tell(issue, await wish("Please use a loop."))).toMatchObject({ state: "queued" });
  expect(
    await life.worksOn(
      issue,
      asNow(() => null),
    ),
  ).toMatchObject({ state: "in_review" });
  expect(await runsOf(life, issue)).toEqual(["plan done", "review cancelled"]);
  expect(told).toEqual([]);

  expect(await life.tell(issue, await wish("Please round it up."))).toMatchObject({ state: "queued" });
  await life.worksOn(
    issue,
    asNow((body) => (body.includes("loop") ? null : body.replace("up", "down"))),
  );
  // Nothing was edited in the tracker itself, so another run may follow.
  expect((await runsOf(life, issue)).slice(0, 3)).toEqual(["plan done", "review cancelled", "review done"]);
  expect(told[0]).toContain("Please round it down.");
  expect(told[0]).not.toMatch(/round it up|a loop/);
});

test("what was said to a wish stands in its thread, and a run for nothing ends, whatever is taken back while no worker has it (R-WORK-9)", async () => {
  const agent = agentOf(mends, idle, async (request) => {
    await writes("src/cart.ts", "export const total = () => 0;\n")(request);
    await writes(`${NOTES}/${ANSWERS_FILE}`, "## 1\nThe loop is there.\n## 2\nIt is rounded.\n")(request);
  });
  const life = await openWorking(agent);
  const { issue, request } = await inReview(life);
  await life.people.reviewComment(request, "mia", "Please use a loop.", null);
  const asked = await life.people.reviewComment(request, "mia", "Please round it.", null);
  expect(await life.tell(issue, asked)).toMatchObject({ state: "queued" });
  const withSource: typeof life.work.withSource = async (_, look) =>
    await look({
      code: life.code,
      defaultBranch: "main",
      remote: { url: "http://127.0.0.1:1/shop.git" },
      refresh: async () => await Promise.resolve(),
    });
  const told: string[] = [];
  const log = { ...silentLog, info: (_: unknown, message: string) => void told.push(message) };
  await expect(life.worksOn(issue, { withSource, log })).rejects.toMatchObject({ retryable: true });
  expect(told).toContain("run interrupted; it goes on later");
  const listReviewThreads: typeof life.tracker.listReviewThreads = async (project, number) =>
    (await life.tracker.listReviewThreads(project, number)).filter(
      ({ comments }) => !comments.some(({ body }) => body.includes("loop.")),
    );
  const codeHostFor = async () => await Promise.resolve({ ...life.tracker, listReviewThreads });
  expect(await life.worksOn(issue, { codeHostFor })).toMatchObject({ state: "in_review" });
  const threads = await life.tracker.listReviewThreads("shop", request.number);
  const answers = threads.flatMap(({ comments }) => comments.filter(({ author }) => author === BOT));
  expect(answers.map(({ body }) => body)).toEqual([expect.stringContaining("> It is rounded.")]);

  const another = await life.people.reviewComment(request, "mia", "Other words, please.", null);
  await life.tell(issue, another);
  const down = async () => await Promise.reject(new RelayError("unavailable", "it is down", { retryable: true }));
  const away = async () => await Promise.resolve({ ...life.tracker, listReviewThreads: down });
  await expect(life.worksOn(issue, { codeHostFor: away })).rejects.toMatchObject({ code: "unavailable" });
  const { id } = await life.taskOf(issue);
  // A worker finds that all was taken back, and dies.
  const waiting = await listOpenFeedback(life.db, id);
  await markFeedbackAnswered(
    life.db,
    id,
    waiting.map(({ externalId }) => externalId),
  );
  const runs = agent.runs();
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(agent.runs()).toBe(runs);
});

test("a question in the review is answered once in its thread, without a run, and starts none later (R-WORK-9)", async () => {
  const agent = agentOf(mends, idle, idle);
  const life = await openWorking(agent);
  const { issue, request } = await inReview(life);
  const { people } = life;
  const answers = async () =>
    (await life.tracker.listReviewThreads("shop", request.number)).map(({ comments }) =>
      comments.filter(({ author }) => author === BOT).map(({ body }) => body.replace(/\n\n<!--.*/, "")),
    );
  const runs = agent.runs();
  await people.reviewComment(request, "mia", "Is this also safe for null?", null);
  const why = "Why did you use a map here?";
  const asked = await people.reviewComment(request, "mia", why, { path: "src/cart.ts", line: 2 });
  for (let again = 0; again < 2; again += 1) {
    expect(await life.tell(issue, asked)).toMatchObject({ state: "in_review" });
    expect((await answers()).map((each) => each.length)).toEqual([1, 1]);
  }
  const [[onRequest = ""] = [], [onLine = ""] = []] = await answers();
  expect(onRequest).toMatch(/^I can’t answer this without a model; /);
  expect(onLine).toMatch(/^The change there:\n\n```diff\n[^]*^[+-][^]*\n```\n\n/m);
  expect(onLine).toMatch(/The agreed plan says:\n\n\d+\. /);
  for (const answer of [onRequest, onLine]) {
    expect(answer).not.toContain(".md");
    expect(answer).toContain("“Please change …”");
  }
  expect(onLine).toContain("src/cart.ts");
  expect(await runsOf(life, issue)).toEqual(["plan done"]);

  const wish = await people.reviewComment(request, "mia", "Please change it to a loop.", null);
  expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
  expect(await listOpenFeedback(life.db, (await life.taskOf(issue)).id)).toMatchObject([
    { content: "Please change it to a loop." },
  ]);
  expect(agent.runs()).toBe(runs);
});

test("an answer to a question whose reply was lost is not said twice (R-IN-13)", async () => {
  let sent = 0;
  const life = await openWorking(agentOf(mends), (deps) => ({
    codeHostFor: async (repository) => {
      const codeHost = await deps.codeHostFor(repository);
      const replyToThread: typeof codeHost.replyToThread = async (...reply) => {
        const comment = await codeHost.replyToThread(...reply);
        if ((sent += 1) > 1) return comment;
        throw new RelayError("unavailable", "the answer was lost", { retryable: true });
      };
      return { ...codeHost, replyToThread };
    },
  }));
  const { issue, request } = await inReview(life);
  const asked = await life.people.reviewComment(request, "mia", "Why a map?", null);
  expect(await life.tell(issue, asked)).toMatchObject({ state: "in_review" });
  expect(await life.tell(issue, asked)).toMatchObject({ state: "in_review" });
  const [thread] = await life.tracker.listReviewThreads("shop", request.number);
  expect(thread?.comments.map(({ author }) => author)).toEqual(["mia", BOT]);
  expect(sent).toBe(1);
  expect(await runsOf(life, issue)).toEqual(["plan done"]);
});

test("a merge while more is done about a request ends that, too", async () => {
  const begun: string[] = [];
  const life = await openWorking(agentOf(mends, idle, hangs(begun)));
  const { issue, request } = await inReview(life);
  const wish = await life.people.reviewComment(request, "mia", "Please round it.", null);
  expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
  const run = life.worksOn(issue);
  await expect.poll(() => begun.length).toBe(1);
  expect(await life.tell(issue, await life.people.mergeRequest(request, "mia"))).toMatchObject({ state: "done" });
  expect(await run).toMatchObject({ state: "done" });
  expect(await runsOf(life, issue)).toEqual(["plan done", "review cancelled"]);
  expect(await life.git("rev-list", "--count", `main..${BRANCH}`)).toBe("1");
});
