import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configWithoutFile } from "./config.ts";
import { unusedSettings } from "./unused-settings.ts";

const ROOT = join(import.meta.dirname, "../..");

function told(env: Record<string, string>): string[] {
  return unusedSettings(configWithoutFile(env), env);
}

test.each([
  ["RELAY_WEBHOOK_SECRETT", "GITHUB_WEBHOOK_SECRET or GITLAB_WEBHOOK_SECRET"],
  ["RELAY_BOT_USERNAME", "BOT_USERNAME"],
  ["RELAY_MODLE", "RELAY_MODE or RELAY_MODEL"],
  ["RELAY_ADMIN_TOKE", "RELAY_ADMIN_TOKEN"],
  ["RELAY_WORK_NETWORKS", "RELAY_WORK_NETWORK"],
  ["RELAY_GITHUB_TOKEN", "GITHUB_TOKEN"],
  ["BOT_USER_NAME", "BOT_USERNAME"],
  ["GITHUB_WEBHOOK_SECRETS", "GITHUB_WEBHOOK_SECRET"],
  ["GITLAB_TOKN", "GITLAB_TOKEN"],
])("%s is told, with the name that is meant: %s", (name, meant) => {
  expect(told({ [name]: "x" })).toEqual([`${name} is no variable of Relay's; did you mean ${meant}?`]);
});

test("of a name that is like none, it is said that it changes nothing; of an empty one nothing", () => {
  expect(told({ RELAY_XYZZY_PLUGH: "x" })).toEqual([
    "RELAY_XYZZY_PLUGH is no variable of Relay's, and changes nothing",
  ]);
  expect(told({ RELAY_XYZZY_PLUGH: "" })).toEqual([]);
});

test("variables of others are left alone", () => {
  const jobs = ["GITHUB_ACTIONS", "GITHUB_ENV", "GITHUB_RUN_ID", "GITHUB_SERVER_URL", "GITHUB_TOKEN_2", "GITLAB_CI"];
  const more = [
    "GITLAB_USER_ID",
    "GITLAB_USER_LOGIN",
    "GITHUB_GRAPHQL_URL",
    "GITHUB_ACTION_PATH",
    "BOT_TOKEN",
    "BOT_ID",
  ];
  for (const name of [...jobs, ...more]) expect(told({ [name]: "x" })).toEqual([]);
  const kubernetes = {
    RELAY_SERVICE_HOST: "10.0.0.1",
    RELAY_SERVICE_PORT_HTTP: "80",
    RELAY_PORT_8080_TCP_ADDR: "10.0.0.1",
    RELAY_WEB_PORT: "tcp://10.0.0.1:80",
  };
  expect(told(kubernetes)).toEqual([]);
});

test("variables that the configuration names are known", () => {
  const target = { name: "team", kind: "slack", url_env: "RELAY_SLACK_URL" };
  const env = {
    RELAY_NOTIFICATIONS: JSON.stringify([target]),
    RELAY_SLACK_URL_FILE: "x",
    RELAY_WORK_ENVIRONMENT: "RELAY_MINE",
    RELAY_MINE: "x",
  };
  expect(told(env)).toEqual([]);
});

test("each variable that Relay's docs, action and deployments set is known", () => {
  const names = new Set<string>();
  const deployed = readdirSync(join(ROOT, "deploy"), { recursive: true, encoding: "utf8" }).map(
    (name) => `deploy/${name}`,
  );
  const docs = readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`);
  for (const name of ["README.md", "action.yml", "Dockerfile", ...docs, ...deployed]) {
    if (!/(?:\.(?:md|ya?ml|service|env|json)|Dockerfile)$/.test(name)) continue;
    const text = readFileSync(join(ROOT, name), "utf8");
    for (const [found] of text.matchAll(/\b(?:RELAY|BOT|GITHUB|GITLAB)_[A-Z0-9_]*[A-Z0-9]\b/g)) names.add(found);
  }
  expect(names.size).toBeGreaterThan(60);
  const env = Object.fromEntries([...names].map((name) => [name, "1"]));
  expect(unusedSettings(configWithoutFile({}), env)).toEqual([]);
});

test("settings that need another one are told", () => {
  const config = configWithoutFile({ BOT_ENGAGE: "trage", RELAY_WORK_ENVIRONMENT: "NPM_TOKEN" });
  const work = {
    ...config.work,
    command: ["my-agent"],
    patch: "x.patch",
    container: { command: "docker", image: "x" },
  };
  expect(unusedSettings({ ...config, work, models: { ...config.models, base_url: "http://x/v1" } }, {})).toEqual([
    "bot.engage (BOT_ENGAGE) takes “trage” for a login; did you mean the word “triage”, which has to stand alone?",
    "work.command is set, and used only with work.agent command or acp, which is none",
    "work.patch is set, and used only with work.agent script, which is none",
    "work.container is set, and used only with work.sandbox container, which is auto",
    "models.base_url is set, and used only with a model, which is offline",
    "work.environment passes NPM_TOKEN on, which is not set",
  ]);
  expect(told({ BOT_ENGAGE: "write" })).toEqual([]);
});
