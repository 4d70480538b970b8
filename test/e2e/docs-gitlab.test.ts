import { expect, onTestFinished, test } from "vitest";
import { serveCode } from "./code-server.ts";
import { commandsOf, shellAt } from "./docs-shell.ts";
import { startMockGitlab } from "../mock-gitlab/server.ts";
import { newSetUpDesk } from "./configured-desk.ts";

const PROJECT = "acme/shop";
const TOKEN = "glpat-theTokenOfRelay";

test("the docs of GitLab lead to a Relay that answers who assigns it", async () => {
  const desk = await newSetUpDesk();
  const mock = await startMockGitlab();
  onTestFinished(async () => {
    await mock.close();
    expect(mock.violations).toEqual([]);
  });
  const { people } = mock;
  people.user("ann");
  people.user("relay");
  people.project(PROJECT, { cloneUrl: await serveCode(desk, { username: "oauth2", password: TOKEN }) });
  people.member(PROJECT, "ann", 40);
  people.member(PROJECT, "relay", 30);
  people.token("relay", TOKEN);
  const env = { GITLAB_URL: mock.url, RELAY_PORT: "0", BOT_IDLE_MINUTES: "0" };
  const shell = await shellAt(desk, env);
  const [setUp = "", serve = "", check = "", ofYourOwn = "", withLogin = "", ...rest] = (
    await commandsOf("gitlab.md")
  ).map(({ text }) => text);
  expect(rest).toEqual([]);
  // With an application of the real GitLab only.
  expect(withLogin).toMatch(/GITLAB_CLIENT_ID=… .* relay serve$/);
  expect(await shell.run(setUp)).toMatchObject({ code: 0, err: "" });
  const address = await shell.serve(serve);
  // Its end is the exit code: all is well.
  expect(await shell.run(check)).toMatchObject({ code: 0, err: "" });
  const secrets = await shell.file(".relay/relay.env");
  const token = /^GITLAB_WEBHOOK_SECRET=(\S+)$/m.exec(secrets)?.[1] ?? "";
  people.hook(PROJECT, `${address}/webhooks/gitlab`, { token });
  const iid = people.openIssue(PROJECT, "ann", { title: "The export does not add up" });
  people.edit({ project: PROJECT, iid }, "ann", { assignees: ["relay"] });
  const project = mock.state.projects.find(({ path }) => path === PROJECT);
  const authors = () => project?.issues[0]?.notes.map(({ author }) => author.username);
  await expect.poll(authors, { interval: 100 }).toContain("relay");

  expect(await shell.run(`${ofYourOwn} --force`)).toMatchObject({ code: 0 });
  expect(await shell.file("relay.yaml")).toContain("url: https://gitlab.example.com\n");
  expect(await shell.file(".relay/relay.env")).toBe(secrets);
});
