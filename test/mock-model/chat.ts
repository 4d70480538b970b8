import { type MockAnswer, event, pieces, usageOf } from "./answer.ts";

/** The chunks of the Chat Completions API, which Ollama, vLLM, LM Studio and others speak; `usage` only if asked for. */
export function chatStream(answer: MockAnswer, model: string, withUsage: boolean): string[] {
  const usage = usageOf(answer);
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_767_225_600, model };
  const out: string[] = [];
  const send = (delta: Record<string, unknown>, finish_reason: string | null = null) =>
    out.push(event({ ...chunk, choices: [{ index: 0, delta, finish_reason }] }));
  send({ role: "assistant", content: "" });
  if (answer.reasoning !== undefined) send({ reasoning_content: answer.reasoning });
  for (const content of pieces(answer.text ?? "")) {
    send(answer.finish === "refused" ? { refusal: content } : { content });
  }
  for (const [index, call] of (answer.calls ?? []).entries()) {
    const first = { index, id: `call_${index + 1}`, type: "function", function: { name: call.tool, arguments: "" } };
    send({ tool_calls: [first] });
    for (const part of pieces(call.input, 9)) send({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  const called = (answer.calls ?? []).length > 0 ? "tool_calls" : "stop";
  const reasons = { stop: called, length: "length", refused: "stop" };
  send({}, reasons[answer.finish ?? "stop"]);
  if (withUsage) {
    out.push(
      event({
        ...chunk,
        choices: [],
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
          prompt_tokens_details: { cached_tokens: usage.cached },
          completion_tokens_details: { reasoning_tokens: usage.reasoning },
        },
      }),
    );
  }
  out.push("data: [DONE]\n\n");
  return out;
}
