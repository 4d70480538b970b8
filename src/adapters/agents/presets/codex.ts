import { z } from "zod";
import { addDenied, type Emit, type Transcript } from "../transcript.ts";
import type { Preset, Start } from "../preset.ts";
import { type ReportedTokens, plusTokens } from "../tokens.ts";
import { toolLine } from "../tool-line.ts";

const OWN_ADDRESS = "https://api.openai.com/v1";

/** Codex: https://developers.openai.com/codex/noninteractive */
export const codex: Preset = {
  program: "codex",
  oldest: "0.169.0",
  adapters: ["codex-acp"],
  hosts: ["api.openai.com"],
  variables: ["OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"],
  needs: "OPENAI_API_KEY; a login with ChatGPT cannot be used",

  settings: ({ home, environment, model, freedom }) => ({
    files: [{ path: "codex/config.toml", text: configuration(environment, model?.name ?? null) }],
    environment: {
      CODEX_HOME: `${home}/codex`,
      // Its adapter for the Agent Client Protocol takes no arguments.
      INITIAL_AGENT_MODE: freedom === "everything" ? "agent-full-access" : "agent",
    },
  }),

  call: ({ prompt, model, freedom }: Start) => ({
    args: [
      "exec",
      "--json",
      "--skip-git-repo-check",
      // Its own sandbox cannot nest in ours.
      ...(freedom === "everything"
        ? ["--dangerously-bypass-approvals-and-sandbox"]
        : ["--sandbox", "workspace-write", "-c", 'approval_policy="never"']),
      ...(model === null ? [] : ["--model", model.name]),
      "-",
    ],
    input: prompt,
  }),

  readEvent(raw, transcript, emit) {
    const event = eventSchema.safeParse(raw).data;
    if (event === undefined) return;
    switch (event.type) {
      case "turn.completed":
        // Cumulative over all turns so far.
        transcript.tokens = plusTokens(null, event.usage && reportedTokens(event.usage)) ?? transcript.tokens;
        transcript.error = null;
        return;
      case "turn.failed":
        transcript.error = event.error.message;
        return;
      case "error":
        // It keeps retrying; `turn.failed` is final.
        emit("output", event.message);
        return;
      default:
        readItem(event, transcript, emit);
    }
  },
};

const count = z.number().nonnegative().optional().catch(undefined);
const text = z.string().catch("");

const itemSchema = z.union([
  z.object({ type: z.literal("agent_message"), text }),
  z.object({
    type: z.literal("command_execution"),
    command: text,
    aggregated_output: text,
    status: z.string().catch(""),
  }),
  z.object({
    type: z.literal("file_change"),
    changes: z.array(z.object({ path: text, kind: text })).catch([]),
  }),
  z.object({ type: z.literal("mcp_tool_call"), tool: text }),
  z.object({ type: z.literal("error"), message: text }),
]);

const usageSchema = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
  reasoning_output_tokens: count,
});

const eventSchema = z.union([
  z.object({
    type: z.literal("turn.completed"),
    usage: usageSchema.optional().catch(undefined),
  }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: text }).catch({ message: "it failed" }) }),
  z.object({ type: z.literal("error"), message: text }),
  z.object({ type: z.enum(["item.started", "item.completed"]), item: itemSchema }),
]);

type ItemEvent = Extract<z.infer<typeof eventSchema>, { item: unknown }>;

function readItem({ type, item }: ItemEvent, transcript: Transcript, emit: Emit): void {
  const done = type === "item.completed";
  if (item.type === "command_execution") {
    if (!done) emit("tool", toolLine("run", { command: item.command }));
    else emit("output", item.aggregated_output);
    if (done && item.status === "declined") addDenied(transcript, toolLine("run", { command: item.command }));
    return;
  }
  if (!done) return;
  if (item.type === "agent_message") {
    transcript.summary = item.text;
    emit("said", item.text);
  } else if (item.type === "file_change") {
    emit("tool", item.changes.map(({ kind, path }) => `${kind} ${path}`).join(", "));
  } else if (item.type === "mcp_tool_call") {
    emit("tool", item.tool);
  } else {
    emit("output", item.message);
  }
}

function reportedTokens(usage: z.infer<typeof usageSchema>): ReportedTokens {
  return {
    input: usage.input_tokens,
    cachedInput: usage.cached_input_tokens,
    cacheWrite: usage.cache_write_input_tokens,
    output: usage.output_tokens,
    reasoning: usage.reasoning_output_tokens,
  };
}

/** Its built-in provider reads no key from the environment; only one defined here does. */
function configuration(environment: Readonly<Record<string, string>>, model: string | null): string {
  const key = environment["OPENAI_API_KEY"] === undefined && environment["CODEX_API_KEY"] !== undefined;
  return [
    'model_provider = "relay"',
    ...(model === null ? [] : [`model = ${JSON.stringify(model)}`]),
    "check_for_update_on_startup = false",
    // Web search makes the provider's servers fetch pages: Relay's gateway refuses such a request.
    'web_search = "disabled"',
    "",
    // Otherwise it fetches a catalogue of them from GitHub at each start.
    "[features]",
    "plugins = false",
    "",
    "[analytics]",
    "enabled = false",
    "",
    "[model_providers.relay]",
    'name = "relay"',
    `base_url = ${JSON.stringify(environment["OPENAI_BASE_URL"] ?? OWN_ADDRESS)}`,
    `env_key = "${key ? "CODEX_API_KEY" : "OPENAI_API_KEY"}"`,
    'wire_api = "responses"',
    "",
  ].join("\n");
}
