import { z } from "zod";
import { addDenied, plus, type Emit, type Transcript } from "../transcript.ts";
import type { Preset, Start } from "../preset.ts";
import {
  isSelfHosted,
  keyVariable,
  MODEL_HOSTS,
  MODEL_VARIABLES,
  nameForAgents,
  versionedAddress,
} from "../model-variables.ts";
import { type ReportedTokens, plusTokens, withCache } from "../tokens.ts";
import { asText, toolLine } from "../tool-line.ts";

/** OpenCode: https://opencode.ai/docs/cli */
export const opencode: Preset = {
  program: "opencode",
  oldest: "1.18.33",
  hosts: MODEL_HOSTS,
  variables: [...MODEL_VARIABLES, "OPENCODE_API_KEY"],

  settings: (start) => ({
    files: [],
    environment: {
      // Overrides a file of the repository's.
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(start)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_SHARE: "1",
      ...(start.environment["GEMINI_API_KEY"] === undefined
        ? {}
        : { GOOGLE_GENERATIVE_AI_API_KEY: start.environment["GEMINI_API_KEY"] }),
      ...(start.freedom === "everything" ? {} : { OPENCODE_DISABLE_PROJECT_CONFIG: "1" }),
    },
  }),

  call: ({ prompt, model }: Start) => ({
    args: [
      "run",
      "--format",
      "json",
      ...(model === null ? [] : ["--model", `${nameForAgents(model.provider)}/${model.name}`]),
    ],
    input: prompt,
  }),

  readEvent(raw, transcript, emit) {
    const event = eventSchema.safeParse(raw).data;
    if (event === undefined) return;
    switch (event.type) {
      case "text":
        transcript.summary = event.part.text;
        emit("said", event.part.text);
        return;
      case "tool_use":
        readTool(event.part, transcript, emit);
        return;
      case "step_finish":
        transcript.tokens = plusTokens(transcript.tokens, event.part.tokens && reportedTokens(event.part.tokens));
        // It reports 0 for a model without a known price.
        if (event.part.cost !== undefined && event.part.cost > 0)
          transcript.usd = plus(transcript.usd, event.part.cost);
        return;
      case "error": {
        const { name, data } = event.error;
        const status = data.statusCode === undefined ? "" : ` status ${data.statusCode}`;
        transcript.error = `${name}${status}: ${data.message}`;
        return;
      }
    }
    event satisfies never;
  },
};

const count = z.number().nonnegative().optional().catch(undefined);
const tokensSchema = z
  .object({
    input: count,
    output: count,
    reasoning: count,
    cache: z.object({ read: count, write: count }).optional().catch(undefined),
  })
  .optional()
  .catch(undefined);

const toolSchema = z.object({
  tool: z.string(),
  state: z
    .object({
      status: z.string().catch(""),
      input: z.unknown().optional(),
      output: z.unknown().optional(),
      error: z.string().catch(""),
    })
    .catch({ status: "", input: undefined, output: undefined, error: "" }),
});

const eventSchema = z.union([
  z.object({ type: z.literal("text"), part: z.object({ text: z.string() }) }),
  z.object({ type: z.literal("tool_use"), part: toolSchema }),
  z.object({ type: z.literal("step_finish"), part: z.object({ tokens: tokensSchema, cost: count }) }),
  z.object({
    type: z.literal("error"),
    error: z
      .object({
        name: z.string().catch("an error"),
        data: z
          .object({ message: z.string().catch(""), statusCode: z.number().optional().catch(undefined) })
          .catch({ message: "", statusCode: undefined }),
      })
      .catch({ name: "an error", data: { message: "", statusCode: undefined } }),
  }),
]);

function readTool({ tool, state }: z.infer<typeof toolSchema>, transcript: Transcript, emit: Emit): void {
  emit("tool", toolLine(tool, state.input));
  emit("output", state.status === "error" ? state.error : asText(state.output));
  if (/permission|rejected|denied/i.test(state.error)) addDenied(transcript, toolLine(tool, state.input));
}

/** It counts reasoning separately from the rest of an answer. */
function reportedTokens({
  input,
  output,
  reasoning,
  cache,
}: NonNullable<z.infer<typeof tokensSchema>>): ReportedTokens {
  return withCache({
    input,
    cachedInput: cache?.read,
    cacheWrite: cache?.write,
    output: output === undefined ? undefined : output + (reasoning ?? 0),
    reasoning,
  });
}

function configuration(start: Start): unknown {
  const { model, freedom } = start;
  const address = versionedAddress(start);
  const own = model !== null && isSelfHosted(model.provider) ? { npm: "@ai-sdk/openai-compatible", name: "relay" } : {};
  const options = {
    ...(address === null ? {} : { baseURL: address }),
    ...(model === null ? {} : { apiKey: `{env:${keyVariable(model.provider)}}` }),
  };
  return {
    autoupdate: false,
    share: "disabled",
    permission:
      freedom === "everything"
        ? { "*": "allow" }
        : { "*": "allow", bash: "deny", webfetch: "deny", external_directory: "deny" },
    ...(model === null
      ? {}
      : {
          // Also set here for calls without arguments; the same model writes titles, as others may be unavailable.
          model: `${nameForAgents(model.provider)}/${model.name}`,
          small_model: `${nameForAgents(model.provider)}/${model.name}`,
          provider: { [nameForAgents(model.provider)]: { ...own, options, models: { [model.name]: {} } } },
        }),
  };
}
