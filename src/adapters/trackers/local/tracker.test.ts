import { describeTracker } from "../../../../test/contracts/tracker.ts";
import { freshDatabase } from "../../../../test/support/database.ts";
import { systemClock } from "../../../lib/clock.ts";
import { snowflakes } from "../../../lib/ids.ts";
import { type LocalCode, NO_CODE } from "./projects.ts";
import { localPeople } from "./people.ts";
import { localTracker } from "./tracker.ts";

async function setUp() {
  const { db } = await freshDatabase();
  const branches = new Set<string>();
  const files = new Map<string, string>();
  const code: LocalCode = {
    ...NO_CODE,
    defaultBranch: async () => await Promise.resolve("main"),
    branchExists: async (_, branch) => await Promise.resolve(branches.has(branch)),
    readFile: async (_, path) => await Promise.resolve(files.get(path) ?? null),
  };
  const deps = { clock: systemClock, ids: snowflakes() };
  const people = localPeople(db, deps);
  await people.createProject("demo");
  await people.setMember("demo", "relay", "write", true);
  await people.setMember("demo", "ann", "read");
  await people.setMember("demo", "bob", "read");
  const opened = await people.openIssue("demo", {
    number: 7,
    title: "Broken",
    body: "It is.",
    author: "ann",
    labels: ["bug"],
    assignees: ["bob"],
    url: null,
    createdAt: new Date("2026-03-01T00:00:00Z"),
  });
  const issue = { provider: opened.provider, externalProjectId: "demo", externalIssueId: opened.externalIssueId };
  return { people, issue, branches, files, tracker: localTracker(db, { bot: "relay", code, ...deps }) };
}

describeTracker("the local tracker", async () => {
  const { people, issue, tracker, branches, files } = await setUp();
  return {
    issue,
    tracker,
    people: {
      comment: async (address, login, body) => ({ id: (await people.comment(address, login, body)).commentId ?? "" }),
      editComment: async (address, id, login, body) => void (await people.editComment(address, id, login, body)),
      deleteComment: async (address, id, login) => void (await people.deleteComment(address, id, login)),
      setPermission: async (project, login, permission) => await people.setMember(project, login, permission),
      openIssue: async (project, login, assignees) => {
        const { externalIssueId } = await people.openIssue(project, {
          ...{ number: null, title: "Another", body: "", author: login, labels: [], url: null },
          ...{ assignees, createdAt: new Date() },
        });
        return externalIssueId;
      },
      makeBranch: async (_, branch) => await Promise.resolve(void branches.add(branch)),
      putFile: async (_, path, text) => await Promise.resolve(void files.set(path, text)),
    },
  };
});
