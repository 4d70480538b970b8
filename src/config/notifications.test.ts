import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { NOTICE_EVENTS } from "../domain/notice.ts";
import { RelayError } from "../lib/errors.ts";
import { configWithoutFile, loadConfig } from "./config.ts";
import { noticeAddress } from "./notification-access.ts";

const KEY = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

function load(targets: string, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "relay-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "relay.yaml");
  writeFileSync(path, `notifications:\n${targets}`);
  return loadConfig(path, env).notifications;
}

const HUB = "- { name: hub, kind: webhook, url: 'https://hub.example.org/x', secret_env: HUB_SECRET";

test("a target is told of everything, unless it says otherwise", () => {
  expect(load(`${HUB} }`)).toEqual([
    {
      name: "hub",
      kind: "webhook",
      url: "https://hub.example.org/x",
      secret_env: "HUB_SECRET",
      events: [...NOTICE_EVENTS],
      repositories: ["**"],
      confidential: false,
    },
  ]);
});

test("targets come from a variable too", () => {
  const targets = [{ name: "team", kind: "slack", url_env: "SLACK_URL", events: ["stuck"] }];
  const { notifications } = configWithoutFile({ RELAY_NOTIFICATIONS: JSON.stringify(targets) });
  expect(notifications).toMatchObject(targets);
  expect(() => configWithoutFile({ RELAY_NOTIFICATIONS: "team" })).toThrow("RELAY_NOTIFICATIONS must be JSON");
});

describe("what cannot be meant is refused", () => {
  test.each([
    [`${HUB}, evnts: [stuck] }`, /unknown key “notifications\.0\.evnts”; did you mean “events”\?/],
    [`${HUB}, events: [stick] }`, /notifications\.0\.events\.0: must be one of .*; did you mean “stuck”\?/],
    [`${HUB}, events: [] }`, /notifications\.0\.events: /],
    [`${HUB}, url_env: HUB_URL }`, /notifications\.0\.url: is there twice/],
    ["- { name: hub, kind: webhook, secret_env: S }", /url_env: is missing/],
    ["- { name: hub, kind: webhook, url: 'https://h.example.org' }", /secret_env: is missing/],
    ["- { name: hub, kind: webhook, url: 'https://a:b@h.example.org', secret_env: S }", /url: holds a password/],
    ["- { name: hub, kind: webhook, url: 'ftp://h.example.org', secret_env: S }", /url: must be an address/],
    [
      "- { name: team, kind: slack, url: 'https://hooks.slack.com/services/T/B/x' }",
      /url: Slack's address is a secret/,
    ],
    ["- { name: team, kind: slack, url_env: 'https://hooks.slack.com/x' }", /url_env: must be the name of an env/],
    ["- { name: team, kind: slack, url_env: S, secret_env: T }", /secret_env: Slack's messages are not signed/],
    ["- { name: team, kind: teams, url_env: S }", /notifications\.0\.kind: /],
    ["- { name: a b, kind: slack, url_env: S }", /name: must be a name/],
    [`- { name: HUB, kind: slack, url_env: S }\n${HUB} }`, /notifications\.1\.name: “hub” is there twice/],
  ])("%j", (targets, expected) => {
    expect(() => load(targets)).toThrow(expected);
  });
});

describe("secrets come from the environment", () => {
  const [hub] = configWithoutFile({
    RELAY_NOTIFICATIONS: JSON.stringify([
      { name: "hub", kind: "webhook", url_env: "HUB_URL", secret_env: "HUB_SECRET" },
    ]),
  }).notifications;
  const addressIn = (env: Record<string, string>) => {
    if (hub === undefined) throw new Error("there is no target");
    return noticeAddress(hub, env);
  };
  const URL_IN = { HUB_URL: "https://hub.example.org/?token=abc" };

  test("the address and one key, or two while it is replaced", () => {
    expect(addressIn({ ...URL_IN, HUB_SECRET: KEY })).toMatchObject({
      url: URL_IN.HUB_URL,
      keys: [Buffer.alloc(32, 7)],
    });
    const two = `${KEY}\nwhsec_${Buffer.alloc(24, 8).toString("base64")}`;
    expect(addressIn({ ...URL_IN, HUB_SECRET: two }).keys).toHaveLength(2);
  });

  test.each([
    [{ HUB_SECRET: KEY }, "HUB_URL is not set"],
    [{ ...URL_IN }, "HUB_SECRET is not set"],
    [{ HUB_URL: "hub.example.org/secret", HUB_SECRET: KEY }, "HUB_URL holds no address"],
    [{ ...URL_IN, HUB_SECRET: "plain words of some length, no key" }, "HUB_SECRET must hold a secret like whsec_"],
    [{ ...URL_IN, HUB_SECRET: "whsec_c2hvcnQ=" }, "HUB_SECRET must hold"],
    [{ ...URL_IN, HUB_SECRET: `${KEY} ${KEY} ${KEY}` }, "HUB_SECRET must hold"],
  ])("%j", (env: Record<string, string>, expected) => {
    const refused = () => addressIn(env);
    expect(refused).toThrow(RelayError);
    expect(refused).toThrow(expected);
    expect(refused).not.toThrow(/plain words|token=abc|example\.org\/secret/);
  });
});
