import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { exec } from "../../src/lib/exec.ts";
import { startMockGitlab } from "../mock-gitlab/server.ts";
import { TOKEN, githubStage } from "../support/github-fixture.ts";
import { type Desk, newDesk, relay, startRelay } from "./cli-harness.ts";
import { pressButton } from "./submit-form.ts";
import { checksIn, newSetUpDesk } from "./configured-desk.ts";

const PUBLIC = "https://relay.example";

async function git(desk: Desk, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await exec("git", ["-C", desk.folder, ...args]);
  if (code !== 0) throw new Error(stderr);
  return stdout.toString("utf8");
}

const settingsOf = async (desk: Desk) => await readFile(join(desk.folder, "relay.yaml"), "utf8");
const secretsOf = async (desk: Desk) => await readFile(join(desk.home, "relay.env"), "utf8");
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

test("init finds the tracker by git's remote, and keeps its secret out of git and of other eyes", async () => {
  const desk = await newSetUpDesk();
  await git(desk, "init", "--quiet");
  await git(desk, "remote", "add", "origin", "https://oauth2:glpat-secret@gitlab.example.com/acme/tools/shop.git");
  const ended = await relay(desk, ["init", "--yes", "--public-url", `${PUBLIC}/`, "--mode", "spec"]);
  expect(ended).toMatchObject({ code: 0, err: "" });
  const settings = await settingsOf(desk);
  expect(settings).toContain("repositories:\n  - acme/tools/shop\n");
  expect(settings).toContain("gitlab:\n  url: https://gitlab.example.com\n");
  expect(settings).toContain(`public_url: ${PUBLIC}\n`);
  expect(settings).toContain("mode: spec\n");
  expect(settings).not.toContain("model:");
  expect(settings + ended.out).not.toContain("glpat-secret");
  const secret = /^GITLAB_WEBHOOK_SECRET=([0-9a-f]{64})$/m.exec(await secretsOf(desk))?.[1] ?? "no secret";
  expect(settings + ended.out).not.toContain(secret);
  expect(await modeOf(join(desk.home, "relay.env"))).toBe("600");
  expect(await git(desk, "status", "--short", "--ignored", "home/")).toMatch(/^!! home\/$/m);
  expect(ended.out).toMatch(/^FAIL {2}GitLab credentials/m);
  expect(ended.out).toContain("https://gitlab.example.com/-/user_settings/personal_access_tokens");
  expect(ended.out).toContain(`URL ${PUBLIC}/webhooks/gitlab`);
});

test("init makes GitLab's webhook where its token may, once, and says in full what to set where it may not", async () => {
  const desk = await newSetUpDesk();
  const mock = await startMockGitlab();
  onTestFinished(async () => await mock.close());
  const { people } = mock;
  people.user("relay");
  people.project("acme/shop");
  people.member("acme/shop", "relay", 30);
  people.token("relay", "glpat-theTokenOfRelay");
  const withToken = { ...desk, env: { ...desk.env, GITLAB_TOKEN: "glpat-theTokenOfRelay" } };
  const args = ["--tracker", "gitlab", "--url", mock.url, "--repo", "acme/shop", "--public-url", PUBLIC, "--force"];
  const refused = await relay(withToken, ["init", ...args]);
  expect(refused.out).toContain(
    `URL ${PUBLIC}/webhooks/gitlab, secret token: the value of GITLAB_WEBHOOK_SECRET, events: Issues events, Comments, Confidential issues events, Confidential comments, Merge request events, Pipeline events, Push events`,
  );
  people.member("acme/shop", "relay", 40);
  const made = await relay(withToken, ["init", ...args]);
  expect(made.out).toContain("Made the webhook of acme/shop.");
  expect(made.out).not.toContain("Add a webhook");
  expect(made.out).toMatch(/^ok {4}GitLab webhook: leads to/m);
  const again = await relay(withToken, ["init", ...args]);
  expect(again.out).not.toMatch(/Made the webhook|Add a webhook/);
  const secret = /^GITLAB_WEBHOOK_SECRET=(\w+)$/m.exec(await secretsOf(desk))?.[1] ?? "no secret";
  expect(mock.state.projects[0]?.hooks).toMatchObject([{ url: `${PUBLIC}/webhooks/gitlab`, token: secret }]);
  expect(mock.violations).toEqual([]);
});

test("init writes over nothing unless it is told to, and never over a secret", async () => {
  const desk = await newSetUpDesk();
  expect((await relay(desk, ["init", "--tracker", "github", "--repo", "acme/shop"])).code).toBe(0);
  const [settings, secrets] = [await settingsOf(desk), await secretsOf(desk)];
  const again = await relay(desk, ["init", "--tracker", "gitlab"]);
  expect(again).toMatchObject({ code: 2, out: "", err: expect.stringContaining("relay.yaml already exists") });
  expect(await settingsOf(desk)).toBe(settings);
  await writeFile(join(desk.home, "relay.env"), `${secrets}GITHUB_TOKEN=mine\n`);
  expect((await relay(desk, ["init", "--tracker", "github", "--bot", "helper", "--force"])).code).toBe(0);
  expect(await settingsOf(desk)).toContain("username: helper");
  expect(await secretsOf(desk)).toBe(`${secrets}GITHUB_TOKEN=mine\n`);
  expect((await relay(desk, ["init", "--tracker", "gitlab", "--force"])).code).toBe(0);
  expect(await secretsOf(desk)).toMatch(
    /GITHUB_WEBHOOK_SECRET=\w{64}\nGITHUB_TOKEN=mine\nGITLAB_WEBHOOK_SECRET=\w{64}\n$/,
  );
});

test("init without a tracker is done at once, and all is well", async () => {
  const desk = await newSetUpDesk();
  const ended = await relay(desk, ["init", "--tracker", "none", "--json"]);
  expect(ended.code).toBe(0);
  expect(checksIn(ended).ok).toBe(true);
  expect(JSON.parse(ended.out)).toMatchObject({ wrote: ["relay.yaml", ".mcp.json"], app: null });
});

test("init tells coding agents of relay mcp by .mcp.json, and leaves one that is there as it is", async () => {
  const desk = await newSetUpDesk();
  const file = join(desk.folder, ".mcp.json");
  const again = async (args: string[] = []) => await relay(desk, ["init", "--tracker", "none", "--force", ...args]);
  expect((await again()).out).toContain("Wrote relay.yaml, .mcp.json.");
  const server = { command: "relay", args: ["mcp"] };
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ mcpServers: { relay: server } });
  expect((await again()).out).not.toMatch(/mcp/);
  const theirs = `{ "mcpServers": { "other": { "command": "other" } } }`;
  for (const text of [theirs, "{ broken", `{ "mcpServers": [] }`]) {
    await writeFile(file, text);
    expect((await again()).out).toContain(`add "relay": ${JSON.stringify(server)} to mcpServers in`);
    expect(await readFile(file, "utf8")).toBe(text);
  }
  await rm(file);
  await again(["--config", "other.yaml"]);
  expect(await readFile(file, "utf8")).toContain('"--config",\n        "other.yaml"');
});

test.each([
  [[], /nobody to ask: give --yes .*--tracker .*--url, --repo, --public-url, --model, --mode, --agent and --bot/],
  [["--yes", "--org", "acme"], /--org goes with --github-app/],
  [["--tracker", "gitlab", "--github-app"], /--github-app does not go with --tracker gitlab/],
  [["--tracker", "none", "--repo", "a/b"], /--tracker none has no --url and no --repo/],
  [["--url", "https://git.example.com"], /could be GitHub or GitLab; say which with --tracker/],
  [["--url", "https://t0ken@github.com/a/b"], /without a user and without a token/],
  [["--tracker", "github", "--repo", "shop"], /--repo must be like owner\/name/],
  [["--tracker", "github", "--public-url", "relay.example"], /--public-url must be like/],
  [["--tracker", "github", "--model", "wise"], /there is no model “wise”/],
  [["--github-app"], /give --public-url/],
])("init refuses %j before it writes anything", async (args, says) => {
  const desk = await newDesk();
  const ended = await relay(desk, ["init", ...args]);
  expect(ended).toMatchObject({ code: 2, out: "", err: expect.stringMatching(says) });
  await expect(settingsOf(desk)).rejects.toThrow("ENOENT");
});

test("init makes a GitHub App in the browser, and Relay is that App from then on", async () => {
  const desk = await newSetUpDesk();
  const { mock } = await githubStage({ prefix: "/api/v3" });
  await writeFile(join(desk.folder, "relay.yaml"), "# ours\nbot:\n  idle_minutes: 3 # impatient\n");
  const web = new URL(mock.url).origin;
  const args = ["init", "--github-app", "--org", "acme", "--url", web, "--public-url", PUBLIC, "--json"];
  const started = startRelay(desk, args);
  const address = async () => {
    await expect.poll(() => started.said.err, { interval: 100 }).toContain("ssh -L");
    return /http:\S+/.exec(started.said.err)?.[0] ?? "";
  };
  const made = await pressButton(await address());
  expect(await made.text()).toContain(`${web}/apps/relay-acme/installations/new`);
  const ended = await started.ended;
  expect(ended.code).toBe(0);
  const said = z
    .object({ app: z.object({ id: z.number(), slug: z.string(), install: z.string() }), wrote: z.array(z.string()) })
    .parse(JSON.parse(ended.out));
  expect(said.app.slug).toBe("relay-acme");

  const app = mock.world.apps.get(said.app.id);
  expect(app).toMatchObject({
    owner: "acme",
    permissions: {
      issues: "write",
      contents: "write",
      pull_requests: "write",
      checks: "read",
      statuses: "read",
      metadata: "read",
    },
    hook: { url: `${PUBLIC}/webhooks/github`, active: true },
  });
  const settings = await settingsOf(desk);
  expect(settings).toContain("# ours\nbot:\n  idle_minutes: 3 # impatient\n");
  expect(settings).toContain(`app_id: ${said.app.id}\n`);
  expect(settings).toContain(`api_url: ${mock.url}\n`);
  const key = join(desk.home, "github-app.pem");
  expect(await modeOf(key)).toBe("600");
  expect(await secretsOf(desk)).toContain(`GITHUB_WEBHOOK_SECRET=${app?.hook?.secret}\n`);
  const pem = await readFile(key, "utf8");
  expect(ended.out + ended.err).not.toContain(app?.hook?.secret);
  expect(ended.out + ended.err + settings).not.toContain(pem.split("\n")[1]);

  // The checks are made as that App: only its installation is missing.
  const { byName } = checksIn(ended);
  expect(byName["GitHub credentials"]).toMatchObject({ ok: true, detail: `App ${said.app.id}, with its private key` });
  expect(byName["GitHub App permissions"]?.ok).toBe(true);
  expect(byName["GitHub webhook"]).toMatchObject({ ok: true, detail: `leads to ${PUBLIC}/webhooks/github` });
  expect(byName["GitHub App installations"]).toMatchObject({
    ok: false,
    mend: expect.stringContaining(said.app.install),
  });

  const again = await relay(desk, ["init", "--github-app", "--public-url", PUBLIC]);
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining(`the App ${said.app.id} is set already`) });
  const other = await relay(desk, ["doctor", "--json"], { env: { GITHUB_TOKEN: TOKEN } });
  expect(checksIn(other).byName["GitHub credentials"]?.detail).toContain("unset the one that is not meant");
});
