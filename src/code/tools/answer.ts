import type { z } from "zod";

/** The result of a tool call. A refusal contains the alternative for the model. */
export type ToolAnswer<Data> =
  | {
      kind: "answer";
      /** For the model; untrusted, since it quotes the repository. Within the requested number of characters. */
      text: string;
      /** The same as values that survive JSON. */
      data: Data;
      /** Cursor of the next page; absent on the last one. */
      next?: string;
    }
  | Refusal;

export interface Refusal {
  kind: "refused";
  reason: string;
}

/** A read-only tool for a model, confined to one commit of one repository and bounded in every way (R-EXP-3). */
export interface ExplorerTool<Data> {
  readonly name: string;
  /** Written for the model: when to use it, what it returns, its limits. */
  readonly description: string;
  readonly input: z.ZodType;
  /** Never throws for bad input; throws `RelayError` where git or the machine fails. */
  run(input: unknown, signal?: AbortSignal): Promise<ToolAnswer<Data>>;
}

export function refused(reason: string): Refusal {
  return { kind: "refused", reason };
}
