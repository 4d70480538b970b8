import { type MockAnswer, event, pieces, usageOf } from "./answer.ts";

/** The events of Anthropic's Messages API: https://docs.anthropic.com/en/api/messages-streaming */
export function anthropicStream(answer: MockAnswer, model: string): string[] {
  const usage = usageOf(answer);
  const out: string[] = [];
  const send = (data: { type: string } & Record<string, unknown>) => out.push(event(data, data.type));
  send({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.input - usage.cached - usage.written,
        cache_creation_input_tokens: usage.written,
        cache_read_input_tokens: usage.cached,
        output_tokens: 1,
      },
    },
  });
  send({ type: "ping" });
  let index = 0;
  const block = (content_block: Record<string, unknown>, deltas: Record<string, unknown>[]) => {
    send({ type: "content_block_start", index, content_block });
    for (const delta of deltas) send({ type: "content_block_delta", index, delta });
    send({ type: "content_block_stop", index });
    index += 1;
  };
  if (answer.reasoning !== undefined) {
    block({ type: "thinking", thinking: "", signature: "" }, [
      { type: "thinking_delta", thinking: answer.reasoning },
      { type: "signature_delta", signature: "signed-by-anthropic" },
    ]);
  }
  if (answer.text !== undefined && answer.text !== "") {
    block(
      { type: "text", text: "" },
      pieces(answer.text).map((text) => ({ type: "text_delta", text })),
    );
  }
  for (const [n, call] of (answer.calls ?? []).entries()) {
    block(
      { type: "tool_use", id: `toolu_${n + 1}`, name: call.tool, input: {} },
      pieces(call.input, 9).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    );
  }
  const called = (answer.calls ?? []).length > 0 ? "tool_use" : "end_turn";
  const reasons = { stop: called, length: "max_tokens", refused: "refusal" };
  send({
    type: "message_delta",
    delta: { stop_reason: reasons[answer.finish ?? "stop"], stop_sequence: null },
    usage: { output_tokens: usage.output },
  });
  send({ type: "message_stop" });
  return out;
}
