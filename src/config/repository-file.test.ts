import { expect, test } from "vitest";
import { readRepositoryFile, unreadable, withoutFile } from "./repository-file.ts";

const operator = { mode: "implement" as const, fastTrack: false };

test("a repository says how it is worked on, and what is left out stays open", () => {
  const text = `
mode: plan
fast_track: true
conventions:
  branch_prefix: { BUG: chore }
  setup_commands: [npm ci]
  test_commands: []
  lint_command: ""
  style_guide: docs/style.md
blocked_paths: ["infra/**", "*.lock"]
review_paths: ["billing/**"]
protected_files: ["keys/**"]
learnings: docs/relay.md
`;
  expect(readRepositoryFile(text, operator)).toEqual({
    mode: "plan",
    fastTrack: true,
    conventions: {
      branch_prefix: { BUG: "chore" },
      setup_commands: ["npm ci"],
      test_commands: [],
      lint_command: "",
      style_guide: "docs/style.md",
    },
    blockedPaths: ["infra/**", "*.lock"],
    reviewPaths: ["billing/**"],
    protectedFiles: ["keys/**"],
    learnings: "docs/relay.md",
    problem: null,
  });
  expect(readRepositoryFile("# nothing\n", operator)).toEqual(withoutFile(operator));
});

test("Relay goes no further than its operator lets it, whatever the repository says", () => {
  expect(readRepositoryFile("mode: implement", { mode: "spec", fastTrack: false }).mode).toBe("spec");
  expect(readRepositoryFile("mode: spec", operator).mode).toBe("spec");
  expect(readRepositoryFile("fast_track: false", { mode: "plan", fastTrack: true }).fastTrack).toBe(false);
});

test.each([
  ["mod: spec", /unknown key “mod”; did you mean “mode”\?/],
  ["telephone: 3", /unknown key “telephone”$/],
  ["quick: true", /\.relay\.yml: “quick” is now called “fast_track”$/],
  ["mode: all", /\.relay\.yml: mode: /],
  ["blocked_paths: [/etc]", /blocked_paths\.0: must be a path inside/],
  ["blocked_paths: ['a/../../b']", /must be a path inside/],
  ["blocked_paths: x", /blocked_paths: /],
  ["protected_files: ['!.env']", /protected_files\.0: must not begin with “!”: only Relay's operator can open/],
  ["review_paths: ['!Makefile']", /review_paths\.0: must not begin with “!”: a repository can ask for more review/],
  ["a: [", /\.relay\.yml:1: not valid YAML/],
  ["- a", /must be a mapping/],
  ["constructor: 1", /unknown key “constructor”/],
  [`# ${"x".repeat(70_000)}`, /larger than 64 KiB; shorten it/],
])("where the file may hide what is forbidden, Relay only plans, and says why: %.40s", (text, says) => {
  const settings = readRepositoryFile(text, operator);
  expect(settings).toMatchObject({ mode: "plan", problem: expect.stringMatching(says) });
  expect(readRepositoryFile(text, { mode: "spec", fastTrack: true })).toMatchObject({ mode: "spec", fastTrack: false });
});

test("what is right in a file that is wrong elsewhere holds", () => {
  const text = "mode: implement\nblocked_paths: [db/**]\nlearnings: /root\nconventions:\n  lint_comand: x\n";
  expect(readRepositoryFile(text, operator)).toMatchObject({
    mode: "implement",
    blockedPaths: ["db/**"],
    learnings: null,
    conventions: {},
    problem: expect.stringMatching(/conventions\.lint_comand”; did you mean “lint_command”|learnings: must be/),
  });
  expect(readRepositoryFile("mode: spec\nx: 1", operator)).toMatchObject({ mode: "spec" });
  expect(readRepositoryFile("blocked_paths: [db/**]\nmode: 3", operator)).toMatchObject({
    mode: "plan",
    blockedPaths: ["db/**"],
  });
});

test("each convention holds or falls for itself, and all that is wrong is said", () => {
  const text =
    'conventions:\n  setup_commands: make\n  test_commands: [make check]\n  linter: x\n  build_command: ""\nlearnings: /root\n';
  const settings = readRepositoryFile(text, operator);
  expect(settings).toMatchObject({ mode: "implement", learnings: null });
  expect(settings.conventions).toEqual({ test_commands: ["make check"], build_command: "" });
  for (const key of ["conventions.setup_commands: ", "“conventions.linter”", "learnings: "]) {
    expect(settings.problem).toContain(key);
  }
  expect(settings.problem).not.toContain("\n");
  expect(readRepositoryFile("conventions: x\nlearnings: a.md", operator)).toMatchObject({
    conventions: {},
    learnings: "a.md",
  });
});

test("an empty text means that there is none, whatever the key", () => {
  const none = { lint_command: "", type_check_command: "", build_command: "", style_guide: "" };
  expect(readRepositoryFile(JSON.stringify({ conventions: none }), operator)).toMatchObject({
    conventions: none,
    problem: null,
  });
});

test.each(["a\nb", "a\u0000b", ""])("a command is one line: %j", (command) => {
  const text = JSON.stringify({ conventions: { test_commands: [command] } });
  expect(readRepositoryFile(text, operator).problem).toMatch(/test_commands\.0/);
});

test("a file that cannot be read lets Relay plan at most", () => {
  expect(unreadable("it is a link", operator)).toMatchObject({ mode: "plan", problem: "it is a link" });
});
