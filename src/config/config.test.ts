import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { configWithoutFile, loadConfig, modelsFor } from "./config.ts";
import { configSchema } from "./schema.ts";
import { VARIABLES } from "./variables.ts";
import { nearest } from "./yaml-text.ts";
import { RENAMED_KEYS, RENAMED_VARIABLES } from "./renamed.ts";
import { RelayError } from "../lib/errors.ts";

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

interface Key {
  description?: string | undefined;
  additionalProperties?: unknown;
  properties?: Record<string, Key> | undefined;
}
const keyIn: z.ZodType<Key> = z.lazy(() =>
  z.object({
    description: z.string().optional(),
    additionalProperties: z.unknown().optional(),
    properties: z.record(z.string(), keyIn).optional(),
  }),
);

/** The keys that hold a value: their paths, and what the schema says of them. */
function* leavesOf(
  { properties, additionalProperties, description = "" }: Key,
  path = "",
): Generator<[string, string]> {
  const isSection = properties !== undefined && additionalProperties === false;
  if (!isSection) yield [path, description];
  else
    for (const [name, key] of Object.entries(properties)) yield* leavesOf(key, path === "" ? name : `${path}.${name}`);
}

describe("what is given", () => {
  test("an empty file means the defaults", () => {
    for (const text of ["", "# nothing\n", "{}", "---\n"]) {
      expect(loadConfig(file(text), {})).toEqual({
        home: ".relay",
        spec_root: "relay_specs",
        spec_branch: "relay/specs",
        link_hosts: [],
        model: "offline",
        models: { timeouts: { tries: 4, steps: 16, explore_steps: 14 } },
        budgets: {
          issue_usd: 50,
          repository_day_usd: 100,
          workspace_month_usd: "off",
          unpriced_usd_per_million: 5,
        },
        mode: "plan",
        explore: { protect: [] },
        concurrency: 4,
        approval: { people: [], thumbs_up: true, fast_track: false },
        server: { host: "127.0.0.1", port: 8080, trusted_proxies: 0 },
        repositories: ["**"],
        labels: {
          in_progress: "relay:in-progress",
          stuck: "relay:stuck",
          review: "relay:review",
          done: "relay:done",
        },
        github: { api_url: "https://api.github.com", writes_per_minute: 80 },
        gitlab: { url: "https://gitlab.com", writes_per_minute: 60 },
        work: {
          sandbox: "auto",
          network: [],
          private_network: [],
          models: [],
          requests_per_minute: 120,
          environment: [],
          readable: [],
          certificates: [],
          blocked_paths: [],
          allowed_paths: [],
          review_paths: [],
          concurrency: 2,
          iterations: 8,
          minutes: 60,
          iteration_minutes: 20,
          check_minutes: 15,
          usd: 10,
          processes: 1_024,
          disk_mb: 10_240,
          files: 500_000,
        },
        notifications: [],
        retention: {
          model_texts_days: 90,
          records_days: 90,
          audit_days: 730,
          deliveries_days: 30,
          notices_days: 30,
          code_days: 30,
          code_gb: "never",
        },
        bot: { idle_minutes: 10, engage: "triage", respond_to_bots: false },
      });
    }
  });

  test("R-LIFE-5: labels have names of one's own, or none", () => {
    const labels = { in_progress: "bot: läuft", stuck: "", done: "relay::done" };
    const written = file(`labels: ${JSON.stringify(labels)}\n`);
    expect(loadConfig(written, {}).labels).toEqual({ ...labels, review: "relay:review" });
    const env = { RELAY_LABEL_REVIEW: "off", RELAY_LABEL_DONE: "fertig" };
    expect(loadConfig(written, env).labels).toEqual({ ...labels, review: "", done: "fertig" });
  });

  test.each(["a,b", " padded", "two\nlines", "..", "x".repeat(51)])("R-LIFE-5: %j cannot be a label", (name) => {
    expect(() => loadConfig(file(`labels: ${JSON.stringify({ stuck: name })}\n`), {})).toThrow(/labels\.stuck: /);
  });

  test("a part of a section leaves the rest of it at its defaults", () => {
    expect(loadConfig(file("bot:\n  idle_minutes: 3\n"), {}).bot).toEqual({
      idle_minutes: 3,
      engage: "triage",
      respond_to_bots: false,
    });
    expect(loadConfig(file(""), { BOT_USERNAME: "robo" }).bot).toMatchObject({ username: "robo", idle_minutes: 10 });
  });

  test("R-SCALE-3: what is kept has an age in days, or none", () => {
    const env = { RELAY_RETENTION_AUDIT_DAYS: "never", RELAY_RETENTION_CODE_GB: "0.5" };
    const { retention } = loadConfig(file("retention: { records_days: 7, audit_days: 1 }"), env);
    expect(retention).toMatchObject({ records_days: 7, audit_days: "never", code_gb: 0.5, model_texts_days: 90 });
    expect(refusal("retention: { audit_days: 0 }")).toContain("retention.audit_days: Too small");
    expect(refusal("retention: { audit_days: soon }")).toContain("must be a number of days, or “never”");
    expect(refusal("", { RELAY_RETENTION_CODE_DAYS: "soon" })).toContain("RELAY_RETENTION_CODE_DAYS must be a number");
  });

  test("who may call Relay is a word or a list of logins", () => {
    const engage = (text: string, env = {}) => loadConfig(file(text), env).bot.engage;
    expect(engage("bot: { engage: write }")).toBe("write");
    expect(engage("bot: { engage: [ann, tom] }")).toEqual(["ann", "tom"]);
    expect(engage("", { BOT_ENGAGE: "anyone" })).toBe("anyone");
    expect(engage("", { BOT_ENGAGE: "ann, tom" })).toEqual(["ann", "tom"]);
    expect(() => engage("bot: { engage: everybody }")).toThrow("or a list of logins");
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

  test("each key has a variable, which the schema for editors names", () => {
    const schema = keyIn.parse(z.toJSONSchema(configSchema, { io: "input" }));
    const keys = [...leavesOf(schema)];
    expect(keys.length).toBeGreaterThan(60);
    const variables = Object.entries(VARIABLES).map(([name, { path }]) => [path.join("."), name]);
    const named = new Map(variables.map(([path = "", name = ""]) => [path, name]));
    expect(keys.filter(([path]) => !named.has(path)).map(([path]) => path)).toEqual([]);
    const silent = keys.filter(([path, about]) => path.startsWith("work.") && !about.includes(named.get(path) ?? ""));
    expect(silent).toEqual([]);
  });

  test("how plans are carried out can be said by variables alone", () => {
    const env = {
      RELAY_AGENT: "command",
      RELAY_WORK_COMMAND: "my-agent,--prompt,{prompt}",
      RELAY_WORK_CONTAINER_IMAGE: "relay-worker",
      RELAY_WORK_BLOCKED_PATHS: "infra/**, ops/**",
      RELAY_WORK_MEMORY_MB: "4096",
      RELAY_WORK_TOKENS: "off",
    };
    expect(configWithoutFile(env).work).toMatchObject({
      agent: "command",
      command: ["my-agent", "--prompt", "{prompt}"],
      container: { command: "docker", image: "relay-worker" },
      blocked_paths: ["infra/**", "ops/**"],
      memory_mb: 4_096,
      tokens: "off",
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
    ["confirm:\n  quick: true\n", /relay\.yaml: .*“confirm\.quick” is now called “approval\.fast_track”$/],
    ["bot:\n  heed_bots: true\n", /relay\.yaml: “bot\.heed_bots” is now called “bot\.respond_to_bots”$/],
    ["model: gpt-5\n", /relay\.yaml: model: must be “offline”, or provider\/name/],
    ["model: mistral/large\n", /model: must be “offline”/],
    ["models:\n  explorer: openai/x\n", /unknown key “models\.explorer”; did you mean “explore”\?/],
    ["models:\n  base_url: localhost\n", /models\.base_url: must be an address/],
    ["models:\n  fallback: openai/x\n", /models\.fallback: .*expected array/],
    ["mode: fast\n", /mode: .*"spec"\|"plan"\|"implement"/],
    ["bot: 3\n", /bot: .*expected object/],
    ["bot:\n  idle_minutes: -1\n", /bot\.idle_minutes: .*>=0/],
    ["bot:\n  idle_minutes: often\n", /bot\.idle_minutes: .*expected number/],
    ["database_url: mysql://x/y\n", /database_url: must be an address like postgres:/],
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
    expect(refusal("", { RELAY_REPOSITORIES: "[acme/*]" })).toBe(
      "RELAY_REPOSITORIES must have commas between its parts, and no brackets, not “[acme/*]”",
    );
  });

  test.each(Object.entries(RENAMED_VARIABLES))("%s is refused with its new name, %s", (old, now) => {
    expect(refusal("", { [old]: "true" })).toBe(`${old} is now called ${now}; set that instead`);
  });

  test("every new name exists, and no old one", () => {
    for (const name of Object.values(RENAMED_VARIABLES)) expect(VARIABLES).toHaveProperty(name);
    for (const name of Object.keys(RENAMED_VARIABLES)) expect(VARIABLES).not.toHaveProperty(name);
    const keys = Object.values(VARIABLES).map(({ path }) => path.join("."));
    expect(keys).toEqual(expect.arrayContaining(Object.values(RENAMED_KEYS)));
    expect(keys.filter((name) => name in RENAMED_KEYS)).toEqual([]);
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
    expect(refusal(bomb.join("\n"))).toMatch(/its YAML aliases expand too far/);
  });
});

describe("models", () => {
  const env = {
    RELAY_MODEL: "anthropic/claude",
    RELAY_MODEL_EXPLORE: "openai-compatible/small",
    RELAY_MODEL_BASE_URL: "http://localhost:11434",
    RELAY_MODEL_FALLBACK: "openai/gpt, offline",
    ANTHROPIC_API_KEY: "a-key",
    OPENAI_API_KEY: "o-key",
  };

  test("come from the environment, each role its own, keys never with the rest", () => {
    const config = loadConfig(file("models:\n  spec: openai/gpt\n"), env);
    expect(modelsFor("planner", config, env)).toMatchObject({
      models: [{ name: "claude", apiKey: "a-key", baseUrl: null }, { name: "gpt" }],
      withRulesFallback: true,
    });
    expect(modelsFor("spec", config, env)).toMatchObject({ models: [{ provider: "openai", name: "gpt" }] });
    expect(modelsFor("explore", config, env)).toMatchObject({ models: [{ baseUrl: "http://localhost:11434/v1" }, {}] });
    expect(JSON.stringify(config)).not.toContain("-key");
  });

  test("a variable that names no model is told by its name", () => {
    expect(refusal("", { RELAY_MODEL_PLANNER: "gpt" })).toMatch(/^RELAY_MODEL_PLANNER: must be “offline”/);
    expect(refusal("", { RELAY_MODEL_FALLBACK: "openai/x,gpt" })).toMatch(/^RELAY_MODEL_FALLBACK: must be “offline”/);
  });
});

test("a suggestion is only made for what could be meant", () => {
  expect(nearest("moed", ["mode", "home"])).toBe("mode");
  expect(nearest("LOG_LEVEL", ["log_level"])).toBe("log_level");
  expect(nearest("xyz", ["mode", "home"])).toBeNull();
  expect(nearest("x", [])).toBeNull();
});

describe("budgets", () => {
  test("are dollars or off, also by the environment", () => {
    const { budgets } = loadConfig(file("budgets:\n  issue_usd: off\n"), {
      RELAY_BUDGET_REPOSITORY_DAY_USD: "12.5",
      RELAY_BUDGET_WORKSPACE_MONTH_USD: "off",
    });
    expect(budgets).toEqual({
      issue_usd: "off",
      repository_day_usd: 12.5,
      workspace_month_usd: "off",
      unpriced_usd_per_million: 5,
    });
  });

  test("refuse anything else, naming the key", () => {
    expect(() => loadConfig(file("budgets: {issue_usd: -1}"), {})).toThrow(/budgets\.issue_usd/);
    expect(() => loadConfig(file("budgets: {issue_us: 1}"), {})).toThrow(/did you mean “issue_usd”/);
    expect(() => loadConfig(undefined, { RELAY_BUDGET_ISSUE_USD: "lots" })).toThrow(/RELAY_BUDGET_ISSUE_USD/);
  });

  test("all wrong values are told at once", () => {
    const told = () =>
      loadConfig(file("budgets: {issue_usd: -1}\nlog_level: loud\n"), { RELAY_PORT: "abc", RELAY_MODE: "fix" });
    for (const name of [
      "4 settings are wrong",
      "RELAY_PORT must be a number",
      "RELAY_MODE: ",
      "log_level: ",
      "issue_usd: ",
    ])
      expect(told).toThrow(name);
  });
});

test("files that no model may read are globs, from the file or the variable", () => {
  expect(loadConfig(file("explore: {protect: [private/**]}"), {}).explore.protect).toEqual(["private/**"]);
  const env = { RELAY_EXPLORE_PROTECT: "private/**, !src/secrets.ts" };
  expect(loadConfig(file(""), env).explore.protect).toEqual(["private/**", "!src/secrets.ts"]);
  expect(refusal("explore: {protct: []}")).toMatch(/did you mean “protect”/);
});

describe("a value that could do nothing is refused, with what would do", () => {
  test.each([
    [{ BOT_USERNAME: "relay bot" }, /^BOT_USERNAME: must be a login such as relay-bot, without “@” and blanks$/],
    [{ BOT_USERNAME: "@relay" }, /^BOT_USERNAME: must be a login/],
    [{ BOT_USERNAME: "relay\r" }, /^BOT_USERNAME: must be a login/],
    [{ BOT_ENGAGE: "@mia, joe" }, /^BOT_ENGAGE: must be a login/],
    [{ RELAY_APPROVAL_PEOPLE: "mia joe" }, /^RELAY_APPROVAL_PEOPLE: must be a login/],
    [{ RELAY_REPOSITORIES: "https://github.com/acme/shop" }, /^RELAY_REPOSITORIES: must be owner\/name or a glob/],
    [{ RELAY_REPOSITORIES: "acme/shop/" }, /^RELAY_REPOSITORIES: must be owner\/name or a glob/],
    [{ RELAY_REPOSITORIES: "*" }, /^RELAY_REPOSITORIES: fits no repository: .* or \*\* for all of them$/],
    [{ RELAY_WORK_NETWORK: "none" }, /^RELAY_WORK_NETWORK: “none” allows nothing: .*leave the list empty$/],
    [{ RELAY_WORK_NETWORK: "!!" }, /^RELAY_WORK_NETWORK: !! is no host .* write a name, as in registry\.npmjs\.org/],
    [{ RELAY_WORK_NETWORK: "https://registry.npmjs.org/" }, /^RELAY_WORK_NETWORK: .* is no host/],
    [{ RELAY_WORK_NETWORK: "example.org:70000" }, /^RELAY_WORK_NETWORK: .* is no host/],
    [{ RELAY_EXPLORE_PROTECT: "/secrets/**" }, /^RELAY_EXPLORE_PROTECT: must be a path or glob from the top/],
    [
      { RELAY_MODEL_PRICES: "no-such.json" },
      /^RELAY_MODEL_PRICES: the price table no-such\.json .*ENOENT.*correct the file/,
    ],
  ])("%j", (env, said) => {
    expect(refusal("", env)).toMatch(said);
  });

  test.each([
    ["work: {private_network: [registry]}", /work\.private_network.* opens nothing .*10\.20\.0\.0\/16/],
    ["work: {private_network: ['169.254.169.254/32']}", /work\.private_network.* stays closed/],
    ["work: {blocked_paths: [/etc/**]}", /work\.blocked_paths.* from the top of the repository/],
    ["work: {blocked_paths: ['!docs/**']}", /work\.blocked_paths.* must not begin with “!”/],
    ["work: {allowed_paths: [../x]}", /work\.allowed_paths.* from the top of the repository/],
  ])("%s", (text, said) => {
    expect(refusal(text)).toMatch(said);
  });

  test("and what does something is taken", () => {
    const text = `
repositories: [acme/*, "**", "group/sub/name"]
bot: {username: "relay[bot]", engage: [mia, joe-2]}
work:
  network: [registry.npmjs.org, "*.example.org", "example.org:8443", internal]
  private_network: ["registry.example.org:4873", 10.20.0.0/16, "fd00:1::/32"]
  blocked_paths: [infra/**, "*.tf", ./x]
  review_paths: ["!docs/**"]
`;
    const { work, bot } = loadConfig(file(text), {});
    expect(work.network).toHaveLength(4);
    expect(work.private_network).toHaveLength(3);
    expect(bot.username).toBe("relay[bot]");
  });
});

test.each([
  ["s3://My_Bucket/x", /^RELAY_SPEC_STORE: must be “local”, .*“My_Bucket” must have 3 to 63 lower-case letters/],
  ["s3:/bucket", /it begins with s3:\/\/, as in s3:\/\/my-specs/],
  ["s3://bucket/a b", /each part of its prefix, “a b”, must have 1 to 100 letters/],
  ["s3://bucket/1/2/3/4/5/6/7/8/9/10/11", /its prefix has more than 10 parts/],
  ["files", /^RELAY_SPEC_STORE: must be “local”, “git”, or a bucket: s3:\/\/BUCKET\/PREFIX$/],
])("the store %j is refused with what is wrong in it", (name, said) => {
  expect(refusal("", { RELAY_SPEC_STORE: name })).toMatch(said);
});

test("the settings in docs/agents.md are understood, that of the patch too", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../docs/agents.md"), "utf8");
  const lines = [...docs.matchAll(/^ {4}(?:work|models): .*$/gm)].map(([line]) => line.trim());
  for (const line of lines) loadConfig(file(line), {});
  const patches = lines.map((line) => loadConfig(file(line), {}).work).filter(({ patch }) => patch !== undefined);
  expect(patches).toMatchObject([{ agent: "script", patch: "./fix.patch" }]);
});
