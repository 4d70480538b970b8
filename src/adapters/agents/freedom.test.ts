import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Freedom, Start } from "./preset.ts";
import { loadPresets } from "./coding-agent.ts";
import { closeRunHome, openRunHome, writeSettings } from "./run-home.ts";

const start = (freedom: Freedom): Start => ({
  prompt: "Do it.",
  directory: "/tree",
  home: "/home/run",
  environment: {},
  model: { provider: "openai-compatible", name: "qwen3:32b" },
  maxTurns: null,
  maxUsd: null,
  freedom,
});

const presets = await loadPresets();

test.each(presets)("$name may do everything in a sandbox only", (preset) => {
  const told = (freedom: Freedom) =>
    JSON.stringify([preset.call(start(freedom)).args, preset.settings(start(freedom)).environment]);
  expect(told("everything")).not.toBe(told("edits"));
  expect(told("edits")).not.toMatch(/dangerous|bypassPermissions|yolo|"disabled"/);
});

test.each(presets)("$name reads its task from its input, or from a file where it is long", (preset) => {
  const long = { ...start("everything"), prompt: "x".repeat(300_000) };
  const { args, input } = preset.call(long);
  expect(args.join("").length).toBeLessThan(2_000);
  expect(input ?? preset.settings(long).files[0]?.text).toBe(long.prompt);
});

test("Codex has no pages fetched for it, and the models that Claude Code uses by itself are known (R-WORK-13)", () => {
  const of = (name: string) => presets.find((preset) => preset.name === name);
  expect(of("codex")?.settings(start("everything")).files[0]?.text).toContain('web_search = "disabled"');
  const small = ["anthropic/claude-haiku-*", "anthropic/claude-3-5-haiku-*"];
  expect(of("claude")?.ownModels?.("claude-sonnet-4-5")).toEqual(small);
  expect(of("claude")?.ownModels?.("sonnet")).toEqual(expect.arrayContaining([...small, "anthropic/claude-sonnet-*"]));
});

test("what an earlier run left in the agent's folder is not written through", async () => {
  const folder = mkdtempSync(join(tmpdir(), "relay-home-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  mkdirSync(join(folder, "home"));
  for (const name of ["codex", ".gemini", "run-000000"]) symlinkSync(elsewhere, join(folder, "home", name));
  const home = await openRunHome(join(folder, "home"));
  await writeSettings(home, [{ path: "codex/config.toml", text: "x" }]);
  expect(readdirSync(elsewhere)).toEqual([]);
  symlinkSync(elsewhere, join(home, "link"));
  await closeRunHome(home);
  expect([existsSync(home), existsSync(elsewhere)]).toEqual([false, true]);
});
