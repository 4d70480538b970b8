import { type MockAnswer, event, pieces, usageOf } from "./answer.ts";

/** The events of OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses-streaming */
export function responsesStream(answer: MockAnswer, model: string): string[] {
  const usage = usageOf(answer);
  const out: string[] = [];
  let sequence_number = 0;
  const send = (type: string, data: Record<string, unknown>) => {
    out.push(event({ type, sequence_number, ...data }, type));
    sequence_number += 1;
  };
  const response = { id: "resp_1", object: "response", created_at: 1_767_225_600, model, output: [] };
  send("response.created", { response: { ...response, status: "in_progress" } });
  send("response.in_progress", { response: { ...response, status: "in_progress" } });
  let output_index = 0;
  if (answer.reasoning !== undefined) {
    const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed-by-openai" };
    send("response.output_item.added", { output_index, item });
    send("response.output_item.done", { output_index, item });
    output_index += 1;
  }
  const refused = answer.finish === "refused";
  if (answer.text !== undefined && answer.text !== "") {
    const message = { type: "message", id: "msg_1", role: "assistant" };
    const kind = refused ? "response.refusal.delta" : "response.output_text.delta";
    send("response.output_item.added", { output_index, item: { ...message, status: "in_progress", content: [] } });
    for (const delta of pieces(answer.text)) send(kind, { item_id: "msg_1", output_index, content_index: 0, delta });
    const content = refused
      ? [{ type: "refusal", refusal: answer.text }]
      : [{ type: "output_text", text: answer.text, annotations: [] }];
    send("response.output_item.done", { output_index, item: { ...message, status: "completed", content } });
    output_index += 1;
  }
  for (const [n, call] of (answer.calls ?? []).entries()) {
    const item = { type: "function_call", id: `fc_${n + 1}`, call_id: `call_${n + 1}`, name: call.tool };
    send("response.output_item.added", { output_index, item: { ...item, status: "in_progress", arguments: "" } });
    for (const delta of pieces(call.input, 9)) {
      send("response.function_call_arguments.delta", { item_id: item.id, output_index, delta });
    }
    send("response.function_call_arguments.done", { item_id: item.id, output_index, arguments: call.input });
    send("response.output_item.done", { output_index, item: { ...item, status: "completed", arguments: call.input } });
    output_index += 1;
  }
  const cut = answer.finish === "length";
  send(cut ? "response.incomplete" : "response.completed", {
    response: {
      ...response,
      status: cut ? "incomplete" : "completed",
      incomplete_details: cut ? { reason: "max_output_tokens" } : null,
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
        total_tokens: usage.input + usage.output,
      },
    },
  });
  return out;
}
