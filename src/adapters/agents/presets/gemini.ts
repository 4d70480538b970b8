import { z } from "zod";
import type { Preset, Start } from "../preset.ts";
import type { Emit, Transcript } from "../transcript.ts";
import { type ReportedTokens, plusTokens } from "../tokens.ts";
import { asText, toolLine } from "../tool-line.ts";

const OWN_ADDRESS = "https://generativelanguage.googleapis.com";

/** Gemini CLI: https://geminicli.com/docs/cli/headless */
export const gemini: Preset = {
  program: "gemini",
  oldest: "0.61.0",
  hosts: ["generativelanguage.googleapis.com"],
  variables: ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
  // It routes, searches and repairs edits with the small ones.
  ownModels: () => ["", "-lite", "-preview", "-lite-preview"].map((rest) => `google/gemini-*-flash${rest}`),
  needs: "GEMINI_API_KEY; a login with Google cannot be used",

  settings: ({ environment, maxTurns }) => ({
    files: [
      {
        path: ".gemini/settings.json",
        text: JSON.stringify({
          // Without it, the program exits at once (code 41).
          security: { auth: { selectedType: "gemini-api-key" } },
          general: { enableAutoUpdate: false, disableAutoUpdate: true },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          ...(maxTurns === null ? {} : { model: { maxSessionTurns: maxTurns } }),
        }),
      },
    ],
    environment: {
      // Always set, so that no `.env` of the repository's sends the key elsewhere.
      GOOGLE_GEMINI_BASE_URL: environment["GOOGLE_GEMINI_BASE_URL"] ?? OWN_ADDRESS,
    },
  }),

  call: ({ prompt, model, freedom }: Start) => ({
    args: [
      "--output-format",
      "stream-json",
      "--approval-mode",
      freedom === "everything" ? "yolo" : "auto_edit",
      "--skip-trust",
      ...(model === null ? [] : ["--model", model.name]),
    ],
    input: prompt,
  }),

  readEvent(raw, transcript, emit) {
    const event = eventSchema.safeParse(raw).data;
    if (event === undefined) return;
    if (event.type === "message") readMessage(event, transcript);
    else if (event.type === "tool_use") readTool(event, transcript, emit);
    else if (event.type === "tool_result") emit("output", asText(event.output ?? event.error?.message));
    else if (event.type === "result") readResult(event, transcript, emit);
    else if (isTurnLimit(event.message)) transcript.limit = event.message;
    else emit("output", event.message);
  },
};

const count = z.number().nonnegative().optional().catch(undefined);
const text = z.string().catch("");

const messageSchema = z.object({
  type: z.literal("message"),
  role: z.literal("assistant"),
  content: text,
});
const toolSchema = z.object({ type: z.literal("tool_use"), tool_name: text, parameters: z.unknown().optional() });
const statsSchema = z.object({ total_tokens: count, input_tokens: count, output_tokens: count, cached: count });
const resultSchema = z.object({
  type: z.literal("result"),
  status: text,
  error: z.object({ type: text, message: text }).optional().catch(undefined),
  stats: statsSchema.optional().catch(undefined),
});

const eventSchema = z.union([
  messageSchema,
  toolSchema,
  z.object({
    type: z.literal("tool_result"),
    output: z.unknown().optional(),
    error: z.object({ message: text }).optional().catch(undefined),
  }),
  resultSchema,
  z.object({ type: z.literal("error"), message: text }),
]);

/** Its text arrives in chunks, which are joined until a tool is called. */
function readMessage({ content }: z.infer<typeof messageSchema>, transcript: Transcript): void {
  transcript.summary = `${transcript.summary}${content}`.slice(-8_000);
}

function readTool({ tool_name, parameters }: z.infer<typeof toolSchema>, transcript: Transcript, emit: Emit): void {
  emit("said", transcript.summary);
  transcript.summary = "";
  emit("tool", toolLine(tool_name, parameters));
}

/** Reasoning counts only in the total. */
function reportedTokens(stats: z.infer<typeof statsSchema>): ReportedTokens {
  const { total_tokens: total, input_tokens: input, output_tokens: output, cached } = stats;
  const thoughts = Math.max(0, (total ?? 0) - (input ?? 0) - (output ?? 0));
  return {
    input,
    cachedInput: cached,
    output: output === undefined ? undefined : output + thoughts,
    reasoning: thoughts,
  };
}

function readResult({ status, error, stats }: z.infer<typeof resultSchema>, transcript: Transcript, emit: Emit): void {
  emit("said", transcript.summary);
  transcript.tokens = plusTokens(transcript.tokens, stats && reportedTokens(stats));
  if (status !== "error") return;
  const words = error?.message ?? "it failed";
  if (isTurnLimit(`${error?.type ?? ""} ${words}`)) transcript.limit = words;
  else transcript.error = words;
}

function isTurnLimit(words: string): boolean {
  return /FatalTurnLimited|max(?:imum)? session turns|maxSessionTurns/i.test(words);
}
