import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { type Voice, VOICES } from "../e2e/coding-agents/transcripts.ts";

/*
 * A coding agent that speaks like the one it is named after, and does what the first line of its task says. What it was
 * given goes into `seen.json` beside its home.
 */
const [name = "", ...args] = process.argv.slice(2);
const voice = VOICES[name];
if (voice === undefined) throw new Error(`no agent is called ${name}`);
const home = process.env["HOME"] ?? "";

const print = (lines: readonly unknown[]): void => {
  for (const line of lines) process.stdout.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
};

function promptIn(input: string): string {
  const last = args.at(-1) ?? "";
  const file = /(\/[^ ]*task\.md)/.exec(last)?.[1];
  if (file !== undefined) return readFileSync(file, "utf8");
  return input === "" ? last : input;
}

async function act(does: string, prompt: string, as: Voice): Promise<void> {
  print(as.says("I begin."));
  switch (does) {
    case "edit":
      writeFileSync("hello.txt", prompt);
      print(as.edits("hello.txt"));
      print(as.finishes("All is done."));
      if (as.leaves !== undefined) leave(as.leaves);
      return;
    case "fail":
      return fail(as.fails("the server is overloaded; the key was " + (process.env["OPENAI_API_KEY"] ?? "")));
    case "be refused":
      return fail(as.fails("unexpected status 401 Unauthorized: Incorrect API key provided"));
    case "meet its limit":
      return fail(as.meetsLimit?.() ?? { lines: [], code: 9 });
    case "say nothing":
      return;
    case "die":
      process.kill(process.pid, "SIGKILL");
      return;
    case "hang":
      print(as.edits("hello.txt"));
      spawn("sleep", ["300"], { stdio: "inherit" });
      await pause(300_000);
      return;
    case "flood":
      for (;;) if (!process.stdout.write("so many words\n".repeat(1_000))) await pause(1);
    case "never end a line":
      for (;;) if (!process.stdout.write("x".repeat(64 * 1024))) await pause(1);
    case "stammer":
      print([
        '{"type":',
        "null",
        "[]",
        "7",
        '{"type":"result"}',
        '{"type":5}',
        "[".repeat(50_000) + "]".repeat(50_000),
      ]);
      print([
        { type: "assistant", message: null },
        { type: "item.completed", item: 3 },
        { type: "text", part: {} },
      ]);
      print([{ type: "result", usage: "much", stats: [], errors: 5, permission_denials: {} }]);
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
      writeFileSync("hello.txt", prompt);
      print(as.finishes("All is done."));
      return;
    default:
      throw new Error(`cannot ${does}`);
  }
}

function leave({ path, lines }: NonNullable<Voice["leaves"]>): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function fail({ lines, errors, code }: { lines: unknown[]; errors?: string; code: number }): void {
  print(lines);
  if (errors !== undefined) process.stderr.write(errors);
  process.exitCode = code;
}

const prompt = promptIn(await text(process.stdin));
writeFileSync(join(dirname(home), "seen.json"), JSON.stringify({ args, environment: process.env }));
await act(/do: (.*)/.exec(prompt)?.[1] ?? "", prompt, voice);
