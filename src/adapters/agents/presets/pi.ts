import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { plus, type Transcript } from "../transcript.ts";
import type { Preset, Start } from "../preset.ts";
import { plusTokens, withCache } from "../tokens.ts";
import { leftLines } from "../run-home.ts";
import {
  isSelfHosted,
  keyVariable,
  MODEL_HOSTS,
  MODEL_VARIABLES,
  nameForAgents,
  versionedAddress,
} from "../model-variables.ts";

const SESSIONS = "pi/runs";
/** It creates one; its helpers may create more. */
const MOST_SESSIONS = 20;

/**
 * pi: https://github.com/badlogic/pi-mono. Each of its JSON events repeats all earlier text, so that a single file of
 * some size floods the output. Its plain text is the last answer; its usage is in the session file that it leaves.
 */
export const pi: Preset = {
  program: "pi",
  oldest: "0.74.2",
  hosts: MODEL_HOSTS,
  variables: MODEL_VARIABLES,

  settings: (start) => ({
    files: [{ path: "pi/models.json", text: JSON.stringify(models(start)) }],
    environment: { PI_CODING_AGENT_DIR: `${start.home}/pi`, PI_OFFLINE: "1" },
  }),

  call: ({ prompt, home, model, freedom }: Start) => ({
    args: [
      "--print",
      "--mode",
      "text",
      "--session-dir",
      `${home}/${SESSIONS}`,
      "--no-extensions",
      ...(freedom === "everything" ? [] : ["--tools", "read,edit,write,grep,find,ls"]),
      ...(model === null ? [] : ["--provider", nameForAgents(model.provider), "--model", model.name]),
    ],
    input: prompt,
  }),

  readEvent: null,

  async readHome(home, transcript) {
    const left = await readdir(join(home, SESSIONS)).catch(() => []);
    for (const name of left.filter((each) => each.endsWith(".jsonl")).slice(0, MOST_SESSIONS)) {
      for (const line of await leftLines(home, `${SESSIONS}/${name}`)) readEntry(line, transcript);
    }
  },
};

const count = z.number().nonnegative().optional().catch(undefined);

const entrySchema = z.object({
  type: z.literal("message"),
  message: z.object({
    role: z.literal("assistant"),
    usage: z.object({
      input: count,
      output: count,
      cacheRead: count,
      cacheWrite: count,
      reasoning: count,
      cost: z.object({ total: count }).optional().catch(undefined),
    }),
  }),
});

function readEntry(entry: unknown, transcript: Transcript): void {
  const usage = entrySchema.safeParse(entry).data?.message.usage;
  if (usage === undefined) return;
  const { input, output, cacheRead: cachedInput, cacheWrite, reasoning } = usage;
  transcript.tokens = plusTokens(transcript.tokens, withCache({ input, cachedInput, cacheWrite, output, reasoning }));
  // It reports 0 for a model without a known price.
  if (usage.cost?.total !== undefined && usage.cost.total > 0) transcript.usd = plus(transcript.usd, usage.cost.total);
}

function models(start: Start): unknown {
  const { model } = start;
  const address = model?.provider === "anthropic" ? start.environment["ANTHROPIC_BASE_URL"] : versionedAddress(start);
  if (model === null || address === null || address === undefined) return { providers: {} };
  const own = isSelfHosted(model.provider)
    ? { api: "openai-completions", apiKey: keyVariable(model.provider), models: [{ id: model.name }] }
    : {};
  return { providers: { [nameForAgents(model.provider)]: { baseUrl: address, ...own } } };
}
