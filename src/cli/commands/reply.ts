import { z } from "zod";
import { type ReplyVerdict, replyVerdict } from "../../approval/read-reply.ts";
import { RelayError } from "../../lib/errors.ts";
import { type Terminal, EXIT, printJson } from "../terminal.ts";

const lineSchema = z.object({ text: z.string(), context: z.unknown().optional() });

/** `relay reply`: one JSON document `{text}` a line in, one `{verdict, reason}` a line out, in the same order. */
export async function reply(terminal: Terminal): Promise<number> {
  const input = await terminal.readInput();
  for (const [index, line] of input.split("\n").entries()) {
    if (line.trim() === "") continue;
    printJson<ReplyVerdict>(terminal, replyVerdict(parseLine(line, index + 1).text));
  }
  return EXIT.done;
}

function parseLine(line: string, number: number): z.infer<typeof lineSchema> {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new RelayError("usage", `line ${number} of the input is not a JSON document with a “text”`, { cause });
  }
}
