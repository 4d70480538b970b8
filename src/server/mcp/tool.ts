import type { CallToolResult, McpServer, ServerContext, StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { keptJson } from "../../domain/text/clean-text.ts";
import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";
import { withSecrets } from "../../lib/own-secrets.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { McpContext } from "./context.ts";

/** A call of a tool while it runs. */
export interface Call {
  /** Aborted when the client cancels the call, or is gone. */
  signal: AbortSignal;
  /** Tells the client that the call is still running, if it asked for that. */
  progress: (message: string) => void;
}

interface ToolAbout<I extends z.ZodObject, O extends z.ZodObject> {
  name: string;
  title: string;
  /** For a model: what it gets, and when to use it. */
  description: string;
  /** `says`: words of a person reach an issue. */
  effect: "reads" | "says";
  input: I;
  output: O;
  /** `text` is what a model reads, `data` the same for programs. Throws `RelayError`: its sentence is the answer. */
  run: (args: z.output<I>, context: McpContext, call: Call) => Promise<{ text: string; data: z.input<O> }>;
}

/** Makes a tool known to a server. */
export type Tool = (server: McpServer, context: McpContext) => void;

const UNEXPECTED = "Something unexpected went wrong in Relay; its log tells what.";

/** A tool whose failures are answers of one sentence, and no errors of the protocol. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(about: ToolAbout<I, O>): Tool {
  const { name, title, description, effect, input, output, run } = about;
  return (server, context) => {
    const annotations = {
      readOnlyHint: effect === "reads",
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: effect === "says",
    };
    const answer = async (args: unknown, client: ServerContext): Promise<CallToolResult> => {
      try {
        // What the repository must not show is known once the issue is.
        return await withSecrets([], async () => {
          const { text, data } = await run(input.parse(args), context, callOf(client));
          const shown = removeSecrets(text).text;
          return { content: [{ type: "text" as const, text: shown }], structuredContent: seenData(output.parse(data)) };
        });
      } catch (error) {
        return { content: [{ type: "text", text: toldAs(error, name, context) }], isError: true };
      }
    };
    const inputSchema: StandardSchemaWithJSON = input;
    const outputSchema: StandardSchemaWithJSON = output;
    server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, answer);
  };
}

/**
 * The data without secrets and characters that hide or reorder, whoever wrote a name or a text in it (R-SAFE-6,
 * R-SAFE-7).
 */
function seenData(data: unknown): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(keptJson(data)));
}

/** The sentence that a client gets for an error; what is Relay's own fault goes to the log. */
export function toldAs(error: unknown, what: string, { log }: Pick<McpContext, "log">): string {
  if (error instanceof RelayError && error.code !== "internal")
    return /[.!?…]$/.test(error.message) ? error.message : `${error.message}.`;
  log.error({ tool: what, error: messageOf(error) }, "call failed");
  return UNEXPECTED;
}

function callOf({ mcpReq }: ServerContext): Call {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  let steps = 0;
  return {
    signal: mcpReq.signal,
    progress: (message) => {
      if (token === undefined) return;
      steps += 1;
      const params = { progressToken: token, progress: steps, message };
      // A client that is gone needs no progress.
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
