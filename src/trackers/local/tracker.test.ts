import { describeTracker } from "../../../test/contracts/tracker.ts";
import { freshDatabase } from "../../../test/database.ts";
import { systemClock } from "../../lib/clock.ts";
import { snowflakes } from "../../lib/ids.ts";
import { localPeople } from "./people.ts";
import { localTracker } from "./tracker.ts";

async function setUp() {
  const { db } = await freshDatabase();
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
  return { people, issue, tracker: localTracker(db, { bot: "relay", ...deps }) };
}

describeTracker("the local tracker", async () => {
  const { people, issue, tracker } = await setUp();
  return {
    issue,
    tracker,
    people: {
      comment: async (address, login, body) => ({ id: (await people.comment(address, login, body)).commentId ?? "" }),
      editComment: async (address, id, login, body) => void (await people.editComment(address, id, login, body)),
      deleteComment: async (address, id, login) => void (await people.deleteComment(address, id, login)),
      setPermission: async (project, login, permission) => await people.setMember(project, login, permission),
    },
  };
});
