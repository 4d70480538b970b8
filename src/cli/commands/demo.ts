import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { loadConfig } from "../../config/config.ts";
import type { Issue, IssueAddress } from "../../domain/issue.ts";
import { type IssueState, STATE_WORDS } from "../../domain/lifecycle.ts";
import type { SpecRef } from "../../domain/spec.ts";
import { sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import type { Relay } from "../../app/relay.ts";
import { probeSandbox } from "../../adapters/sandbox/find.ts";
import { listFindings } from "../../storage/findings.ts";
import { listGaps } from "../../storage/gaps.ts";
import { findIssue, getIssue } from "../../storage/issues.ts";
import { listMessages } from "../../storage/messages.ts";
import { latestSpec } from "../../storage/specs.ts";
import { latestRun } from "../../storage/runs.ts";
import { listLog } from "../../storage/run-log.ts";
import { findRequest } from "../../storage/pull-requests.ts";
import { latestTask } from "../../storage/tasks.ts";
import { parseIssueFile } from "../../adapters/trackers/issue-file/parse.ts";
import { type Answers, answerComment, readAnswers } from "../answers-file.ts";
import { type LeftOpen, agreeInTerminal, confirmInTerminal, replyInTerminal } from "../converse.ts";
import { receiveEvent } from "../local-issue.ts";
import { runLines } from "../run-lines.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { commandLog, openRelay, orInterrupted } from "../session.ts";
import { traced } from "../traced.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");
/** What `relay demo --json` prints. */
export interface DemoAnswer {
  folder: string;
  state: IssueState;
  spec_ref: SpecRef;
  validation_status: "valid" | "partial";
}

/** Long enough to notice, short enough to wait for; the default is ten minutes. */
const QUIET_SECONDS = 0.5;
const PATIENCE_MS = 180_000;
const RESTING = new Set<IssueState>([
  ...(["clarifying", "awaiting_proceed", "waiting_confirmation", "in_review"] as const),
  ...(["stuck", "done", "paused", "failed", "closed"] as const),
]);
const ANSWERED = new Set<IssueState>(["clarifying", "awaiting_proceed", "waiting_confirmation"]);

/**
 * `relay demo`: the whole flow on the bundled sample, with real jobs: a vague issue, questions, answers, the go-ahead,
 * the spec, the plan, its approval, the work, the pull request. A patch stands in for the coding agent, so that no key
 * is needed. Everything is created in one folder.
 */
export async function demo(
  options: CommonOptions & { interactive?: boolean; dir?: string; open?: boolean },
  terminal: Terminal,
): Promise<number> {
  if (options.interactive && !terminal.interactive) {
    throw new RelayError("usage", "--interactive needs a terminal to ask in");
  }
  const folder = freeFolder(options.dir ?? "relay-demo");
  const repository = join(folder, "repository");
  await clone(repository);
  const loaded = loadConfig(options.config);
  const { sandbox } = await probed();
  const config = {
    ...loaded,
    mode: "implement" as const,
    work: { ...loaded.work, agent: "script" as const, patch: join(EXAMPLES, "fix.patch"), sandbox },
    home: join(folder, ".relay"),
    spec_root: join(folder, "relay_specs"),
    spec_store: "local" as const,
    bot: { username: "relay", idle_minutes: QUIET_SECONDS / 60, engage: "triage" as const, respond_to_bots: false },
  };
  const log = commandLog(options, config);
  // The server that follows has spans of its own.
  const code = await traced("demo", log, async () => {
    const opening = openRelay(config, { log, plansLocally: true });
    return await orInterrupted(terminal, opening, async (relay) => {
      await relay.work(2);
      await relay.takeTasks(1);
      const issue = await play(relay, repository, options, terminal);
      return await finish(relay, issue, folder, options, terminal);
    });
  });
  if (!options.open || code !== EXIT.done) return code;
  const { serveWith } = await import("./serve.ts");
  const quiet = { ...config, log_level: loaded.log_level ?? ("warn" as const), server: { ...config.server, port: 0 } };
  return await serveWith(quiet, { open: true }, terminal);
}

/** Runs without a sandbox if this machine has none: the sample is Relay's own. */
async function probed(): Promise<{ sandbox: "auto" | "none" }> {
  const probe = await probeSandbox({ wanted: "auto", container: null });
  return { sandbox: probe.ok ? "auto" : "none" };
}

async function clone(target: string): Promise<void> {
  const bundle = join(EXAMPLES, "sample.bundle");
  const cloned = await exec("git", ["clone", "--quiet", bundle, target]);
  if (cloned.code !== 0) {
    throw new RelayError("io", `cannot unpack the sample repository to ${target}: ${cloned.stderr.trim()}`);
  }
}

function freeFolder(wanted: string): string {
  for (let n = 1; ; n += 1) {
    const folder = n === 1 ? wanted : `${wanted}-${n}`;
    if (!existsSync(folder)) return folder;
  }
}

async function play(
  relay: Relay,
  repository: string,
  options: CommonOptions & { interactive?: boolean },
  terminal: Terminal,
): Promise<Issue> {
  const file = parseIssueFile(await readFile(join(EXAMPLES, "issue.md")), "examples/issue.md");
  const answers = await readAnswers(join(EXAMPLES, "answers.yaml"));
  const show = narrator(terminal, options.json ?? false);
  const project = await relay.connectLocal(repository);
  const { people } = relay;
  await people.invite(project, file.author, "read");
  for (const assignee of file.assignees) await people.invite(project, assignee, "write");
  const opened = await people.openIssue(project, {
    ...file,
    createdAt: file.createdAt ?? relay.clock.now(),
  });
  for (const comment of file.comments) await people.comment(opened, comment.author, comment.body, { at: comment.at });
  show.heading(`#${opened.externalIssueId} ${file.title}`);
  show.comment(file.author, file.body);
  for (const comment of file.comments) show.comment(comment.author, comment.body);

  const maintainer = file.assignees[0] ?? file.author;
  show.heading(`@${maintainer} assigns the issue to @${relay.tracker.bot}`);
  show.note(
    `Relay reacts at once, then waits until the issue is quiet (here ${QUIET_SECONDS} s, for a team 10 minutes).`,
  );
  const assigned = await people.assign(opened, maintainer, relay.tracker.bot);
  await receiveEvent(relay, assigned);

  let shown = file.comments.length;
  let found = "";
  const left: LeftOpen = new Set();
  for (let round = 0; round < 8; round += 1) {
    const issue = await settled(relay, opened);
    const messages = await threadOf(relay, opened);
    for (const message of messages.slice(shown)) show.comment(message.author, message.body);
    shown = messages.length;
    const places = (await listFindings(relay.db, issue.id)).flatMap(({ sources }) => sources[0]?.location ?? []);
    const lead = found === "" ? "The search leads to" : "With these answers, the search leads to";
    if (places.join(", ") !== found) show.note(`${lead} ${places.join(", ")}.`);
    found = places.join(", ");
    if (!ANSWERED.has(issue.state)) return issue;
    const text = await reply(relay, issue, answers, options.interactive === true ? left : null, terminal);
    if (text === null) return issue;
    const author = issue.state === "clarifying" ? file.author : maintainer;
    show.comment(author, text);
    shown += 1;
    await receiveEvent(relay, await people.comment(opened, author, text));
  }
  return await settled(relay, opened);
}

/** `left`: what the person at the terminal left open; null where nobody is asked. */
async function reply(
  relay: Relay,
  issue: Issue,
  answers: Answers,
  left: LeftOpen | null,
  terminal: Terminal,
): Promise<string | null> {
  if (issue.state === "waiting_confirmation") return left ? await agreeInTerminal(terminal) : "Yes, go ahead.";
  if (issue.state === "awaiting_proceed") {
    return left ? await confirmInTerminal(terminal) : (answers.proceed ?? "Go ahead.");
  }
  const open = (await listGaps(relay.db, issue.id)).filter((gap) => gap.status === "open");
  if (left) return await replyInTerminal(open, left, terminal);
  return answerComment(answers, open) || (answers.proceed ?? "Go ahead.");
}

/** Waits until all deliveries are processed and the issue waits for people. */
async function settled(relay: Relay, address: IssueAddress): Promise<Issue> {
  const giveUp = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUp) {
    await sleep(50);
    const issue = await findIssue(relay.db, address);
    if (!issue || issue.debounceUntil !== null || !RESTING.has(issue.state)) continue;
    if (await relay.orchestrator.isIdle(issue.id)) return await getIssue(relay.db, issue.id);
  }
  throw new RelayError("timeout", "the demo did not come to rest within three minutes; run it again with --debug");
}

async function threadOf(relay: Relay, address: IssueAddress) {
  return (await relay.tracker.listComments(address, null)).comments;
}

function narrator(terminal: Terminal, silent: boolean) {
  const print = (text: string) => {
    if (!silent) terminal.out(text);
  };
  return {
    heading: (text: string) => print(`\n── ${text}\n`),
    note: (text: string) => print(`   ${text}\n`),
    comment: (author: string, body: string) => {
      // A terminal cannot unfold.
      const folded = body.replaceAll(/^<details>\n<summary>(.*)<\/summary>$[^]*?^<\/details>$/gm, "▸ $1");
      print(`\n@${author}\n${indented(folded, "  │ ")}`);
    },
  };
}

async function finish(
  relay: Relay,
  issue: Issue,
  folder: string,
  options: CommonOptions,
  terminal: Terminal,
): Promise<number> {
  const version = await latestSpec(relay.db, issue.id);
  if (!version || !issue.spec) {
    terminal.err(`relay: the demo ended without a spec; the issue is ${STATE_WORDS[issue.state]}\n`);
    return EXIT.negative;
  }
  const gaps = await listGaps(relay.db, issue.id);
  const findings = await listFindings(relay.db, issue.id);
  const messages = await listMessages(relay.db, issue.id);
  const text = await relay.specStore.read(issue.spec);
  if (options.json) {
    printJson<DemoAnswer>(terminal, {
      folder,
      state: issue.state,
      spec_ref: { ...issue.spec, path: relay.specStore.where(issue.spec) },
      validation_status: version.validationStatus,
    });
    return EXIT.done;
  }
  const repository = here(join(folder, "repository"));
  const file = here(relay.specStore.where(issue.spec));
  const lines = text.split("\n");
  terminal.out(`\n── The spec (${version.complexity}, ${version.validationStatus}, ${lines.length} lines)\n\n`);
  terminal.out(lines.map((line) => `${`  ${line}`.trimEnd()}\n`).join(""));
  const branch = await showRequest(relay, issue, terminal);
  terminal.out(`
── What is where
   spec        ${pathToFileURL(resolve(file)).href}
   database    ${relay.databaseLocation}  (${messages.length} messages, ${gaps.length} questions, ${findings.length} findings)
   sample      ${repository}

── What to try next
   export RELAY_HOME=${here(join(folder, ".relay"))} RELAY_SPEC_ROOT=${here(join(folder, "relay_specs"))}
   npx relay log ${issue.externalIssueId}                                   why it did what it did
   npx relay serve                                    all of it on a page
   npx relay validate ${file} --repo ${repository}
${branch === null ? "" : `   git -C ${repository} log --patch main..${branch}   the change\n`}   npx relay demo --interactive                    play the people yourself
   npx relay work YOUR-ISSUE.md --repo YOUR-REPOSITORY --agent claude
`);
  return EXIT.done;
}

/** The result of the work; returns the branch of its pull request. */
async function showRequest(relay: Relay, issue: Issue, terminal: Terminal): Promise<string | null> {
  const task = await latestTask(relay.db, issue.id);
  const request = task && (await findRequest(relay.db, task.id));
  if (task === null) return null;
  if (request === null) {
    terminal.out(`\n── The task: ${task.status}, confirmed by @${task.approvedBy}\n`);
    return null;
  }
  const run = await latestRun(relay.db, task.id);
  for (const entry of run ? await listLog(relay.db, run.id) : []) {
    if (entry.kind === "step" || entry.kind === "check") terminal.out(runLines(entry));
  }
  const { title, body, head } = await relay.tracker.getPullRequest(issue.externalProjectId, request.number);
  terminal.out(`\n── The pull request #${request.number}, from ${head}\n\n  ${title}\n\n${indented(body, "  ")}`);
  return head;
}

/** What a text shows, behind `margin` on each line. */
function indented(markdown: string, margin: string): string {
  const visible = markdown.replaceAll(/<!--[\s\S]*?-->/g, "").trim();
  const lines = visible.split("\n").map((line) => `${margin}${line}`.trimEnd());
  return `${lines.join("\n")}\n`;
}

function here(path: string): string {
  return relative(process.cwd(), path) || ".";
}
