import { type MockAnswer, event, pieces, usageOf } from "./answer.ts";

/** The chunks of Gemini's streamGenerateContent: https://ai.google.dev/api/generate-content */
export function googleStream(answer: MockAnswer, model: string): string[] {
  const usage = usageOf(answer);
  const usageMetadata = {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.input + usage.output,
  };
  const chunk = (parts: Record<string, unknown>[], finishReason?: string) =>
    event({
      candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
      usageMetadata,
      modelVersion: model,
      responseId: "resp-1",
    });
  const out: string[] = [];
  if (answer.reasoning !== undefined) out.push(chunk([{ text: answer.reasoning, thought: true }]));
  for (const text of pieces(answer.text ?? "")) out.push(chunk([{ text }]));
  const broken = (answer.calls ?? []).some((call) => !isObject(call.input));
  for (const call of broken ? [] : (answer.calls ?? [])) {
    const functionCall = { name: call.tool, args: JSON.parse(call.input) };
    out.push(chunk([{ functionCall, thoughtSignature: "signed-by-google" }]));
  }
  // Gemini parses calls itself, and says so when it cannot.
  const reasons = { stop: broken ? "MALFORMED_FUNCTION_CALL" : "STOP", length: "MAX_TOKENS", refused: "SAFETY" };
  out.push(
    chunk(answer.text || (answer.calls ?? []).length > 0 ? [] : [{ text: "" }], reasons[answer.finish ?? "stop"]),
  );
  return out;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
