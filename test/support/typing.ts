import { PassThrough } from "node:stream";
import type { Terminal } from "../../src/cli/terminal.ts";

export const ENTER = "\r";
export const LEFT = "\u001b[D";

/** A terminal where somebody answers each prompt, by its number and text, with these keys; a prompt without any waits. */
export function typing(keysFor: (at: number, prompt: string) => readonly string[] = () => []) {
  const input = new PassThrough();
  const output = new PassThrough();
  let at = 0;
  const said = { out: "", err: "", shown: "" };
  const press = ([key, ...keys]: readonly string[]) => {
    if (key === undefined) return;
    input.write(key);
    setTimeout(press, 5, keys);
  };
  output.on("data", (chunk: Buffer) => {
    const drawn = chunk.toString("utf8");
    said.shown += drawn;
    // The mark of a prompt that waits, when it is first drawn.
    if (drawn.includes("◆") && drawn.includes("└")) setTimeout(press, 5, keysFor(at++, drawn));
  });
  const terminal: Terminal = {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    interactive: true,
    progress: false,
    color: false,
    outputFailure: () => null,
    prompts: { input, output },
    readInput: async () => await Promise.resolve(""),
  };
  return { terminal, said };
}
