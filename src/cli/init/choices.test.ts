import { expect, test } from "vitest";
import { type InitFlags, type Interview, choose } from "./choices.ts";
import type { PresetName } from "../../adapters/agents/registry.ts";
import { nextSteps } from "./interview.ts";
import { settingsText } from "./settings-file.ts";
import type { TrackerPlace } from "./tracker-place.ts";
import { HOSTED } from "../../adapters/trackers/registry.ts";

const HERE: TrackerPlace = { tracker: "gitlab", web: "https://gitlab.example.com", project: "acme/shop" };

/** Somebody who takes whatever is proposed, but for these answers; `asked` is what came up. */
function person(answers: Partial<Interview> = {}) {
  const asked: string[] = [];
  const note = (what: string) => void asked.push(what);
  const interview: Interview = {
    tracker: async (likely) => (note("tracker"), await Promise.resolve(likely)),
    web: async (_tracker, likely) => (note("web"), await Promise.resolve(likely)),
    project: async (likely) => (note("project"), await Promise.resolve(likely)),
    publicUrl: async () => (note("public address"), await Promise.resolve(null)),
    model: async (likely) => (note("model"), await Promise.resolve(likely)),
    agent: async () => (note("coding agent"), await Promise.resolve(null)),
    ...answers,
  };
  return { interview, asked };
}

const chooseBy = async (flags: InitFlags, found: TrackerPlace | null, interview: Interview | null) =>
  await choose(flags, found, {
    usualWeb: (tracker) => HOSTED[tracker].setUp.web,
    interview,
    installed: ["codex", "pi"],
  });

test("what is found here is proposed, and may just be accepted", async () => {
  const { interview, asked } = person();
  const choices = await chooseBy({}, HERE, interview);
  expect(choices).toMatchObject({ tracker: "gitlab", web: HERE.web, project: "acme/shop", publicUrl: null });
  expect(asked).toEqual(["tracker", "web", "project", "public address", "model", "coding agent"]);
  expect(await chooseBy({ yes: true }, HERE, null)).toEqual(choices);
});

test("what was said is not asked again", async () => {
  const { interview, asked } = person();
  const flags = {
    url: "https://github.com/acme/lab",
    publicUrl: "https://relay.example",
    model: "offline",
    agent: "none" as const,
    repo: "a/b",
  };
  expect(await chooseBy(flags, HERE, interview)).toMatchObject({ tracker: "github", project: "a/b" });
  expect(asked).toEqual([]);
});

test("the coding agent that is installed is proposed where plans may be carried out, and named in the file", async () => {
  const takesFirst = async (installed: readonly PresetName[]) => await Promise.resolve(installed[0] ?? null);
  const { interview, asked } = person({ agent: takesFirst });
  const choices = await chooseBy({ tracker: "none" }, null, interview);
  expect(choices).toMatchObject({ agent: "codex", mode: "implement" });
  expect(settingsText(choices)).toMatch(/^mode: implement$[^]*^work:\n {2}agent: codex$/m);
  const [key] = await nextSteps({ choices, secrets: "relay.env", app: null, hasWebhook: false });
  expect(key).toBe("Give codex its key, in the environment: OPENAI_API_KEY; a login with ChatGPT cannot be used");
  expect(await chooseBy({ mode: "plan" }, null, person().interview)).toMatchObject({ agent: null, mode: "plan" });
  expect(asked).toEqual(["model"]);
  expect(await chooseBy({ mode: "implement" }, null, null)).toMatchObject({ agent: "codex" });
  expect(await chooseBy({ mode: "implement", agent: "none" }, null, null)).toMatchObject({ agent: null });
  expect(await chooseBy({ agent: "pi" }, null, null)).toMatchObject({ agent: "pi", mode: "implement" });
  expect(await chooseBy({ yes: true }, null, null)).toMatchObject({ agent: null, mode: "plan" });
});

test("another tracker than the one found here has nothing of its address and its repository", async () => {
  const { interview } = person({ tracker: async () => await Promise.resolve("github" as const) });
  const other = { tracker: "github", web: "https://github.com", project: null };
  expect(await chooseBy({}, HERE, interview)).toMatchObject(other);
  expect(await chooseBy({ tracker: "github" }, HERE, null)).toMatchObject(other);
});

test("a server that does not say what it is is taken for what people say", async () => {
  const unknown = { ...HERE, tracker: null, web: "https://git.example.com" };
  expect(await chooseBy({ tracker: "github" }, unknown, null)).toMatchObject({
    ...{ tracker: "github", web: "https://git.example.com", project: "acme/shop" },
  });
  expect(await chooseBy({ yes: true }, unknown, null)).toMatchObject({ tracker: null });
});

test("the file holds what differs from the defaults, with a word on each, and nothing else", async () => {
  expect(settingsText(await chooseBy({ tracker: "none" }, null, null))).not.toMatch(/^[^#\n]/m);
  const flags: InitFlags = {
    publicUrl: "https://relay.example/",
    mode: "implement",
    bot: "#relay",
    model: "openai/gpt-6",
  };
  const all = settingsText(
    await chooseBy({ ...flags, url: "https://ghe.example.com/acme/shop", tracker: "github" }, null, null),
  );
  expect(all).toContain("github:\n  api_url: https://ghe.example.com/api/v3\n");
  expect(all).toContain("public_url: https://relay.example\n");
  expect(all).toContain('username: "#relay"\n');
  for (const block of all.split("\n\n")) expect(block).toMatch(/^# /);
});
