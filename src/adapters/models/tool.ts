import { z } from "zod";
import { isRecord } from "../../lib/text.ts";

/** The position of a call within its step, so that a tool can handle a second submission. */
export interface ToolContext {
  callId: string;
  /** 1 for the first answer of the run. */
  step: number;
  /** Position in the model's order, from 0. */
  index: number;
  /** The tools called in this step, in the model's order. */
  calledInStep: readonly string[];
  signal: AbortSignal;
}

export interface ToolResult {
  output: string;
  /** The model learns that the call failed. */
  isError?: boolean;
  /** The run is over after this step. */
  ends?: boolean;
}

export type ToolRun = { kind: "ran"; result: ToolResult } | { kind: "off_schema"; problems: string[] };

/** A tool that a model may call. Made by `agentTool`. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: Record<string, unknown>;
  /** Calls of this tool run after the others of their step, one after another in the model's order. */
  readonly inTurn: boolean;
  run(input: unknown, context: ToolContext): Promise<ToolRun>;
}

/** A call and its result. */
export interface ToolCall {
  id: string;
  tool: string;
  /** As the model wrote it; may be malformed. */
  input: string;
  output: string;
  outcome: "ok" | "error" | "malformed" | "off_schema" | "unknown_tool" | "threw";
  ends: boolean;
}

const PROBLEMS_SHOWN = 8;

/**
 * A tool whose arguments are validated before `execute` sees them. The model gets what `execute` throws as an error of
 * the tool: throw nothing whose message a model must not see.
 */
export function agentTool<Input extends z.ZodType>(definition: {
  name: string;
  description: string;
  input: Input;
  inTurn?: boolean;
  execute: (input: z.output<Input>, context: ToolContext) => Promise<ToolResult | string>;
}): AgentTool {
  const { $schema: _, ...schema } = z.toJSONSchema(definition.input, { target: "draft-7", io: "input" });
  return {
    name: definition.name,
    description: definition.description,
    schema,
    inTurn: definition.inTurn ?? false,
    run: async (input, context) => {
      const asGiven = await definition.input.safeParseAsync(input);
      const decoded = asGiven.success ? input : withDecodedFields(input);
      const parsed = decoded === input ? asGiven : await definition.input.safeParseAsync(decoded);
      if (!parsed.success) {
        const problems = parsed.error.issues
          .slice(0, PROBLEMS_SHOWN)
          .map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
        return { kind: "off_schema", problems };
      }
      const result = await definition.execute(parsed.data, context);
      return { kind: "ran", result: typeof result === "string" ? { output: result } : result };
    },
  };
}

/** Some models encode lists and objects within the arguments once more. */
function withDecodedFields(input: unknown): unknown {
  if (!isRecord(input)) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, decodedField(value)]));
}

function decodedField(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
