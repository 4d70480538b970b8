import type { Exit, RunningProgram } from "../../lib/launch.ts";
import type { AgentEnding, AgentReport, AgentRequest, CodingAgent } from "./agent.ts";
import { cleaner, entryOf, nothingHeard, oneLine, SUMMARY_LIMIT } from "./transcript.ts";
import { isHopeless } from "./permanent-errors.ts";
import { linesOf } from "./lines.ts";
import type { Freedom, Heard, Preset, Tell } from "./preset.ts";
import { closeRunHome, openRunHome, writeSettings } from "./run-home.ts";

/** Of one line of output. Agents put whole files into one; the few that are longer tell nothing that is needed. */
const LINE_BYTES = 1024 * 1024;
const TEXT_LINE_BYTES = 16 * 1024;
/** Of what was printed last, to tell why it failed. */
const LAST_WORDS = 2_000;
const DETAIL_LIMIT = 600;
/** Milliseconds for what is still in the pipes when all programs of the group are gone. */
const DRAIN_MS = 5_000;

/** A command-line agent by its preset (R-WORK-3). */
export function presetAgent(preset: Preset, freedom: Freedom): CodingAgent {
  return {
    name: preset.name,
    program: preset.program,
    hosts: preset.hosts,
    variables: preset.variables,
    ...(preset.needs === undefined ? {} : { needs: preset.needs }),
    run: (request) => runPreset(preset, freedom, request),
  };
}

async function runPreset(preset: Preset, freedom: Freedom, request: AgentRequest): Promise<AgentReport> {
  const home = await openRunHome(request.home);
  try {
    const start = { ...request, home, freedom };
    const { files, environment } = preset.settings(start);
    const { args, input } = preset.call(start);
    await writeSettings(home, files);
    const program = await request.launch({
      command: preset.program,
      args,
      cwd: request.directory,
      environment: { ...request.environment, HOME: home, NO_COLOR: "1", ...environment },
      stdin: input === null ? "closed" : "open",
      timeoutMs: request.timeoutMs,
      mostOutputBytes: request.mostOutputBytes,
      ...(request.signal ? { signal: request.signal } : {}),
    });
    give(program, input);
    return await listen(preset, program, { ...request, home });
  } finally {
    await closeRunHome(home);
  }
}

function give(program: RunningProgram, input: string | null): void {
  // One that ends without reading it: its exit tells the story.
  program.stdin?.on("error", () => {});
  program.stdin?.end(input ?? "");
}

async function listen(preset: Preset, program: RunningProgram, request: AgentRequest): Promise<AgentReport> {
  const clean = cleaner(request.environment);
  const heard = nothingHeard();
  const errors = new LastWords();
  const tell: Tell = (kind, text) => {
    const entry = entryOf(kind, text, clean);
    if (entry !== null) request.onEntry(entry);
  };
  const reading = Promise.all([
    preset.hear === null ? hearText(program, heard, tell) : hearEvents(program, preset.hear, { heard, errors, tell }),
    hearErrors(program, errors, tell),
  ]);
  const exit = await finish(program, reading);
  await preset.readHome?.(request.home, heard);
  const ending = endingOf(preset.program, exit, { heard, errors: errors.text });
  return reportOf(ending, heard, clean);
}

/** Waits for the program's end, then for what it said; a pipe that somebody still holds open is closed. */
export async function finish(program: RunningProgram, reading: Promise<unknown>): Promise<Exit> {
  const exit = await program.exit;
  const timer = setTimeout(() => {
    program.stdout.destroy();
    program.stderr.destroy();
  }, DRAIN_MS);
  await reading;
  clearTimeout(timer);
  return exit;
}

async function hearEvents(
  { stdout }: RunningProgram,
  hear: NonNullable<Preset["hear"]>,
  { heard, errors, tell }: { heard: Heard; errors: LastWords; tell: Tell },
): Promise<void> {
  for await (const lines of linesOf(stdout, LINE_BYTES)) {
    const other: string[] = [];
    for (const { text, whole } of lines) {
      const event = whole ? parsed(text) : undefined;
      if (event !== undefined) hear(event, heard, tell);
      else other.push(whole ? text : `${text.slice(0, 200)} … (a line of more than ${LINE_BYTES} bytes)`);
    }
    errors.add(other);
    tell("output", other.join("\n"));
  }
}

/** Undefined for what is no object or list: a bare word or number is output like any other. */
function parsed(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

async function hearText({ stdout }: RunningProgram, heard: Heard, tell: Tell): Promise<void> {
  for await (const lines of linesOf(stdout, TEXT_LINE_BYTES)) {
    const words = lines.map(({ text }) => text).join("\n");
    heard.summary = `${heard.summary}${words}\n`.slice(-SUMMARY_LIMIT);
    tell("said", words);
  }
}

export async function hearErrors({ stderr }: RunningProgram, errors: LastWords, tell: Tell): Promise<void> {
  for await (const lines of linesOf(stderr, TEXT_LINE_BYTES)) {
    const words = lines.map(({ text }) => text);
    errors.add(words);
    tell("output", words.join("\n"));
  }
}

/** The end of what was printed. */
export class LastWords {
  text = "";

  add(lines: readonly string[]): void {
    if (lines.length > 0) this.text = `${this.text}${lines.join("\n")}\n`.slice(-LAST_WORDS);
  }
}

/** How it came to its end, by its own words first and its exit code second. */
export function endingOf(
  program: string,
  exit: Exit,
  { heard, errors }: { heard: Heard; errors: string },
): AgentEnding {
  if (exit.ending !== "exit") return { kind: exit.ending };
  if (heard.limit !== null) return { kind: "limit", detail: oneLine(heard.limit, DETAIL_LIMIT) };
  if (heard.error === null && exit.code === 0) return { kind: "finished" };
  const words = heard.error ?? (errors.trim() === "" ? heard.summary : errors);
  const how = exit.code === null ? "was ended by a signal" : `ended with code ${exit.code}`;
  const detail = `${program} ${how}${words.trim() === "" ? "" : `: ${oneLine(words, DETAIL_LIMIT)}`}`;
  return { kind: "failed", detail, usable: !isHopeless(words, exit.code) };
}

export function reportOf(ending: AgentEnding, heard: Heard, clean: (text: string) => string): AgentReport {
  return {
    ending: "detail" in ending ? { ...ending, detail: clean(ending.detail) } : ending,
    summary: clean(heard.summary.slice(-SUMMARY_LIMIT)).trim().slice(0, SUMMARY_LIMIT),
    denied: heard.denied.map((line) => clean(line)),
    usd: heard.usd,
    tokens: heard.tokens,
  };
}
