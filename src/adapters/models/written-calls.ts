import { isRecord } from "../../lib/text.ts";
import type { AnswerPart } from "./conversation.ts";
import type { AgentTool } from "./tool.ts";

type Call = Extract<AnswerPart, { type: "call" }>;

const MOST = 4;
const TAGGED = /<tool_call>([\s\S]*?)(?:<\/tool_call>|$)/g;
const FENCED = /```(?:json|tool_call)?[ \t]*\n([\s\S]*?)(?:\n```|$)/g;

/**
 * Calls that a model wrote as text instead of making them, as local models do: in `<tool_call>`, in a block of JSON, or
 * as the whole answer. Only JSON that names a tool, or whose fields fit exactly one, is taken for a call.
 */
export function writtenCalls(text: string, tools: readonly AgentTool[], step: number): Call[] {
  const tagged = [...text.matchAll(TAGGED)].map((found) => found[1] ?? "");
  const fenced = [...text.matchAll(FENCED)].map((found) => found[1] ?? "");
  const pieces = [tagged, fenced, [text]].find((some) => some.some((piece) => callOf(piece, tools) !== null)) ?? [];
  return pieces.slice(0, MOST).flatMap((piece, index) => {
    const call = callOf(piece, tools);
    if (call === null) return [];
    return [{ type: "call", id: `written_${step}_${index}`, ...call, metadata: undefined }];
  });
}

function callOf(piece: string, tools: readonly AgentTool[]): { tool: string; input: string } | null {
  const value = parsed(piece.trim());
  if (!isRecord(value)) return null;
  const named = isRecord(value["function"]) ? value["function"] : value;
  const name = named["name"] ?? named["tool"];
  if (typeof name === "string") {
    const given = named["arguments"] ?? named["parameters"] ?? named["input"] ?? {};
    const isTool = tools.some((tool) => tool.name === name);
    if (isTool) return { tool: name, input: typeof given === "string" ? given : JSON.stringify(given) };
  }
  const fitting = tools.filter(({ schema }) => fits(Object.keys(value), schema));
  const [only] = fitting;
  return only !== undefined && fitting.length === 1 ? { tool: only.name, input: JSON.stringify(value) } : null;
}

/** Whether these are the fields of the schema, with all that it requires. */
function fits(fields: readonly string[], { required, properties }: AgentTool["schema"]): boolean {
  const wanted = Array.isArray(required) ? required : [];
  return (
    wanted.length > 0 &&
    wanted.every((field) => fields.includes(String(field))) &&
    isRecord(properties) &&
    fields.every((field) => field in properties)
  );
}

function parsed(text: string): unknown {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
