import { z } from "zod";
import { addDenied, type Emit } from "../transcript.ts";
import type { Preset, Start } from "../preset.ts";
import { asText, toolLine } from "../tool-line.ts";

/** Bytes of a prompt that fits into one argument on every system. */
const ARGUMENT_BYTES = 100_000;
const PROMPT_FILE = "task.md";

/** Cursor's command line: https://cursor.com/docs/cli/headless */
export const cursor: Preset = {
  program: "cursor-agent",
  hosts: ["*.cursor.sh", "*.cursor.com"],
  variables: ["CURSOR_API_KEY"],
  needs: "CURSOR_API_KEY, named in work.environment",

  settings: (start) => ({
    files: fitsArgument(start.prompt) ? [] : [{ path: PROMPT_FILE, text: start.prompt }],
    environment: {},
  }),

  call: ({ prompt, home, model, freedom }: Start) => ({
    args: [
      "-p",
      "--output-format",
      "stream-json",
      // Without it, changes are only proposed.
      "--force",
      "--trust",
      "--sandbox",
      freedom === "everything" ? "disabled" : "enabled",
      ...(model === null ? [] : ["--model", model.name]),
      fitsArgument(prompt) ? asArgument(prompt) : `Read all of the file ${home}/${PROMPT_FILE}, and do what it says.`,
    ],
    input: null,
  }),

  readEvent(raw, transcript, emit) {
    const event = eventSchema.safeParse(raw).data;
    if (event === undefined) return;
    if (event.type === "assistant") {
      const words = asText(event.message.content);
      transcript.summary = words;
      emit("said", words);
    } else if (event.type === "tool_call") {
      readTool(event, (what) => addDenied(transcript, what), emit);
    } else {
      transcript.summary = event.result === "" ? transcript.summary : event.result;
      if (event.is_error) transcript.error = event.result === "" ? "it failed" : event.result;
    }
  },
};

const toolSchema = z.object({
  type: z.literal("tool_call"),
  subtype: z.string().catch(""),
  tool_call: z
    .record(
      z.string(),
      z
        .object({ args: z.unknown().optional(), result: z.record(z.string(), z.unknown()).optional().catch(undefined) })
        .catch({
          args: undefined,
          result: undefined,
        }),
    )
    .catch({}),
});

const eventSchema = z.union([
  z.object({ type: z.literal("assistant"), message: z.object({ content: z.unknown().optional() }) }),
  toolSchema,
  z.object({ type: z.literal("result"), is_error: z.boolean().catch(false), result: z.string().catch("") }),
]);

/** Each tool has a key of its own: `{"editToolCall": {"args": …, "result": {"success": …}}}`. */
function readTool(event: z.infer<typeof toolSchema>, deny: (what: string) => void, emit: Emit): void {
  for (const [key, { args, result }] of Object.entries(event.tool_call).slice(0, 3)) {
    const line = toolLine(key.replace(/ToolCall$/, ""), args);
    if (event.subtype === "started") emit("tool", line);
    if (result?.["rejected"] !== undefined || result?.["permissionDenied"] !== undefined) deny(line);
  }
}

function fitsArgument(prompt: string): boolean {
  return Buffer.byteLength(prompt) <= ARGUMENT_BYTES;
}

/** Keeps a prompt with a leading hyphen from being read as an option; removes NUL, which no argument may hold. */
function asArgument(prompt: string): string {
  const clean = prompt.replaceAll("\0", "");
  return clean.startsWith("-") ? `The task:\n${clean}` : clean;
}
