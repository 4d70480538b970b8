import { z } from "zod";
import type { Issue } from "../../domain/issue.ts";
import { fence } from "../../adapters/models/fence.ts";
import type { AgentTool } from "../../adapters/models/tool.ts";
import { agentTool } from "../../adapters/models/tool.ts";

const MAX_CHARACTERS = 30_000;

export interface SpecReading {
  mode: "summary" | "full";
  /** A heading, in part. */
  section?: string;
  maxChars: number;
}

/** Reads the spec of this issue and of no other (R-PLAN-5, R-SAFE-2); says so where there is none. */
export type ReadSpec = (issue: Issue, reading: SpecReading) => Promise<string>;

/** The tool `read_spec`; the issue is Relay's choice, never the model's. */
export function readSpecTool(read: ReadSpec, { issue, boundary }: { issue: Issue; boundary: string }): AgentTool {
  return agentTool({
    name: "read_spec",
    description:
      "Reads the current spec of this issue: `summary` gives contents and an excerpt, `section` one section by its " +
      "heading, `full` the text. Prefer the smallest that answers your question.",
    input: z.object({
      mode: z.enum(["summary", "full"]).default("summary"),
      section: z.string().max(200).nullish().describe("A heading of the contents, or a part of it"),
      max_chars: z.number().int().min(200).max(MAX_CHARACTERS).default(MAX_CHARACTERS),
    }),
    execute: async ({ mode, section, max_chars: maxChars }) => {
      const wanted = section === undefined || section === null || section.trim() === "" ? {} : { section };
      return fence("spec", await read(issue, { mode, maxChars, ...wanted }), boundary);
    },
  });
}
