import type { Exit, RunningProgram } from "../../lib/launch.ts";
import type { AgentEnding, AgentReport, AgentRequest, CodingAgent } from "./agent.ts";
import { failed } from "./error-words.ts";
import type { Freedom, Preset } from "./preset.ts";
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

/** Longest line that is read as an event. Agents put whole files into one; the few longer lines carry nothing needed. */
const LINE_BYTES = 1024 * 1024;

/** A command-line agent, by its preset (R-WORK-3). */
export function presetAgent(name: string, preset: Preset, freedom: Freedom): CodingAgent {
  const { program, hosts, variables, ownModels, needs } = preset;
  return {
    name,
    program,
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
  const reading = Promise.all([
    preset.readEvent === null
      ? readText(
          stdout,
          (text) => emit("said", text),
          (lines) => {
            transcript.summary = `${transcript.summary}${lines.join("\n")}\n`.slice(-SUMMARY_LIMIT);
          },
        )
      : readEvents(running, preset.readEvent, { transcript, errors, emit }),
    readErrors(running, errors, emit),
  ]);
  const exit = await waitForExit(running, reading);
  await preset.readHome?.(request.home, transcript);
  return reportOf(endingOf(preset.program, exit, { transcript, errors: errors.text }), transcript, clean);
}

async function readEvents(
  { stdout }: RunningProgram,
  readEvent: NonNullable<Preset["readEvent"]>,
  { transcript, errors, emit }: { transcript: Transcript; errors: OutputTail; emit: Emit },
): Promise<void> {
  for await (const lines of linesOf(stdout, LINE_BYTES)) {
    const other: string[] = [];
    for (const { text, whole } of lines) {
      const event = whole ? parsed(text) : undefined;
      if (event !== undefined) readEvent(event, transcript, emit);
      else other.push(whole ? text : `${text.slice(0, 200)} … (a line of more than ${LINE_BYTES} bytes)`);
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
