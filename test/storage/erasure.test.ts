import { expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../support/database.ts";

/** Tables whose rows outlive the issues that they may tell of, each with the reason why nothing of an issue stays in it. */
const OUTLIVES: Record<string, string> = {
  account_permissions: "what an account may do in a repository, for an hour",
  accounts: "logins of people, at whatever issue they were",
  api_requests: "`forgetRequests` removes those of an issue; all go after a day",
  api_tokens: "tokens of people",
  audit_log: "entries of an issue go with it; one says that it was forgotten",
  begun_logins: "logins to the page",
  deliveries: "`forgetDeliveries` removes those of an issue, its requests and its branches",
  fences: "numbers",
  figures: "numbers",
  figures_added: "numbers",
  integrations: "trackers",
  issues: "the row itself is deleted",
  learnings: "`forgetLearnings` removes proposals; what somebody approved is a rule of the repository",
  llm_evals: "`redactEvals` keeps the cost alone",
  local_checks: "the local tracker removes those of an issue’s commits",
  local_issues: "the local tracker removes it",
  local_labels: "labels of a project",
  local_members: "who belongs to a project",
  local_projects: "projects",
  local_pull_requests: "the local tracker removes those of an issue",
  login_tries: "logins to the page",
  notices: "those of an issue go with it; the others name dead letters and budgets",
  repositories: "repositories",
  run_totals: "numbers",
  schema_migrations: "migrations",
  sessions: "sessions of the page",
  set_up_tries: "what setting a repository up said at a commit",
  spending_days: "numbers",
  tracker_quotas: "numbers",
  workspaces: "workspaces",
};

test("a table goes with the issue that it belongs to, or says why nothing of it stays", async () => {
  const { db } = await freshDatabase();
  const names = z.object({ name: z.string() });
  const kept = await db.query(
    names,
    `with recursive goes as (
       select 'issues'::regclass::oid as id union select 'local_issues'::regclass union select 'local_pull_requests'::regclass
       union select c.conrelid from pg_constraint c join goes g on g.id = c.confrelid
       where c.contype = 'f' and c.confdeltype = 'c' and not exists (
         -- null where it belongs to no issue
         select from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and not a.attnotnull)
     )
     select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and (oid not in (select id from goes)
       or relname in ('issues', 'local_issues', 'local_pull_requests'))
     order by relname collate "C"`,
    [],
  );
  expect(kept.map(({ name }) => name)).toEqual(Object.keys(OUTLIVES));
});
