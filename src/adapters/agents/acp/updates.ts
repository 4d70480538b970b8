import { z } from "zod";
import type { Emit, Transcript } from "../transcript.ts";
import { asText } from "../tool-line.ts";

const WORDS_LIMIT = 16_000;

const contentSchema = z.object({ content: z.object({ text: z.string() }) });

const updateSchema = z.object({
  update: z.union([
    z.object({ sessionUpdate: z.literal("agent_message_chunk"), content: z.object({ text: z.string() }) }),
    z.object({ sessionUpdate: z.literal("tool_call"), title: z.string().catch("a tool"), kind: z.string().catch("") }),
    z.object({
      sessionUpdate: z.literal("tool_call_update"),
      status: z.string().nullish().catch(null),
      content: z.array(z.unknown()).nullish().catch(null),
    }),
    z.object({
      sessionUpdate: z.literal("usage_update"),
      cost: z.object({ amount: z.number().nonnegative(), currency: z.string() }).nullish().catch(null),
    }),
  ]),
});

/** Reads the notifications of a session: its text arrives in chunks, which are joined until a tool is called. */
export class Updates {
  readonly #transcript: Transcript;
  readonly #emit: Emit;
  #words = "";

  constructor(transcript: Transcript, emit: Emit) {
    this.#transcript = transcript;
    this.#emit = emit;
  }

  add(params: unknown): void {
    const update = updateSchema.safeParse(params).data?.update;
    switch (update?.sessionUpdate) {
      case "agent_message_chunk":
        this.#words = `${this.#words}${update.content.text}`.slice(-WORDS_LIMIT);
        return;
      case "tool_call":
        this.end();
        this.#emit("tool", update.kind === "" ? update.title : `${update.kind}: ${update.title}`);
        return;
      case "tool_call_update":
        this.end();
        if (update.status === "completed" || update.status === "failed") this.#output(update.content ?? []);
        return;
      case "usage_update":
        if (update.cost?.currency === "USD") this.#transcript.usd = update.cost.amount;
        return;
      case undefined:
        return;
    }
    update satisfies never;
  }

  /** The text since the last tool call is complete. */
  end(): void {
    if (this.#words.trim() === "") return;
    this.#transcript.summary = this.#words;
    this.#emit("said", this.#words);
    this.#words = "";
  }

  #output(content: readonly unknown[]): void {
    this.#emit("output", asText(content.map((part) => contentSchema.safeParse(part).data?.content.text ?? "")));
  }
}
