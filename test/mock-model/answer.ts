/** What a scripted model says, in the words of no protocol. */
export interface MockAnswer {
  text?: string;
  reasoning?: string;
  /** `input` is sent as it is: JSON text, or what a model took for it. */
  calls?: { tool: string; input: string }[];
  finish?: "stop" | "length" | "refused";
  usage?: Partial<MockUsage>;
}

export interface MockUsage {
  /** All of the prompt, cached and written tokens included. */
  input: number;
  cached: number;
  written: number;
  output: number;
  reasoning: number;
}

/** One event of a stream, as text on the wire. */
export function event(data: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export function usageOf(answer: MockAnswer): MockUsage {
  return { input: 100, cached: 0, written: 0, output: 20, reasoning: 0, ...answer.usage };
}

/** A text in pieces, as models send it. */
export function pieces(text: string, length = 4_000): string[] {
  const count = Math.ceil(text.length / length);
  return Array.from({ length: count }, (_, n) => text.slice(n * length, (n + 1) * length));
}
