import { isStatusComment } from "../../src/domain/marker.ts";
import { expect, test } from "vitest";
import { serveCode } from "./code-server.ts";
import { commandsOf, shellAt } from "./docs-shell.ts";
import type { MockGithub } from "../mock-github/server.ts";
import { PROJECT, githubStage } from "../support/github-fixture.ts";
import { newSetUpDesk } from "./configured-desk.ts";
import { pressButton } from "./submit-form.ts";

const PATIENT = { interval: 100 };
const EVENTS = [
  "issues",
  "issue_comment",
  "pull_request",
  "pull_request_review",
  "pull_request_review_comment",
  "check_suite",
  "status",
];

/** The docs of GitHub, played in a shell: their commands, and what they tell people to do on GitHub in between. */
async function play(under: string) {
  const desk = await newSetUpDesk();
  const { mock } = await githubStage({ prefix: "/api/v3" });
  const blocks = (await commandsOf("github.md")).filter((block) => block.under === under).map(({ text }) => text);
  const env = { GITHUB_API_URL: mock.url, RELAY_PORT: "0", BOT_IDLE_MINUTES: "0" };
  return { desk, mock, blocks, shell: await shellAt(desk, env) };
}

const secretIn = (file: string) => /^GITHUB_WEBHOOK_SECRET=(\S+)$/m.exec(file)?.[1] ?? "";
/** The discussion: all but Relay's status comment. */
const thread = (mock: MockGithub) =>
  (mock.world.repository(PROJECT).items.get(7)?.comments ?? []).filter(({ body }) => !isStatusComment(body));

test("the steps for a token lead to a Relay that answers who assigns it", async () => {
  const { desk, mock, blocks, shell } = await play("With a token");
  const token = "ghp_theTokenOfRelay";
  mock.plant({ tokens: [{ token, login: "relay" }] });
  mock.world.repository(PROJECT).cloneUrl = await serveCode(desk, { username: "x-access-token", password: token });
  const [setUp = "", serve = "", check = "", ...rest] = blocks;
  expect(rest).toEqual([]);
  expect(await shell.run(setUp)).toMatchObject({ code: 0, err: "" });
  const address = await shell.serve(serve);
  // Its end is the exit code: all is well.
  expect(await shell.run(check)).toMatchObject({ code: 0, err: "" });
  mock.world.repository(PROJECT).hooks.push({
    id: mock.world.nextId(),
    url: `${address}/webhooks/github`,
    secret: secretIn(await shell.file(".relay/relay.env")),
    events: EVENTS,
    active: true,
    createdAt: new Date(),
  });
  mock.act({ do: "assign", as: "ann", repo: PROJECT, number: 7, login: "relay" });
  await expect.poll(() => thread(mock).map(({ author }) => author), PATIENT).toContain("relay");
});

test("the way as an App leads to a Relay that answers who mentions it", async () => {
  const { desk, mock, blocks, shell } = await play("As an App");
  const [setUp = "", serve = "", check = "", ...rest] = blocks;
  expect(rest).toEqual([]);
  const running = shell.run(`${setUp} 2> said`);
  const address = async () => /http:\S+/.exec(await shell.file("said").catch(() => ""))?.[0] ?? "";
  await expect.poll(address, PATIENT).not.toBe("");
  await pressButton(await address());
  expect(await running).toMatchObject({ code: 0 });
  const app = [...mock.world.apps.values()].find(({ slug }) => slug === "relay-acme");
  // What GitHub tells of meanwhile waits until the address of the docs leads somewhere.
  mock.world.courier.fate = () => "hold";
  mock.act({ do: "install", app: app?.id ?? 0, account: "acme" });
  const at = await shell.serve(serve);
  // Nobody but git asks for a password here; an installation's is another one each hour.
  mock.world.repository(PROJECT).cloneUrl = await serveCode(desk, undefined);
  expect(await shell.run(check)).toMatchObject({ code: 0, err: "" });
  mock.world.courier.fate = () => "send";
  if (app?.hook) app.hook.url = `${at}/webhooks/github`;
  mock.act({ do: "permit", repo: PROJECT, login: "ann", role: "write" });
  mock.act({ do: "comment", as: "ann", repo: PROJECT, number: 7, body: "@relay-acme, have a look, please." });
  await expect.poll(() => thread(mock).map(({ author }) => author), PATIENT).toContain("relay-acme[bot]");
});

test("an Enterprise server is named by its address", async () => {
  const { blocks, shell } = await play("Enterprise Server");
  expect(await shell.run(blocks.join("\n"))).toMatchObject({ code: 0 });
  expect(await shell.file("relay.yaml")).toContain("api_url: https://github.example.com/api/v3\n");
});
