import { z } from "zod";
import { fenceCode } from "../../adapters/models/fence.ts";
import { type AgentTool, type ToolResult, agentTool } from "../../adapters/models/tool.ts";
import type { VerifiedPlace } from "../../domain/exploration.ts";
import type { CodeIndex } from "../code-index.ts";
import type { ToolAnswer } from "../tools/answer.ts";
import { type FileAccessOptions, createFileAccess } from "../tools/file-access.ts";
import { readLines } from "../tools/read-lines.ts";
import { searchText } from "../tools/search-text.ts";

/** Calls of these tools in one run, including all attempts. */
const CALLS = 12;
const CHARACTERS = 30_000;
const LINES = 120;
const HITS = 40;
const EACH = 8_000;

export interface Looking {
  /** Boundary of the fences around code. */
  boundary: string;
  /** Gets each stretch of lines that was shown. */
  shown: (place: VerifiedPlace) => void;
}

/** Makes the tools of one run. */
export type LookingTools = (looking: Looking) => AgentTool[];

/**
 * `read_lines` and `search_text` for models that plan or write: a short look at the code, where an exploration would
 * cost a hundred times as much (R-PLAN-14). They see the same files as the explorer.
 */
export function lookingTools(index: CodeIndex, options: FileAccessOptions = {}): LookingTools {
  const fileAccess = createFileAccess(index, options);
  const read = readLines(fileAccess);
  const search = searchText(fileAccess);
  return ({ boundary, shown }) => {
    let calls = 0;
    let room = CHARACTERS;

    async function within<Data>(
      look: (characters: number) => Promise<ToolAnswer<Data>>,
      take?: (data: Data) => void,
    ): Promise<ToolResult> {
      if (calls >= CALLS || room <= 0) {
        const limit = calls >= CALLS ? `${CALLS} looks` : `${CHARACTERS} characters of looks`;
        return { output: `The limit of ${limit} is reached; go on with what you know.`, isError: true };
      }
      calls += 1;
      const answer = await look(EACH);
      if (answer.kind === "refused") return { output: fenceCode("refused", answer.reason, boundary), isError: true };
      room -= answer.text.length;
      take?.(answer.data);
      return { output: `${fenceCode("code", answer.text, boundary)}\n${CALLS - calls} looks left.` };
    }

    return [
      agentTool({
        name: "read_lines",
        description: `Reads up to ${LINES} lines of one file, numbered. For a place that you know; what it shows may be cited.`,
        input: z.object({
          path: z.string().min(1).max(1_000),
          start: z.int().min(1).max(10_000_000).default(1).describe("first line"),
          end: z.int().min(1).max(10_000_000).nullish().describe(`last line, at most ${LINES} in all`),
        }),
        execute: async ({ path, start, end }, { signal }) => {
          const last = Math.min(end ?? start + LINES - 1, start + LINES - 1);
          return await within(
            async (characters) =>
              await read.run({ path, start, end: last, limit: LINES, max_characters: characters }, signal),
            (data) => {
              const [first] = data.lines;
              if (first === undefined) return;
              const location = `${data.path}:${first.line}-${first.line + data.lines.length - 1}`;
              shown({ location, snippet: data.lines.map(({ text }) => text).join("\n") });
            },
          );
        },
      }),
      agentTool({
        name: "search_text",
        description: `Finds up to ${HITS} lines that hold a text: whether and where something is named. Read the lines before you cite them.`,
        input: z.object({
          text: z.string().min(1).max(500),
          regex: z.boolean().nullish().describe("text is a regular expression"),
          ignore_case: z.boolean().nullish(),
          paths: z.array(z.string().max(1_000)).max(20).nullish().describe('files, folders or globs; "!" leaves out'),
        }),
        execute: async ({ text, regex, ignore_case: ignoreCase, paths }, { signal }) =>
          await within(
            async (characters) =>
              await search.run(
                {
                  text,
                  regex: regex ?? false,
                  ignore_case: ignoreCase ?? false,
                  paths: paths ?? [],
                  limit: HITS,
                  max_characters: characters,
                },
                signal,
              ),
          ),
      }),
    ];
  };
}
