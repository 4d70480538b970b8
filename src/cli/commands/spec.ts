import { loadConfig, withModel } from "../../config/config.ts";
import type { Gap } from "../../domain/gap.ts";
import { oneLine } from "../../lib/text.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import type { Relay } from "../../app/relay.ts";
import type { SpecRef } from "../../domain/spec.ts";
import { latestSpec } from "../../storage/specs.ts";
import { usageOf } from "../../storage/model-calls.ts";
import { listFindings } from "../../storage/findings.ts";
import { listGaps } from "../../storage/gaps.ts";
import { readAnswers } from "../answers-file.ts";
import { converse } from "../converse.ts";
import { type SpecAnswer, shownSpecReport } from "../../server/api/shapes/spec.ts";
import { readIssueToStore } from "../input-files.ts";
import { type GivenIssue, checkIsCloneOf, issuePage, readHostedIssue } from "../hosted-issue.ts";
import { STATE_WORDS } from "../../domain/lifecycle.ts";
import { importIssue } from "../local-issue.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";
import { mkdir } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { RelayError, messageOf } from "../../lib/errors.ts";

export interface SpecOptions extends CommonOptions {
  repo?: string;
  answers?: string;
  yes?: boolean;
  out?: string;
  model?: string;
}

/**
 * `relay spec SOURCE`: one issue, from a file or read from its tracker, to a spec, through the local tracker: nothing
 * is posted elsewhere. Running it again resumes: the issue's questions, answers and spec are kept.
 */
export async function spec(source: string, options: SpecOptions, terminal: Terminal): Promise<number> {
  const directory = options.repo ?? ".";
  const read = await openSource(source, options, terminal);
  const answers = options.answers === undefined ? null : await readAnswers(options.answers);
  return await withRelay(
    options,
    terminal,
    async (relay) => {
      const progress = (text: string) => {
        if (terminal.progress) terminal.err(`${text}\n`);
      };
      const { issue: file, url, bots } = await read(relay);
      const project = await relay.connectLocal(directory);
      progress(`Reading ${file.title} and the code in ${directory} …`);
      const brought = await relay.db.withLock(`import ${project}`, async () => {
        for (const login of bots) await relay.people.setMember(project, login, "read", true);
        return await importIssue(relay, project, file, url);
      });
      // Two commands on one issue would both answer its questions.
      const issue = await relay.db.withLock(
        `conversation ${issueName(brought)}`,
        async () => await converse(relay, brought, { answers, yes: options.yes ?? false, terminal }),
      );
      const copy = options.out === undefined ? null : await copySpec(relay, issue, options.out);
      return await report(relay, issue, options, copy, terminal);
    },
    (config) => (options.model === undefined ? config : withModel(config, options.model)),
  );
}

/** Checks the source before anything is opened; the issue is read later where that takes the network. */
async function openSource(
  source: string,
  options: SpecOptions,
  terminal: Terminal,
): Promise<(relay: Relay) => Promise<GivenIssue>> {
  if (!/^https?:\/\//i.test(source)) {
    const file = await readIssueToStore(source, terminal);
    return async () => await Promise.resolve({ ...file, bots: [] });
  }
  const page = issuePage(source, loadConfig(options.config));
  if (options.repo === undefined) await checkIsCloneOf(page, ".");
  return async (relay) => await readHostedIssue(page, relay);
}

async function report(
  relay: Relay,
  issue: Issue,
  options: SpecOptions,
  copy: string | null,
  terminal: Terminal,
): Promise<number> {
  const gaps = await listGaps(relay.db, issue.id);
  const version = await latestSpec(relay.db, issue.id);
  const open = gaps.filter((gap) => gap.status === "open");
  const usage = await usageOf(relay.db, issue.id);
  if (version !== null) await restoreSpec(relay, version.ref);
  if (options.json) {
    const findings = await listFindings(relay.db, issue.id);
    const model = relay.config.models.spec ?? relay.config.model;
    const about = { places: relay.specStore, model };
    printJson<SpecAnswer>(terminal, shownSpecReport(issue, { version, gaps, findings, usage }, about));
  }
  if (issue.state !== "done") {
    if (!options.json) terminal.out(open.map(questionLines).join(""));
    terminal.err(`relay: ${whyNoSpec(issue, open.length)}\n`);
    return EXIT.negative;
  }
  if (!options.json && version) {
    terminal.out(`${copy ?? relay.specStore.where(version.ref)}\n`);
    if (terminal.progress) {
      const size = (await relay.specStore.read(version.ref)).split("\n").length;
      terminal.err(
        `Spec ${version.complexity}, ${version.validationStatus}, ${size} lines. Check it: relay validate ${relay.specStore.where(version.ref)}\n`,
      );
    }
  }
  return EXIT.done;
}

/**
 * A question with what it rests on and what is assumed without an answer, so that it can be answered from the output.
 */
function questionLines({ number, question, evidence, proposedDefault }: Gap): string {
  return [
    `${number}. ${oneLine(question)}\n`,
    ...(evidence === null ? [] : [`   why: ${oneLine(evidence)}\n`]),
    ...(proposedDefault === null ? [] : [`   without an answer: ${oneLine(proposedDefault)}\n`]),
  ].join("");
}

function whyNoSpec(issue: Issue, open: number): string {
  if (issue.state === "paused") {
    return `the issue is paused; continue it with \`relay resume ${issue.externalIssueId}\``;
  }
  if (open > 0) {
    return `${open} question(s) are open; answer with --answers FILE, in a terminal, or pass --yes to continue with assumptions`;
  }
  if (issue.state === "in_review") {
    return "its change is in review; merge its branch, or say in a comment of its file what should be different and run `relay work` on it";
  }
  if (issue.state === "awaiting_proceed") {
    return "the issue waits for the go-ahead for its spec; nothing was written (--yes gives it)";
  }
  return `the issue is ${STATE_WORDS[issue.state]}; nothing was written`;
}

/** `--out DIR`: writes a copy of the spec, atomically. Returns its path; null without a spec. */
async function copySpec(relay: Relay, issue: Issue, folder: string): Promise<string | null> {
  if (issue.spec === null) return null;
  const name = issue.spec.path.split("/").at(-2) ?? `issue_${issue.id}`;
  const target = join(folder, `${name}.md`);
  await writeSpec(relay, issue.spec, target);
  return target;
}

/** Somebody may have deleted the file of a spec that is written already. */
async function restoreSpec(relay: Relay, ref: SpecRef): Promise<void> {
  const path = relay.specStore.where(ref);
  if (ref.backend === "local" && !existsSync(path)) await writeSpec(relay, ref, path);
}

async function writeSpec(relay: Relay, ref: SpecRef, target: string): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFileAtomic(target, await relay.specStore.read(ref), { mode: 0o644 });
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError("io", `cannot write the spec to ${target}: ${messageOf(cause)}`, { cause });
  }
}
