import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { z } from "zod";
import { environmentWith } from "../../../src/lib/exec.ts";
import { isRecord } from "../../../src/lib/text.ts";
import type { IssueAddress } from "../../../src/domain/issue.ts";
import type { Db } from "../../../src/storage/db.ts";
import { proposeLearning } from "../../../src/storage/learnings.ts";
import { type ApiDocument, type Told, openApi } from "../../support/api.ts";
import { addManyIssues } from "../../support/many-issues.ts";
import { openPlanning, planned } from "../../support/planning-relay.ts";
import { openLife } from "../../support/relay.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FILE = join(ROOT, "docs/openapi.json");

test("docs/openapi.json is what the server tells; update it with `npx vitest run test/server/api -u`", async () => {
  const { get } = await openApi(await openLife());
  const told = await get("/openapi.json");
  await expect(`${JSON.stringify(told.json, null, 2)}\n`).toMatchFileSnapshot(FILE);
});

test("it is a document of OpenAPI 3.1 in which redocly finds no problem", async () => {
  const env = environmentWith({ REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" });
  const redocly = join(ROOT, "node_modules/.bin/redocly");
  const { stdout } = await promisify(execFile)(redocly, ["lint", FILE, "--format=json"], {
    env,
    cwd: import.meta.dirname,
  });
  const { totals } = z.object({ totals: z.object({ errors: z.int(), warnings: z.int() }) }).parse(JSON.parse(stdout));
  expect([stdout, totals]).toEqual([expect.anything(), { errors: 0, warnings: 0 }]);
});

test("every route is in the document, and all that the document names is a route", async () => {
  const { document, call } = await openApi(await openLife());
  const { paths } = await document();
  const named = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method })),
  );
  expect(named.length).toBeGreaterThan(40);
  for (const { path, method } of named) {
    // Whatever a path holds: a route answers something other than that it takes another method.
    const { status } = await call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "1"));
    expect([path, method, status]).toEqual([path, method, expect.not.toSatisfy((code: number) => code === 405)]);
    const others = ["GET", "POST", "PATCH", "DELETE", "PUT"].filter(
      (other) => !(other.toLowerCase() in (paths[path] ?? {})),
    );
    for (const other of others) {
      const refused = await call(other, path.replaceAll(/\{\w+\}/g, "1"));
      expect([path, other, refused.status, refused.json]).toEqual([path, other, 405, { error: expect.any(String) }]);
    }
  }
});

test("every GET answers what the document says, and no field that it does not name", async () => {
  const life = await openPlanning();
  const address = await planned(life);
  const { id } = await life.existing(address);
  const said = {
    type: "code_learnings",
    content: "Totals are in cents.",
    proposedBy: "mia",
    sourceMessageId: "1",
  } as const;
  await proposeLearning(life.db, id, said, life);
  await addManyIssues(life.db, { repositories: 2, issues: 100, messagesPerIssue: 3 });
  await life.db.execute(`update deliveries set dead_lettered_at = now(), error = 'it broke' where id % 7 = 0`, []);
  const { document, get } = await openApi(life);
  const told = await document();
  const validatorOf = validators(told);
  const row = await life.db.one(
    z.object({ project: z.string(), number: z.string(), id: z.string(), call: z.string() }),
    `select r.external_project_id as project, s.external_issue_id as number, s.id,
         (select max(id)::text from llm_evals e where e.issue_id = s.id) as call
       from issues s join repositories r on r.id = s.repository_id where s.state = 'in_review' limit 1`,
    [],
  );
  await life.db.execute(`update runs set facts = $2 where issue_id = $1`, [row.id, JSON.stringify(FACTS)]);
  const issueOf = {
    plain: localIssue("shop", "1"),
    rich: localIssue(row.project, row.number),
  };
  const values = (one: IssueAddress): Record<string, string> => ({
    provider: one.provider,
    project: one.externalProjectId,
    number: one.externalIssueId,
    version: "1",
    run: row.id,
    id: row.call,
  });
  const paths = Object.entries(told.paths).filter(([, methods]) => "get" in methods);
  const failed: unknown[] = [];
  for (const [path] of paths) {
    // Two versions of a spec, which the many do not have; its code is the other's.
    const of = path.endsWith("/diff") || path.endsWith("/dossier") ? issueOf.plain : issueOf.rich;
    if (path.endsWith("/diff")) await secondVersion(life.db, id);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values(of)[name] ?? ""));
    const answer = await get(filled);
    const problems = answer.status === 200 ? validatorOf(path, answer) : answer.text;
    if (problems !== null) failed.push({ path: filled, problems });
  }
  expect(failed).toEqual([]);
});

/** One iteration with everything that an iteration can have. */
const FACTS = {
  wishes: [{ from: "bob", path: "src/a.ts", line: 3, text: "Add a test." }],
  iterations: [
    {
      number: 1,
      commit: "c".repeat(40),
      tree: "t",
      agent: {
        ending: "finished",
        detail: "",
        summary: "Done.",
        denied: ["rm"],
        usable: true,
        question: null,
        done: "yes",
        answers: [],
      },
      checks: [
        {
          kind: "test",
          command: "npm test",
          outcome: "passed",
          code: 0,
          seconds: 1,
          output: "ok",
          tests: { total: 2, failed: 0, skipped: 0, red: [], ran: ["a"], ranAre: "files", by: "report" },
        },
      ],
      undone: [{ path: ".env", why: "secret", detail: "a key" }],
      changedFiles: 1,
      untouched: ["src/b.ts"],
      usd: 0.1,
      priced: true,
      seconds: 3,
      proof: { commit: "c".repeat(40), proving: ["a"], none: false },
      concerns: {
        commit: "c".repeat(40),
        all: [{ kind: "unproven", path: null, agreed: false, names: [], numbers: { tests: 1 } }],
      },
    },
  ],
};

function localIssue(externalProjectId: string, externalIssueId: string): IssueAddress {
  return { provider: "local", externalProjectId, externalIssueId };
}

async function secondVersion(db: Db, issueId: string): Promise<void> {
  await db.execute(
    `insert into specs (id, issue_id, version, ref, complexity, complexity_reason, validation_status, summary, changelog,
       metadata, commit, created_at, content)
     select id + 1, issue_id, 2, ref || jsonb_build_object('sha256', repeat('a', 64)), complexity, complexity_reason, validation_status, summary, 'ann asked',
       metadata, commit, created_at, replace(content, 'the result is 0', 'the result is nothing')
     from specs where issue_id = $1`,
    [issueId],
  );
}

/** What is wrong with an answer; null if nothing is. */
function validators(document: ApiDocument): (path: string, answer: Told) => unknown {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(z.record(z.string(), z.unknown()).parse(strictly(document)), "api");
  return (path, answer) => {
    const media = /^[^;]*/.exec(answer.headers.get("content-type") ?? "")?.[0] ?? "";
    const place = ["paths", path, "get", "responses", "200", "content", media, "schema"];
    const check = ajv.compile({ $ref: `api#/${place.map(inPointer).join("/")}` });
    return check(media === "application/json" ? answer.json : answer.text) ? null : check.errors;
  };
}

function inPointer(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** The document says nothing of further fields, since there may be more later; here each is named. */
function strictly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strictly);
  if (!isRecord(value)) return value;
  const own = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, strictly(one)]));
  return isRecord(value["properties"]) && value["type"] === "object" ? { additionalProperties: false, ...own } : own;
}
