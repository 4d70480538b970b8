import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { exec } from "../../src/lib/exec.ts";
import type { Db } from "../../src/storage/db.ts";
import { emptyDatabase } from "../support/database.ts";
import { lineTo } from "../support/database-proxy.ts";
import { serveCode } from "./code-server.ts";
import { PROJECT, TOKEN, githubStage } from "../support/github-fixture.ts";
import * as gitlab from "../mock-gitlab/fixture.ts";
import { relay } from "./cli-harness.ts";
import { checksIn, newSetUpDesk } from "./configured-desk.ts";

const SECRET = "s".repeat(32);

test("doctor finds all well with a GitHub repository, down to fetching its code", async () => {
  const desk = await newSetUpDesk();
  const { mock } = await githubStage();
  const cloneUrl = await serveCode(desk, { username: "x-access-token", password: TOKEN });
  for (const repository of mock.world.repositories.values()) repository.cloneUrl = cloneUrl;
  const env = { GITHUB_API_URL: mock.url, GITHUB_TOKEN: TOKEN, GITHUB_WEBHOOK_SECRET: SECRET };
  const ended = await relay(desk, ["doctor", "--json", "--repo", PROJECT], { env });
  expect(ended).toMatchObject({ code: 0, err: "" });
  const { ok, byName } = checksIn(ended);
  expect(ok).toBe(true);
  expect(byName["GitHub credentials"]?.detail).toBe(`a token of ${TOKEN.length} characters`);
  expect(byName["GitHub webhook secret"]?.detail).toBe("32 characters");
  expect(byName[`GitHub access to ${PROJECT}`]?.ok).toBe(true);
  expect(byName[`GitHub code of ${PROJECT}`]?.detail).toContain("its default branch is main");
  expect(byName[`GitHub specs of ${PROJECT}`]?.detail).toBe("the branch relay/specs can be pushed");
  expect(byName[`GitHub .relay.yml of ${PROJECT}`]).toMatchObject({ ok: true, detail: "mode plan" });
  expect(byName["model of planner"]?.detail).toContain("offline");
  expect(byName["database"]?.detail).toContain("PostgreSQL");
  expect(ended.out).not.toContain(TOKEN);
  expect(ended.out).not.toContain(SECRET);
  // What is not set up is not spoken of.
  expect(Object.keys(byName).filter((name) => name.startsWith("GitLab"))).toEqual([]);
});

test("doctor says of each thing that is wrong how to mend it", async () => {
  const desk = await newSetUpDesk();
  const { mock } = await githubStage();
  mock.act({ do: "permit", repo: PROJECT, login: "relay", role: "read" });
  for (const { files } of mock.world.repositories.values()) files.get("main")?.set(".relay.yml", "mod: spec\n");
  const env = {
    GITHUB_API_URL: mock.url,
    GITHUB_TOKEN: TOKEN,
    RELAY_MODEL: "anthropic/some-model",
    ANTHROPIC_API_KEY: "",
  };
  const ended = await relay(desk, ["doctor", "--repo", PROJECT], { env: { ...env, GITLAB_WEBHOOK_SECRET: "short" } });
  expect(ended.code).toBe(1);
  for (const said of [
    /^FAIL {2}model of planner: .*ANTHROPIC_API_KEY.*\n {6}\S/m,
    /^FAIL {2}GitHub webhook secret: GITHUB_WEBHOOK_SECRET is not set.*\n {6}.*docs\/github\.md/m,
    /^FAIL {2}GitHub access to acme\/shop: .*may not write there.*\n {6}\S/m,
    /^FAIL {2}GitHub code of acme\/shop: .*\n {6}see that Relay may read the code/m,
    /^FAIL {2}GitHub \.relay\.yml of acme\/shop: .*“mod”; did you mean “mode”\?.*\n {6}fix \.relay\.yml/m,
    /^FAIL {2}GitLab credentials: nothing is set.*\n {6}set GITLAB_TOKEN; docs\/gitlab\.md/m,
    /^FAIL {2}GitLab webhook secret: .*shorter than 16 characters.*\n {6}.*docs\/gitlab\.md/m,
  ]) {
    expect(ended.out).toMatch(said);
  }
  expect(ended.out).toMatch(/^ok {4}GitHub token: belongs to relay/m);
});

test("doctor tells a token that is refused once, and that a repository is none of those that Relay works in", async () => {
  const desk = await newSetUpDesk();
  const { mock } = await githubStage();
  const env = { GITHUB_API_URL: mock.url, GITHUB_TOKEN: "ghp_" + "x".repeat(36), GITHUB_WEBHOOK_SECRET: SECRET };
  const refused = await relay(desk, ["doctor", "--repo", PROJECT], { env });
  expect(refused.out.match(/^FAIL {2}GitHub.*/gm)).toEqual([expect.stringMatching(/^FAIL {2}GitHub token: /)]);
  const elsewhere = { ...env, GITHUB_TOKEN: TOKEN, RELAY_REPOSITORIES: "acme/other" };
  const { out, code } = await relay(desk, ["doctor", "--repo", PROJECT], { env: elsewhere });
  expect(code).toBe(1);
  expect(out).toContain(`FAIL  repositories: ${PROJECT} is not among those that Relay works in: acme/other\n`);
});

test("doctor says that no change can be pushed, where Relay is to make some", async () => {
  const desk = await newSetUpDesk();
  const { mock } = await githubStage();
  const cloneUrl = await serveCode(desk, { username: "x-access-token", password: TOKEN });
  await exec("git", ["-C", join(desk.folder, "code.git"), "config", "http.receivepack", "false"]);
  for (const repository of mock.world.repositories.values()) repository.cloneUrl = cloneUrl;
  const env = { GITHUB_API_URL: mock.url, GITHUB_TOKEN: TOKEN, GITHUB_WEBHOOK_SECRET: SECRET };
  const failed = async (mode: string) => {
    const { out } = await relay(desk, ["doctor", "--repo", PROJECT], { env: { ...env, RELAY_MODE: mode } });
    return out.match(/^FAIL {2}GitHub.*/gm) ?? [];
  };
  expect(await failed("plan")).toEqual([]);
  expect(await failed("implement")).toEqual([expect.stringContaining(`GitHub pushing to ${PROJECT}: `)]);
});

test("doctor looks at the trackers also without a database", async () => {
  const desk = await newSetUpDesk();
  const { mock, at } = await gitlab.gitlabStage();
  const env = { GITLAB_URL: mock.url, GITLAB_TOKEN: gitlab.TOKEN, GITLAB_WEBHOOK_SECRET: SECRET };
  const database = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/x" };
  const ended = await relay(desk, ["doctor", "--json", "--repo", at.project], { env: { ...env, ...database } });
  expect(ended.code).toBe(1);
  const { byName } = checksIn(ended);
  expect(byName["database"]).toMatchObject({ ok: false, mend: expect.stringContaining("docs/operations.md") });
  expect(byName["GitLab token"]).toMatchObject({ ok: true, detail: expect.stringContaining("belongs to relay") });
  expect(byName["GitLab token scopes"]?.ok).toBe(true);
  expect(byName[`GitLab access to ${at.project}`]?.ok).toBe(true);
});

test("doctor is not confused by two trackers", async () => {
  const desk = await newSetUpDesk();
  const [{ mock }, other] = [await githubStage(), await gitlab.gitlabStage()];
  const env = {
    ...{ GITHUB_API_URL: mock.url, GITHUB_TOKEN: TOKEN, GITHUB_WEBHOOK_SECRET: SECRET },
    ...{ GITLAB_URL: other.mock.url, GITLAB_TOKEN: gitlab.TOKEN, GITLAB_WEBHOOK_SECRET: SECRET },
  };
  expect(await relay(desk, ["doctor", "--json", "--repo", PROJECT], { env })).toMatchObject({
    code: 2,
    err: expect.stringContaining("say which with --tracker"),
  });
  const both = checksIn(await relay(desk, ["doctor", "--json"], { env }));
  expect(both.ok).toBe(true);
  expect(Object.keys(both.byName)).toEqual(expect.arrayContaining(["GitHub token", "GitLab token"]));
  const one = checksIn(await relay(desk, ["doctor", "--json", "--tracker", "github", "--repo", PROJECT], { env }));
  expect(one.byName[`GitHub access to ${PROJECT}`]?.ok).toBe(true);
  expect(Object.keys(one.byName).filter((name) => name.startsWith("GitLab"))).toEqual([]);
});

test("doctor says that repositories are named and nobody can go there", async () => {
  const desk = await newSetUpDesk();
  const named = checksIn(await relay(desk, ["doctor", "--json"], { env: { RELAY_REPOSITORIES: "acme/shop" } }));
  expect(named.byName["trackers"]).toMatchObject({ ok: false, mend: expect.stringContaining("GITLAB_TOKEN") });
  const wanted = checksIn(await relay(desk, ["doctor", "--json", "--tracker", "github"]));
  expect(wanted.byName["GitHub credentials"]).toMatchObject({
    ok: false,
    mend: expect.stringContaining("--github-app"),
  });
});

const relations = z.object({ count: z.number() });

async function countRelations(db: Db): Promise<number> {
  const sql = `select count(*)::int as count from pg_class
    where relnamespace in (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')`;
  return (await db.one(relations, sql, [])).count;
}

test("doctor looks at the database and changes nothing in it, whatever it holds", async () => {
  const desk = await newSetUpDesk();
  const { db, connection } = await emptyDatabase();
  const { url: DATABASE_URL } = await lineTo(connection);
  const look = async () =>
    checksIn(await relay(desk, ["doctor", "--json"], { env: { DATABASE_URL } })).byName["database"];
  expect(await look()).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/empty, \d+ migrations .*relay serve/),
  });
  expect(await countRelations(db)).toBe(0);
  await db.execute("create table articles (id bigint)", []);
  const foreign = expect.stringContaining("holds tables of something else (articles)");
  expect(await look()).toMatchObject({ ok: false, detail: foreign, mend: expect.stringContaining("operations.md") });
  expect(await countRelations(db)).toBe(1);
  // Nor does any other command make tables beside those.
  expect(await relay(desk, ["status"], { env: { DATABASE_URL } })).toMatchObject({ code: 2, err: foreign });
  expect(await relay(desk, ["serve", "--port", "0"], { env: { DATABASE_URL } })).toMatchObject({
    code: 2,
    err: foreign,
  });
  expect(await countRelations(db)).toBe(1);
});

test("doctor says that a database is older or newer than this Relay", async () => {
  const desk = await newSetUpDesk();
  const look = async () => checksIn(await relay(desk, ["doctor", "--json"])).byName["database"];
  expect((await look())?.detail).not.toContain("migrat");
  await desk.db.execute("insert into schema_migrations (name, sha256) values ('9999_newer.sql', '')", []);
  expect(await look()).toMatchObject({
    ok: false,
    detail: expect.stringContaining("newer Relay (it has 9999_newer.sql)"),
  });
  await desk.db.execute("delete from schema_migrations where name >= '9'", []);
  await desk.db.execute("delete from schema_migrations where name = (select max(name) from schema_migrations)", []);
  const before = await countRelations(desk.db);
  expect(await look()).toMatchObject({
    ok: true,
    detail: expect.stringContaining("not up to date, 1 migration to come"),
  });
  expect(await countRelations(desk.db)).toBe(before);
});

test("a variable that Relay does not know is told by doctor, by commands and at the start, and fails none of them", async () => {
  const desk = await newSetUpDesk();
  const env = { RELAY_WEBHOOK_SECRETT: "x" };
  const said =
    "RELAY_WEBHOOK_SECRETT is no variable of Relay's; did you mean GITHUB_WEBHOOK_SECRET or GITLAB_WEBHOOK_SECRET?";
  const text = await relay(desk, ["doctor"], { env });
  expect(text).toMatchObject({ code: 0, out: expect.stringContaining(`warn  settings: ${said}\n      correct it`) });
  expect(await relay(desk, ["status", "--json"], { env })).toMatchObject({ code: 0, err: `relay: ${said}\n` });
  const wrong = await relay(desk, ["serve"], { env: { ...env, RELAY_MODEL_PRICES: "no-such.json" } });
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("the price table no-such.json cannot be used") });
  const served = await relay(desk, ["serve", "--host", "nowhere.invalid"], { env });
  expect(served.err).toContain(JSON.stringify(said));
});
