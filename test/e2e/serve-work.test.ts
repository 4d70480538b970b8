import { isStatusComment } from "../../src/domain/marker.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { listRunning } from "../../src/storage/runs.ts";
import { STORIES_ASKED_FOR } from "./faults/options.ts";
import { SCRAPE } from "../support/web-server.ts";
import { githubAppPlace, githubPlace } from "./hosted-github.ts";
import { gitlabPlace } from "./hosted-gitlab.ts";
import { PATIENT, agree, openServing } from "./serving-fixture.ts";

/** Of a machine that has much else to do. */
const TIMEOUT = 240_000;

/** The same on another tracker, and with credentials that change: with the other long stories. */
const LONG = STORIES_ASKED_FOR ? [["GitLab", gitlabPlace] as const, ["GitHub as an App", githubAppPlace] as const] : [];

test.each([["GitHub", githubPlace] as const, ...LONG])(
  "on %s, what was agreed to becomes one request, which follows its review until it is merged (R-WORK-7, R-WORK-9)",
  async (_, open) => {
    const place = await open();
    const serving = await openServing(place);
    const { only, git } = serving;
    await serving.start("web,planner,worker");
    const issue = await agree(serving);
    const shown = async (label: string) =>
      await expect.poll(() => place.issue(issue).labels, PATIENT).toEqual(["bug", label]);
    await shown("relay:review");
    const first = only();
    // A way without detours: at most four comments beside the status comment (R-LIFE-9).
    const spoken = () => place.issue(issue).said.flatMap(({ author, body }) => (author === place.bot ? [body] : []));
    const asked = spoken().filter((body) => !isStatusComment(body));
    expect(asked.length).toBeLessThanOrEqual(4);
    await expect
      .poll(() => spoken().filter(isStatusComment), PATIENT)
      .toEqual([expect.stringMatching(new RegExp(`^\\*\\*The change is in \\[[#!]${first.number}\\]\\(http`))]);
    expect(first).toMatchObject({
      title: expect.stringMatching(/^fix: /),
      body: expect.stringMatching(new RegExp(`Closes #${issue}\\b`)),
      branch: `fix/${issue}-october-export-has-wrong-invoices`,
      head: await git("rev-parse", `refs/heads/fix/${issue}-october-export-has-wrong-invoices`),
      reviewers: expect.arrayContaining(["otto"]),
      state: "open",
    });
    expect(first.reviewers).not.toContain(place.bot);
    // The patch changes a file that the plan does not name.
    expect(first.labels).toEqual(["risk:medium"]);
    expect(await git("show", `${first.head}:src/export/period.js`)).not.toContain("dayIn");
    expect(await git("log", "--format=%ae", `main..${first.head}`)).toMatch(/^\d+[+-].+@users\.noreply\./);

    const thread = place.review(first.number, "otto", {
      path: "src/export/period.js",
      line: 9,
      body: "Say why, please.",
    });
    place.review(first.number, "ruthg", { path: "src/export/period.js", line: 3, body: "Rename this, please." });
    await expect.poll(() => place.thread(first.number, thread), PATIENT).toHaveLength(2);
    await shown("relay:review");
    const second = only();
    expect(await git("rev-parse", `${second.head}~1`)).toBe(first.head);
    expect(place.thread(first.number, thread)[1]).toMatchObject({
      author: place.bot,
      body: expect.stringContaining(second.head.slice(0, 10)),
    });

    for (let round = 1; round <= 2; round += 1) {
      const red = only();
      place.check(red, "failed", "error: line 99 is too long");
      await expect.poll(() => only().head, PATIENT).not.toBe(red.head);
      await shown("relay:review");
      expect(await git("rev-parse", `${only().head}~1`)).toBe(red.head);
    }
    const last = only();
    place.check(last, "failed", "error: line 99 is too long");
    const told = () => place.saidOn(last.number).filter(({ body }) => body.includes("<!-- relay:red:"));
    await expect.poll(told, PATIENT).toHaveLength(1);
    expect(only()).toEqual(last);

    place.merge(last.number, issue, "mia");
    await shown("relay:done");
    const tasks = await serving.tasks();
    expect(tasks.map((task) => /Say why|line 99/.exec(task)?.[0])).toEqual([
      undefined,
      "Say why",
      "line 99",
      "line 99",
    ]);
    expect(tasks.join("\n")).not.toContain("Rename this");
    const login = place.login && Buffer.from(`${place.login.username}:${place.login.password}`).toString("base64");
    const basic = login && `Basic ${login}`;
    // The spec, and the commits of each task.
    expect(serving.pushes().map(({ authorization }) => authorization)).toEqual(["the spec", ...tasks].map(() => basic));
    const specs = (await git("ls-tree", "-r", "--name-only", "relay/specs")).split("\n");
    expect(specs).toEqual([
      expect.stringMatching(new RegExp(`^issue_\\d+_${place.provider}_${issue}_[\\w-]+/spec\\.md$`)),
    ]);
    expect(last.body).toContain(await git("rev-parse", "relay/specs"));
    expect(place.thread(first.number, thread)).toHaveLength(2);
    await expect.poll(() => spoken().filter(isStatusComment), PATIENT).toEqual([expect.stringContaining("Done: ")]);
    expect(spoken().filter((body) => !isStatusComment(body))).toEqual(asked);
  },
  TIMEOUT,
);

test(
  "a run goes on with another worker, at once when its worker is told to stop, and after it was killed (R-WORK-8)",
  async () => {
    const place = await githubPlace();
    const serving = await openServing(place);
    const { db, tasks, hold, only, git } = serving;
    const { address } = await serving.start("web,planner");
    await hold(true);
    const first = await serving.start("worker");
    const issue = await agree(serving);
    await expect.poll(tasks, PATIENT).toHaveLength(1);
    const running = await listRunning(db);
    expect(running).toHaveLength(1);
    expect(await first.signal("SIGTERM")).toBe(0);
    expect(first.said.err).not.toContain("broke off");

    const second = await serving.start("worker");
    await expect.poll(tasks, PATIENT).toHaveLength(2);
    await second.signal("SIGKILL");
    const followed = serving.command(["log", String(issue), "--follow"]);
    await hold(false);
    await serving.start("worker");
    await expect
      .poll(() => place.issue(issue).labels, { ...PATIENT, timeout: 120_000 })
      .toEqual(["bug", "relay:review"]);
    expect(await tasks()).toHaveLength(3);
    expect(serving.pushes()).toHaveLength(2);
    const branches = await git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads");
    expect(branches).toBe(`${only().branch}\nmain\nrelay/specs`);
    const statuses = place.issue(issue).said.filter(({ body }) => isStatusComment(body));
    expect(statuses).toHaveLength(1);
    const ran = z.object({ id: z.string(), status: z.string() });
    expect(await db.query(ran, "select id, status from runs", [])).toEqual([{ id: running[0], status: "done" }]);
    expect(await followed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Mended the export\.[\s\S]*\ndone, /),
    });
    const shown = await serving.command(["status", String(issue)]);
    expect(shown.out).toMatch(/run done \(plan\) by command, \d iteration\(s\)\n {4}pull request http\S+\/2 \(open\)/);
    const metrics = await (await fetch(`${address}/metrics`, SCRAPE)).text();
    expect(metrics).toMatch(/^relay_runs_total\{outcome="done"\} 1$/m);
    expect(metrics).toMatch(/^relay_runs_running 0$/m);
  },
  TIMEOUT,
);
