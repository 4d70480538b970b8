import { describe, expect, test } from "vitest";
import { PROJECT, TOKEN, githubStage } from "../../../../test/support/github-fixture.ts";
import { faultOf } from "../../../../test/mock-github/http/faults.ts";
import type { ConnectionFinding } from "../connection.ts";

const HOOK = "https://relay.example/webhooks/github";

/** What is wrong, by name. */
const wrong = (findings: ConnectionFinding[]) =>
  Object.fromEntries(findings.filter(({ ok }) => !ok).map(({ what, detail, mend }) => [what, `${detail}: ${mend}`]));

async function byAdmin(events: string[] = ["*"]) {
  const stage = await githubStage();
  stage.mock.plant({
    tokens: [{ token: "ghp_admin", login: "olga" }],
    repositories: [
      { name: "acme/blog", collaborators: { olga: "admin" }, hooks: [{ url: HOOK, secret: "s", events }] },
    ],
  });
  const connect = (webhookUrl: string | null) =>
    stage.connect({ credentials: { kind: "token", token: "ghp_admin" }, webhookUrl });
  return { ...stage, connect, hook: stage.mock.world.repository("acme/blog").hooks[0] };
}

describe("the check of a token", () => {
  test("finds nothing wrong where all is well", async () => {
    const { connect } = await byAdmin();
    const findings = await connect(HOOK).inspect("acme/blog");
    expect(wrong(findings)).toEqual({});
    expect(findings.map(({ what }) => what)).toEqual([
      ...["GitHub token", "token scopes", "access to acme/blog", "webhook", "webhook events", "webhook deliveries"],
    ]);
    expect(findings.every(({ mend }) => mend === null)).toBe(true);
    expect((await connect(null).inspect(null)).map(({ what }) => what)).toEqual(["GitHub token", "token scopes"]);
  });

  test("says how to mend a token that is wrong, without telling it", async () => {
    const { mock, connect } = await githubStage();
    const findings = await connect({ credentials: { kind: "token", token: "ghp_oldAndGone" } }).inspect(PROJECT);
    expect(wrong(findings)["GitHub token"]).toContain(`${mock.url}/settings/tokens`);
    expect(JSON.stringify(findings)).not.toContain("ghp_oldAndGone");
  });

  test("finds scopes and an end that are too narrow", async () => {
    const { mock, connect } = await githubStage();
    mock.plant({ tokens: [{ token: "ghp_poor", login: "relay", scopes: ["read:user"] }] });
    const poor = connect({ credentials: { kind: "token", token: "ghp_poor" } });
    expect(wrong(await poor.inspect(null))["token scopes"]).toContain("with the scope repo");
    const end = new Date(Date.now() + 3 * 86_400_000).toISOString().replace("T", " ").replace(/\..*/, " UTC");
    const headers = { "github-authentication-token-expiration": end };
    const trouble = { kind: "status", status: 200, headers, body: { login: "relay" } } as const;
    mock.world.faults = [faultOf({ path: "/user", trouble })];
    const findings = await connect({}).inspect(null);
    expect(wrong(findings)["token end"]).toContain(`it ends on ${end.slice(0, 10)}`);
    expect(findings.map(({ what }) => what)).toEqual(["GitHub token", "token end"]);
  });

  test("finds a project that it cannot work in", async () => {
    const { mock, byToken } = await githubStage();
    expect(wrong(await byToken.inspect("acme/secret"))["access to acme/secret"]).toContain("404");
    expect(wrong(await byToken.inspect("nonsense"))["access to nonsense"]).toContain("owner/name");
    mock.act({ do: "permit", repo: PROJECT, login: "relay", role: "read" });
    expect(wrong(await byToken.inspect(PROJECT))[`access to ${PROJECT}`]).toContain("may not write there");
  });

  test("finds a webhook that is missing, off, or not told enough", async () => {
    const { connect, hook, mock } = await byAdmin(["issues"]);
    expect(wrong(await connect("https://else.example/").inspect("acme/blog"))["webhook"]).toContain(
      `${mock.url}/acme/blog/settings/hooks/new`,
    );
    if (hook) Object.assign(hook, { active: false, secret: "" });
    const found = wrong(await connect(`${HOOK}/`).inspect("acme/blog"));
    expect(found["webhook events"]).toContain("issue_comment, pull_request");
    expect(found["webhook"]).toContain("GITHUB_WEBHOOK_SECRET");
    mock.world.faults = [faultOf({ path: "/hooks", trouble: { kind: "html" } })];
    expect(wrong(await connect(HOOK).inspect("acme/blog"))["webhook"]).toContain("502");
  });

  test("does not complain of webhooks that it may not see", async () => {
    const { connect } = await githubStage();
    const findings = await connect({ webhookUrl: HOOK }).inspect(PROJECT);
    expect(wrong(findings)).toEqual({});
    expect(findings.at(-1)?.detail).toContain("may not read webhooks");
  });

  test("finds deliveries that did not arrive", async () => {
    const { connect, mock } = await byAdmin();
    mock.world.courier.fate = () => "fail";
    mock.act({ do: "open", as: "olga", repo: "acme/blog", title: "Typo" });
    const found = wrong(await connect(HOOK).inspect("acme/blog"))["webhook deliveries"];
    expect(found).toContain("1 of the last 24 hours did not arrive; the last, issues.opened");
  });
});

describe("the check of an App", () => {
  test("finds nothing wrong where all is well", async () => {
    const { byApp } = await githubStage();
    const findings = await byApp.inspect(PROJECT);
    expect(wrong(findings)).toEqual({});
    expect(findings.map(({ what }) => what)).toEqual([
      ...["GitHub App", "App permissions", "webhook events", "webhook", "webhook deliveries"],
      ...["installation at acme", "installation at umbrella", `access to ${PROJECT}`],
    ]);
  });

  test("names each thing that is wrong, with the page where it is mended", async () => {
    const { mock, connect } = await githubStage();
    const [app] = mock.planted.apps;
    const known = mock.world.apps.get(app?.id ?? 0);
    mock.world.account("acme").type = "Organization";
    if (known) {
      known.permissions = { ...known.permissions, contents: "read" };
      known.events = ["issues"];
      if (known.hook) known.hook.secret = "";
    }
    const [acme, umbrella] = [...mock.world.installations.values()];
    if (acme) acme.permissions = { issues: "read" };
    if (umbrella) umbrella.suspendedAt = new Date();
    const connection = connect({
      credentials: { kind: "app", appId: String(app?.id), privateKey: app?.privateKey ?? "" },
      webhookUrl: HOOK,
    });
    const found = wrong(await connection.inspect("acme/secret"));
    const page = `${mock.url}/organizations/acme/settings/apps/relay-app`;
    expect(found["App permissions"]).toBe(`lacks contents: write: grant them at ${page}/permissions`);
    expect(found["webhook events"]).toContain(`subscribe to issue_comment`);
    expect(found["webhook"]).toContain(`as its secret at ${page}`);
    expect(found["installation at acme"]).toContain("lacks issues: write, contents: write");
    expect(found["installation at umbrella"]).toContain("unsuspend it at");
    expect(found["access to acme/secret"]).toContain(`${mock.url}/apps/relay-app/installations/new`);
  });

  test("says what to look at where the App itself cannot be asked", async () => {
    const { connect, mock } = await githubStage();
    const appId = String(mock.planted.apps[0]?.id);
    const broken = connect({ credentials: { kind: "app", appId, privateKey: "-----BEGIN oops" } });
    const found = wrong(await broken.inspect(null));
    expect(found["GitHub App"]).toContain("GITHUB_PRIVATE_KEY");
    expect(JSON.stringify(found)).not.toContain("oops");
    await mock.close();
    expect(wrong(await connect({}).inspect(null))["GitHub token"]).not.toContain(TOKEN);
  });

  test("says that nobody has installed it", async () => {
    const { mock, byApp } = await githubStage();
    for (const id of mock.planted.apps[0]?.installations ?? []) mock.act({ do: "uninstall", installation: id });
    expect(wrong(await byApp.inspect(null))["App installations"]).toContain("/apps/relay-app/installations/new");
  });
});
