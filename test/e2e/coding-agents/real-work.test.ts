import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exec } from "../../../src/lib/exec.ts";
import { HAS_BUBBLEWRAP } from "../../support/bubblewrap-fixture.ts";
import { EXAMPLES, newDesk, relay } from "../cli-harness.ts";
import { TEST_KEY } from "../../support/coding-agent-fixture.ts";
import { serveAgentsModel } from "./agents-model.ts";

/** Where `npm install --prefix DIR` put the real ones; CONTRIBUTING says which. */
const installed = process.env["RELAY_TEST_AGENTS"];
const programs = join(installed ?? "/nowhere", "node_modules/.bin");

const anthropic = "anthropic/claude-sonnet-4-5";
const compatible = "openai-compatible/qwen3:32b";

const reals = [
  { program: "claude", work: "agent: claude", model: anthropic },
  { program: "codex", work: "agent: codex", model: "openai/gpt-5.1-codex" },
  { program: "opencode", work: "agent: acp, command: [opencode, acp]", model: anthropic },
  { program: "opencode", work: "agent: opencode", model: compatible },
  { program: "claude-agent-acp", work: "agent: acp, command: [claude-agent-acp]", model: anthropic },
  { program: "codex-acp", work: "agent: acp, command: [codex-acp]", model: "openai/gpt-5.1-codex" },
  { program: "gemini", work: "agent: gemini", model: "google/gemini-2.5-pro" },
  { program: "pi", work: "agent: pi", model: compatible },
];

describe.each(reals)("`relay work` with the real $program ($work)", ({ program, work, model }) => {
  const there = installed !== undefined && existsSync(join(programs, program)) && HAS_BUBBLEWRAP;

  test.runIf(there)("makes one request of an issue, in the sandbox and without the key", async () => {
    const desk = await newDesk();
    // Gemini CLI runs no command with backticks in it, wherever they stand.
    const patch = readFileSync(join(EXAMPLES, "fix.patch"), "base64");
    const server = await serveAgentsModel(
      { script: `cat .relay-task/task.md; env; printf %s ${patch} | base64 -d | git apply` },
      "writes",
    );
    const settings = `work: { ${work} }\nmodels: { worker: "${model}", base_url: "${server.origin}/v1" }\n`;
    writeFileSync(join(desk.folder, "relay.yaml"), settings);
    const ended = await relay(desk, ["work", join(EXAMPLES, "issue.md"), "--repo", desk.repository, "--yes"], {
      env: {
        PATH: `${process.env["PATH"] ?? ""}:${programs}`,
        ANTHROPIC_BASE_URL: server.origin,
        ANTHROPIC_API_KEY: TEST_KEY,
        OPENAI_BASE_URL: `${server.origin}/v1`,
        OPENAI_API_KEY: TEST_KEY,
        GOOGLE_GEMINI_BASE_URL: server.origin,
        GEMINI_API_KEY: TEST_KEY,
      },
    });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.out).toContain("Closes #57");
    // It has read its task, and no key.
    expect(server.heard()).toContain("October export");
    expect(server.heard()).toContain("kept-outside-by-relay");
    expect(server.heard()).not.toContain(TEST_KEY);
    const branch = "fix/57-october-export-has-wrong-invoices";
    const changed = await exec("git", ["-C", desk.repository, "diff", "--name-only", `main...${branch}`]);
    expect(changed.stdout.toString("utf8")).toContain("src/export/period.js");
  });
});
