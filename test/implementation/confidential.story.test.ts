import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TASK_FILE } from "../../src/implementation/run/notes.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";
import { type Deed, agentOf, agreed, mends, openWorking } from "../support/working-relay.ts";
import { openOn } from "../support/find-open-request.ts";
import { moment, planOf, planned, say } from "../support/planning-relay.ts";

/** Words that only the issue, its answers, the plan and the agent have. */
const SECRETS = /total|cart|throw|expected|Acme Bank/i;

interface Veil {
  confidential: boolean;
  isPrivate: boolean;
}

/** A Relay at a tracker whose issues can be confidential. */
async function openVeiled(veil: Veil, deed: Deed = mends) {
  return await openWorking(agentOf(deed), (deps) => ({
    trackerFor: async (repository) => {
      const tracker = await deps.trackerFor(repository);
      return {
        ...tracker,
        hasConfidentialIssues: true,
        getIssue: async (address) => ({ ...(await tracker.getIssue(address)), confidential: veil.confidential }),
      };
    },
    codeHostFor: async (repository) => {
      const codeHost = await deps.codeHostFor(repository);
      const getProject = async (project: string) => ({
        ...(await codeHost.getProject(project)),
        isPrivate: veil.isPrivate,
      });
      return { ...codeHost, getProject };
    },
  }));
}

test("of a confidential issue in a repository of many readers, branch, commits and request tell its number only (R-SAFE-11)", async () => {
  const tasks: string[] = [];
  const quotes: Deed = async (request) => {
    tasks.push(await readFile(join(request.directory, NOTES, TASK_FILE), "utf8"));
    await mends(request);
    return { summary: "Acme Bank's cart now has a total of 0." };
  };
  const life = await openVeiled({ confidential: true, isPrivate: false }, quotes);
  const issue = await planned(life);
  const plan = (await life.said(issue)).find((body) => body.includes("<!-- relay:plan:"));
  expect(plan).toContain("This issue is confidential, and its repository can be read by more people.");
  expect(plan).toContain("the branch `fix/1-issue`");
  expect(plan).toContain("titled `Fix #1`");
  await moment();
  await say(life, issue, "mia", "yes");
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const request = await openOn(life.tracker, "shop", "fix/1-issue");
  expect(request?.title).toBe("Fix #1");
  expect(request?.body).toContain("Closes #1");
  // The file that changed is in the commit anyway.
  expect(request?.body.replaceAll("src/cart.ts", "")).not.toMatch(SECRETS);
  expect(await life.git("log", "--format=%s", "main..fix/1-issue")).toBe("fix: carry out the plan (#1)");
  const message = await life.git("log", "--format=%B", "main..fix/1-issue");
  expect(message.replaceAll("src/cart.ts", "")).not.toMatch(SECRETS);
  expect(tasks[0]).toContain("The issue is confidential");
});

test("a confidential issue of a private repository is worked on as any other", async () => {
  const life = await openVeiled({ confidential: true, isPrivate: true });
  const issue = await agreed(life);
  await life.worksOn(issue);
  expect((await openOn(life.tracker, "shop", "fix/1-wrong-total-cart"))?.title).toMatch(/^fix: .*total/);
});

test.each([
  ["the issue became confidential", { confidential: false, isPrivate: false }, { confidential: true }],
  ["the repository became readable by more people", { confidential: true, isPrivate: true }, { isPrivate: false }],
])(
  "what was agreed to before %s is not pushed; a new plan asks for another yes (R-SAFE-11)",
  async (_, veil, change) => {
    const life = await openVeiled(veil, async (request) => {
      await mends(request);
      Object.assign(veil, change);
    });
    const issue = await agreed(life);
    await life.worksOn(issue);
    expect(await life.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")).toBe("main");
    expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
    expect(await planOf(life, issue)).toMatchObject({
      version: 2,
      status: "posted",
      plan: { branch_name: "fix/1-issue" },
    });
    await moment();
    await say(life, issue, "mia", "yes");
    expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
    expect((await openOn(life.tracker, "shop", "fix/1-issue"))?.title).toBe("Fix #1");
  },
);
