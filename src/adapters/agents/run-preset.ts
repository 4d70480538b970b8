import type { Exit, RunningProgram } from "../../lib/launch.ts";
import type { AgentEnding, AgentReport, AgentRequest, CodingAgent } from "./agent.ts";
import { failed } from "./error-words.ts";
import type { Freedom, Preset } from "./preset.ts";
import { versionLine } from "./version.ts";
import { linesOf, OutputTail, readErrors, readText, waitForExit, withProgram } from "./program.ts";
import {
  type Emit,
  type Transcript,
  DETAIL_LIMIT,
  openTranscript,
  reportOf,
  shortLine,
  SUMMARY_LIMIT,
} from "./transcript.ts";

/** Characters of an agent's own words that are shown if it reported nothing. */
const SHOWN = 200;
/**
 * Longest line that is read as an event. Agents put whole files into one; the few longer lines carry nothing needed.
 */
const LINE_BYTES = 1024 * 1024;

/** A command-line agent, by its preset (R-WORK-3). */
export function presetAgent(name: string, preset: Preset, freedom: Freedom): CodingAgent {
  const { program, oldest, hosts, variables, ownModels, needs } = preset;
  return {
    name,
    program,
    ...(oldest === undefined ? {} : { oldest }),
    hosts,
    variables,
    ...(ownModels === undefined ? {} : { ownModels }),
    ...(needs === undefined ? {} : { needs }),
    run: async (request) =>
      await withProgram(
        request,
        { ...preset, freedom },
        async (running, { home }) => await listen(preset, running, { ...request, home }),
      ),
  };
}

async function listen(preset: Preset, running: RunningProgram, request: AgentRequest): Promise<AgentReport> {
  const { transcript, emit, clean } = openTranscript(request);
  const errors = new OutputTail();
  const { stdout } = running;
  const seen = { events: 0 };
  const reading = Promise.all([
    preset.readEvent === null
      ? readText(
          stdout,
          (text) => emit("said", text),
          (lines) => {
            transcript.summary = `${transcript.summary}${lines.join("\n")}\n`.slice(-SUMMARY_LIMIT);
          },
        )
      : readEvents(running, preset.readEvent, { transcript, errors, emit, seen }),
    readErrors(running, errors, emit),
  ]);
  const exit = await waitForExit(running, reading);
  await preset.readHome?.(request.home, transcript);
  const silence = preset.readEvent === null || seen.events > 0 ? null : silenceOf(preset.program, exit, errors.text);
  const ending =
    silence === null
      ? endingOf(preset.program, exit, { transcript, errors: errors.text })
      : await withVersion(silence, preset, request);
  return reportOf(ending, transcript, clean);
}

const UNKNOWN_OPTION =
  /(?:unknown|unrecogni[sz]ed|unexpected|invalid|undefined|unsupported) (?:shorthand )?(?:option|argument|flag|command|switch|value)|no such (?:option|command)|not defined: -|wasn't expected/i;

/** The ending of an agent that reported nothing, if something other than its work explains it; null otherwise. */
function silenceOf(program: string, { ending, code }: Exit, printed: string): AgentEnding | null {
  const words = shortLine(printed, SHOWN);
  const said = words === "" ? "" : `: ${words}`;
  if (ending === "timeout") {
    const detail = `${program} reported nothing in all its time, as if it waited for input${said}`;
    return { kind: "timeout", detail };
  }
  if (ending !== "exit") return null;
  if (code === 0) {
    const detail = `${program} ended without a report that Relay understands${said}`;
    return { kind: "failed", detail, usable: true };
  }
  if (!UNKNOWN_OPTION.test(printed)) return null;
  const detail = `${program} does not know an option that Relay uses${said}; it may be too old, so update it`;
  return { kind: "failed", detail, usable: false };
}

/** Adds to an ending which version it was, and which is the oldest that is known to work. */
async function withVersion(
  ending: AgentEnding,
  { program, oldest }: Preset,
  { launch, directory }: AgentRequest,
): Promise<AgentEnding> {
  const version = await versionLine(program, launch, directory).catch(() => "");
  const found = version === "" ? "its version is unknown" : `found is ${version}`;
  const known = oldest === undefined ? "" : `, the oldest supported version is ${oldest}`;
  return "detail" in ending ? { ...ending, detail: `${ending.detail} (${found}${known})` } : ending;
}

/** Passes its events on, and counts them. */
async function readEvents(
  { stdout }: RunningProgram,
  readEvent: NonNullable<Preset["readEvent"]>,
  {
    transcript,
    errors,
    emit,
    seen,
  }: { transcript: Transcript; errors: OutputTail; emit: Emit; seen: { events: number } },
): Promise<void> {
  for await (const lines of linesOf(stdout, LINE_BYTES)) {
    const other: string[] = [];
    for (const { text, whole } of lines) {
      const event = whole ? parsed(text) : undefined;
      if (event !== undefined) {
        seen.events += 1;
        readEvent(event, transcript, emit);
      } else other.push(whole ? text : `${text.slice(0, 200)} … (a line of more than ${LINE_BYTES} bytes)`);
    }
    errors.add(other);
    emit("output", other.join("\n"));
  }
}

/** Undefined for anything but an object or a list: a bare word or number is output like any other. */
function parsed(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** How it ended: its own report decides, then its exit code. */
function endingOf(
  program: string,
  exit: Exit,
  { transcript, errors }: { transcript: Transcript; errors: string },
): AgentEnding {
  if (exit.ending !== "exit") return { kind: exit.ending };
  if (transcript.limit !== null) return { kind: "limit", detail: shortLine(transcript.limit, DETAIL_LIMIT) };
  if (transcript.error === null && exit.code === 0) return { kind: "finished" };
  const words = transcript.error ?? (errors.trim() === "" ? transcript.summary : errors);
  const how = exit.code === null ? "was ended by a signal" : `ended with code ${exit.code}`;
  const detail = `${program} ${how}${words.trim() === "" ? "" : `: ${shortLine(words, DETAIL_LIMIT)}`}`;
  return failed(detail, words, exit.code);
}
