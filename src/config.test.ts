import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadConfig, nearest } from "./config.ts";
import { RelayError } from "./lib/errors.ts";

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "relay.yaml");
  writeFileSync(path, text);
  return path;
}

function refusal(text: string, env: Record<string, string> = {}): string {
  try {
    loadConfig(file(text), env);
  } catch (error) {
    if (error instanceof RelayError && error.code === "config") return error.message;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("what is given", () => {
  test("an empty file means the defaults", () => {
    for (const text of ["", "# nothing\n", "{}", "---\n"]) {
      expect(loadConfig(file(text), {})).toEqual({
        home: ".relay",
        spec_root: "relay_specs",
        model: "offline",
        mode: "plan",
        log_level: "error",
        bot: { username: "relay", idle_minutes: 10 },
      });
    }
  });

  test("a part of a section leaves the rest of it at its defaults", () => {
    expect(loadConfig(file("bot:\n  idle_minutes: 3\n"), {}).bot).toEqual({ username: "relay", idle_minutes: 3 });
    expect(loadConfig(file(""), { BOT_USERNAME: "robo" }).bot).toEqual({ username: "robo", idle_minutes: 10 });
  });

  test("the environment wins over the file; an empty variable is none", () => {
    const path = file("mode: spec\nhome: here\nbot:\n  username: robo\n  idle_minutes: 3\n");
    const env = { RELAY_MODE: "implement", RELAY_HOME: "", BOT_IDLE_MINUTES: "0.5" };
    expect(loadConfig(path, env)).toMatchObject({
      mode: "implement",
      home: "here",
      bot: { username: "robo", idle_minutes: 0.5 },
    });
  });

  test("RELAY_CONFIG names the file, an argument wins over it", () => {
    const env = { RELAY_CONFIG: file("mode: spec\n") };
    expect(loadConfig(undefined, env).mode).toBe("spec");
    expect(loadConfig(file("mode: implement\n"), env).mode).toBe("implement");
  });
});

describe("what is refused, with the place and the mend", () => {
  test.each([
    ["idle_minute: 3\n", /unknown key “idle_minute”/],
    ["moode: plan\n", /unknown key “moode”; did you mean “mode”\?/],
    ["spec-root: x\n", /unknown key “spec-root”; did you mean “spec_root”\?/],
    ["bot:\n  idle_minuts: 3\n", /unknown key “bot\.idle_minuts”; did you mean “idle_minutes”\?/],
    ["telephone: 3\n", /unknown key “telephone”$/],
    ["mode: fast\n", /mode: .*"spec"\|"plan"\|"implement"/],
    ["bot: 3\n", /bot: .*expected object/],
    ["bot:\n  idle_minutes: -1\n", /bot\.idle_minutes: .*>=0/],
    ["bot:\n  idle_minutes: often\n", /bot\.idle_minutes: .*expected number/],
    ["database_url: mysql://x/y\n", /database_url: /],
    ["home: ''\n", /home: /],
    ["mode: plan\nbot: [1\n", /relay\.yaml:\d+: not valid YAML/],
    ["mode: plan\nmode: spec\n", /relay\.yaml:2: not valid YAML/],
    ["- mode\n", /must be a mapping of keys to values/],
    ["just words\n", /must be a mapping of keys to values/],
  ])("%j", (text, expected) => {
    expect(refusal(text)).toMatch(expected);
  });

  test("the name of the file is in the message", () => {
    expect(refusal("moode: plan\n")).toMatch(/relay\.yaml: unknown key/);
  });

  test("a variable that is no number is told by its name", () => {
    expect(refusal("", { BOT_IDLE_MINUTES: "often" })).toBe("BOT_IDLE_MINUTES must be a number, not “often”");
  });

  test("a file that was named must be there", () => {
    expect(() => loadConfig("/nowhere/relay.yaml", {})).toThrow(/cannot read the configuration \/nowhere\/relay\.yaml/);
  });

  test("a file of unreasonable size, and one that unfolds itself", () => {
    expect(refusal(`# ${"x".repeat(300_000)}\n`)).toMatch(/larger than 256 KiB/);
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    let before = "a";
    for (const name of ["b", "c", "d", "e", "f", "g"]) {
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`);
      before = name;
    }
    expect(refusal(bomb.join("\n"))).toMatch(/its aliases unfold to too much/);
  });
});

test("a suggestion is only made for what could be meant", () => {
  expect(nearest("moed", ["mode", "home"])).toBe("mode");
  expect(nearest("LOG_LEVEL", ["log_level"])).toBe("log_level");
  expect(nearest("xyz", ["mode", "home"])).toBeNull();
  expect(nearest("x", [])).toBeNull();
});
