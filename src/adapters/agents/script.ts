import { readFile, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { RelayError } from "../../lib/errors.ts";
import type { Exit } from "../../lib/launch.ts";
import type { AgentEnding, AgentReport, AgentRequest } from "./agent.ts";
import type { OpenAgent } from "./preset.ts";
import { giveInput, launchOptions, OutputTail, readErrors, waitForExit } from "./program.ts";
import { DETAIL_LIMIT, shortLine } from "./transcript.ts";

const PATCH_BYTES = 16 * 1024 * 1024;

/**
 * Applies an operator's patch to the tree, to try Relay without an agent (R-WORK-3). A patch that the
 * tree already has counts as done.
 */
export const script: OpenAgent = ({ patch }) => {
  if (patch === undefined || !isAbsolute(patch)) {
    throw new RelayError(
      "config",
      "the coding agent script needs a patch to apply: pass --patch FILE, or set work.patch to its absolute path",
    );
  }
  return {
    name: "script",
    program: "git",
    hosts: [],
    variables: [],
    run: async (request) => await applyPatch(await readPatch(patch), request),
  };
};

async function readPatch(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > PATCH_BYTES) throw new RelayError("config", `the patch ${path} is larger than ${PATCH_BYTES} bytes`);
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError("config", `cannot read the patch ${path}; check the script agent's setting`, { cause });
  }
}

async function applyPatch(patch: Buffer, request: AgentRequest): Promise<AgentReport> {
  const there = await git(["apply", "--reverse", "--check", "-"], patch, request);
  if (there.exit.ending !== "exit") return report({ kind: there.exit.ending }, "");
  if (there.exit.code === 0) return report({ kind: "finished" }, "The patch is in the tree already.");
  const applied = await git(["apply", "--whitespace=nowarn", "-"], patch, request);
  if (applied.exit.ending !== "exit") return report({ kind: applied.exit.ending }, "");
  if (applied.exit.code === 0) {
    request.onEntry({ kind: "tool", text: "git apply" });
    return report({ kind: "finished" }, "The patch was applied.");
  }
  const detail = `the patch does not fit the tree: ${shortLine(applied.words, DETAIL_LIMIT)}`;
  return report({ kind: "failed", detail, usable: false }, "");
}

async function git(
  args: readonly string[],
  input: Buffer,
  request: AgentRequest,
): Promise<{ exit: Exit; words: string }> {
  const program = await request.launch({
    command: "git",
    args,
    ...launchOptions(request),
    environment: { HOME: request.home, GIT_CONFIG_NOSYSTEM: "1" },
    stdin: "open",
  });
  giveInput(program, input);
  program.stdout.resume();
  const errors = new OutputTail();
  const exit = await waitForExit(
    program,
    readErrors(program, errors, () => {}),
  );
  return { exit, words: errors.text };
}

function report(ending: AgentEnding, summary: string): AgentReport {
  return { ending, summary, denied: [], usd: null, tokens: null };
}
