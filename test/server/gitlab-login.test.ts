import { expect, onTestFinished, test } from "vitest";
import { loginsOf } from "../../src/app/people/logins.ts";
import { openConnection } from "../../src/app/trackers/connections.ts";
import { configWithoutFile } from "../../src/config/config.ts";
import { silentLog } from "../../src/lib/log.ts";
import { connectRepository } from "../../src/storage/repositories.ts";
import { APPLICATION } from "../mock-gitlab/oauth.ts";
import { startMockGitlab } from "../mock-gitlab/server.ts";
import { openDashboard } from "../support/dashboard.ts";
import { openLife } from "../support/relay.ts";
import { PUBLIC_URL, browserAt } from "../support/tracker-logins.ts";

/** A private project on GitLab with people of several roles, and a Relay with the login by GitLab. */
async function open() {
  const life = await openLife();
  const gitlab = await startMockGitlab();
  onTestFinished(async () => await gitlab.close());
  const { people } = gitlab;
  for (const name of ["gina", "rita", "eve", "relay"]) people.user(name);
  people.project("group/shop");
  people.member("group/shop", "gina", 10);
  people.member("group/shop", "rita", 20);
  people.member("group/shop", "relay", 30);
  people.token("relay", "glpat-relay");
  const env = {
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: "glpat-relay",
    GITLAB_CLIENT_ID: APPLICATION.id,
    GITLAB_CLIENT_SECRET: APPLICATION.secret,
    RELAY_PUBLIC_URL: PUBLIC_URL,
  };
  const config = configWithoutFile(env);
  const about = { externalProjectId: "group/shop", isPrivate: true, cloneSource: null, botUsername: "relay" };
  await connectRepository(life.db, { workspace: "default", provider: "gitlab", baseUrl: gitlab.url, ...about }, life);
  const deps = { db: life.db, clock: life.clock, sleep: life.sleep, log: silentLog, env };
  const trackerOf = async () => {
    const connection = await openConnection("gitlab", config, deps);
    if (connection === null) throw new Error("there are credentials");
    return await connection.tracker();
  };
  const dashboard = await openDashboard(life, { logins: loginsOf(config, env), trackerOf, publicUrl: PUBLIC_URL });
  const browser = browserAt(dashboard.address, gitlab.url);
  const logInAs = async (login: string) => {
    const asked = (await browser.open("/login/gitlab?to=/issues")).headers.get("location") ?? "";
    const said = await fetch(`${asked}&as=${login}`, { redirect: "manual" });
    return await browser.open((said.headers.get("location") ?? "").replace(PUBLIC_URL, ""));
  };
  return { ...browser, logInAs, gitlab };
}

test("who reads the code of a private project logs in by GitLab; a guest, who does not, and a stranger do not", async () => {
  const { logInAs, open: visit, gitlab } = await open();
  expect((await logInAs("gina")).status).toBe(403);
  expect((await logInAs("eve")).status).toBe(403);
  expect((await logInAs("rita")).headers.get("location")).toBe("/issues");
  expect((await visit("/issues")).status).toBe(200);
  expect((await visit("/queue")).status).toBe(404);
  // The token that told who they are is revoked: only Relay's own is left.
  expect([...gitlab.state.tokens.keys()]).toEqual(["glpat-relay"]);
  expect(gitlab.violations).toEqual([]);
});
