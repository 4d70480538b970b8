import { z } from "zod";
import { addDenied, type Emit, type Transcript } from "../transcript.ts";
import type { Preset, Start } from "../preset.ts";
import { type ReportedTokens, plusTokens, withCache } from "../tokens.ts";
import { asText, toolLine } from "../tool-line.ts";

const MOST_MODELS = 50;
const ALIASES = new Set(["fable", "opus", "sonnet", "haiku"]);
const namedBy = (kind: string) => [`anthropic/claude-${kind}-*`, `anthropic/claude-3-5-${kind}-*`];

/** Claude Code: https://code.claude.com/docs/en/headless */
export const claude: Preset = {
  program: "claude",
  oldest: "2.0.30",
  adapters: ["claude-agent-acp", "claude-code-acp"],
  hosts: ["api.anthropic.com"],
  variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"],
  // A small model writes titles and summaries, and searches; `sonnet` and the like stand for the newest of a kind.
  ownModels: (model) => [...namedBy("haiku"), ...(model !== null && ALIASES.has(model) ? namedBy(model) : [])],
  needs: "ANTHROPIC_API_KEY, or with a subscription CLAUDE_CODE_OAUTH_TOKEN, which `claude setup-token` makes",

  settings: ({ model, freedom }) => ({
    files: [],
    environment: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // By default it retries ten times, for minutes, even with a rejected key.
      CLAUDE_CODE_MAX_RETRIES: "4",
      // Without it, root may not skip permissions.
      ...(freedom === "everything" ? { IS_SANDBOX: "1" } : {}),
      // For calls without arguments, as over the Agent Client Protocol.
      ...(model === null ? {} : { ANTHROPIC_MODEL: model.name }),
    },
  }),

  call: ({ prompt, model, maxTurns, maxUsd, freedom }: Start) => ({
    args: [
      "-p",
      "--output-format=stream-json",
      "--verbose",
      `--permission-mode=${freedom === "everything" ? "bypassPermissions" : "acceptEdits"}`,
      // A repository's settings may have hooks and URLs: only a sandbox makes them harmless.
      `--setting-sources=${freedom === "everything" ? "user,project" : "user"}`,
      "--strict-mcp-config",
      ...(model === null ? [] : ["--model", model.name]),
      ...(maxTurns === null ? [] : ["--max-turns", String(maxTurns)]),
      ...(maxUsd === null ? [] : ["--max-budget-usd", String(maxUsd)]),
    ],
    input: prompt,
  }),

  readEvent(raw, transcript, emit) {
    const event = eventSchema.safeParse(raw).data;
    if (event === undefined) return;
    if (event.type === "result") readResult(event, transcript);
    else if (event.type === "system") readRetry(event, emit);
    else readMessage(event, emit);
  },
};

const partSchema = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("tool_use"), name: z.string(), input: z.unknown().optional() }),
  z.object({ type: z.literal("tool_result"), content: z.unknown().optional() }),
  z.object({ type: z.literal("other") }).catch({ type: "other" }),
]);

const count = z.number().nonnegative().optional().catch(undefined);

const resultSchema = z.object({
  type: z.literal("result"),
  subtype: z.string().catch(""),
  is_error: z.boolean().catch(false),
  result: z.string().catch(""),
  errors: z.array(z.string()).catch([]),
  api_error_status: z.number().nullish().catch(null),
  total_cost_usd: count,
  usage: z
    .object({
      input_tokens: count,
      cache_creation_input_tokens: count,
      cache_read_input_tokens: count,
      output_tokens: count,
    })
    .optional()
    .catch(undefined),
  /** By model, including its helpers; `usage` covers only the conversation itself. */
  modelUsage: z
    .record(
      z.string(),
      z.object({
        inputTokens: count,
        cacheCreationInputTokens: count,
        cacheReadInputTokens: count,
        outputTokens: count,
        thinkingTokens: count,
      }),
    )
    .optional()
    .catch(undefined),
  permission_denials: z.array(z.object({ tool_name: z.string(), tool_input: z.unknown().optional() })).catch([]),
});

const retrySchema = z.object({
  type: z.literal("system"),
  subtype: z.literal("api_retry"),
  error_status: z.number().nullish().catch(null),
  error: z.string().catch("an error"),
});

const messageSchema = z.object({
  type: z.enum(["assistant", "user"]),
  message: z.object({ content: z.array(partSchema).catch([]) }),
});

const eventSchema = z.union([resultSchema, retrySchema, messageSchema]);

function readMessage({ message }: z.infer<typeof messageSchema>, emit: Emit): void {
  for (const part of message.content) {
    if (part.type === "text") emit("said", part.text);
    if (part.type === "tool_use") emit("tool", toolLine(part.name, part.input));
    if (part.type === "tool_result") emit("output", asText(part.content));
  }
}

function readRetry(retry: z.infer<typeof retrySchema>, emit: Emit): void {
  emit("output", `The model's server answered ${retry.error_status ?? ""} ${retry.error}; it is tried again.`);
}

function readResult(result: z.infer<typeof resultSchema>, transcript: Transcript): void {
  transcript.summary = result.result;
  transcript.usd = result.total_cost_usd ?? null;
  // Each result covers the whole session; there is another one when a background task ends.
  let tokens: Transcript["tokens"] = null;
  for (const reported of reportedTokens(result)) tokens = plusTokens(tokens, withCache(reported));
  transcript.tokens = tokens ?? transcript.tokens;
  // It reports success even if a tool was denied.
  for (const denial of result.permission_denials) addDenied(transcript, toolLine(denial.tool_name, denial.tool_input));
  const words = [result.result, ...result.errors].filter((text) => text !== "").join("; ");
  if (/^error_max_(?:turns|budget)/.test(result.subtype)) {
    transcript.limit = words === "" ? result.subtype.replace("error_", "") : words;
  } else if (result.is_error || result.subtype.startsWith("error")) {
    const status = result.api_error_status ? `status ${result.api_error_status}: ` : "";
    transcript.error = `${status}${words === "" ? result.subtype : words}`;
  }
}

function reportedTokens({ usage, modelUsage }: z.infer<typeof resultSchema>): ReportedTokens[] {
  const models = Object.values(modelUsage ?? {}).slice(0, MOST_MODELS);
  if (models.length > 0) {
    return models.map((model) => ({
      input: model.inputTokens,
      cachedInput: model.cacheReadInputTokens,
      cacheWrite: model.cacheCreationInputTokens,
      output: model.outputTokens,
      reasoning: model.thinkingTokens,
    }));
  }
  return [
    {
      input: usage?.input_tokens,
      cachedInput: usage?.cache_read_input_tokens,
      cacheWrite: usage?.cache_creation_input_tokens,
      output: usage?.output_tokens,
    },
  ];
}
