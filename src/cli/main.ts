import { Command, CommanderError, Option } from "commander";
import { AGENT_NAMES, PRESET_NAMES } from "../adapters/agents/registry.ts";
import { SANDBOXES } from "../adapters/sandbox/sandbox.ts";
import { HOSTED_NAMES } from "../domain/issue.ts";
import { ISSUE_STATES } from "../domain/lifecycle.ts";
import { withHelpLast } from "./help-words.ts";
import { addOperatorCommands } from "./operator-commands.ts";
import { type Terminal, EXIT, describe, exitCodeOf, processTerminal, safeTerminal, written } from "./terminal.ts";
import { VERSION } from "./version.ts";

/* Only the command that runs is loaded: `--help` must cost little more than starting Node. */

function buildProgram(terminal: Terminal, finish: (code: number) => void): Command {
  const program = new Command("relay")
    .description(
      "A teammate in your issue tracker: reads issues, asks questions, writes specs and plans, and fixes. Never acts without approval.",
    )
    .version(VERSION)
    .showHelpAfterError("(relay --help lists the commands)")
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHasColors: () => false,
      outputError: (text, print) => print(text.replace(/^error: /, "relay: ")),
    });

  const command = (usage: string, description: string, parent = program) =>
    parent
      .command(usage)
      .description(description)
      .option("--json", "print one JSON document instead of text")
      .option("--config <file>", "configuration file (default: relay.yaml, if it exists)")
      .option("--debug", "show stack traces and debug logs");

  command("demo", "run the whole flow on a sample repository and issue; needs no key, network or server")
    .option("--interactive", "play the people in the thread yourself")
    .option("--dir <dir>", "folder to create the demo in (default: relay-demo)")
    .option("--open", "serve what the demo made, and open it in the browser")
    .action(async (options) => finish(await (await import("./commands/demo.ts")).demo(options, terminal)));

  command("spec <source>", "write the spec for one issue; SOURCE is a file, a URL, or - for standard input")
    .option("--repo <dir>", "repository that the issue is about (default: the current folder)")
    .option("--answers <file>", "file with answers to the questions, by number or topic (YAML or JSON)")
    .option("--yes", "ask nothing: open questions become assumptions")
    .option("--out <dir>", "also write the spec to this folder")
    .option("--model <name>", "model that plans and writes: offline, or provider/name")
    .action(async (source, options) =>
      finish(await (await import("./commands/spec.ts")).spec(source, options, terminal)),
    );

  command("explore [query...]", "find the files, symbols and lines that a question or an issue is about, with reasons")
    .option("--issue <file>", "search for the text of an issue file, or - for standard input, instead of a query")
    .option("--repo <dir>", "repository to search", ".")
    .option("--ref <ref>", "branch, tag or commit to search (default: what is checked out)")
    .option("--limit <n>", "maximum number of files, 1 to 200", "20")
    .option("--open", "open the first place in your editor ($VISUAL, $EDITOR)")
    .option(
      "--model [name]",
      "let a model put the files into order, by one call: the configured one, or provider/name; costs money",
    )
    .action(async (query, options) =>
      finish(await (await import("./commands/explore.ts")).explore(query, options, terminal)),
    );

  command("validate <spec...>", "check the structure of specs and, with --repo, that everything they cite exists")
    .option("--repo <dir>", "check citations and touch points against this repository")
    .addOption(
      new Option("--complexity <level>", "validate for this complexity level (default: the one in the spec)").choices([
        "L0",
        "L1",
        "L2",
        "L3",
        "L4",
      ]),
    )
    .addOption(new Option("--format <format>", "output format").choices(["text", "json", "github", "sarif"]))
    .action(async (files, options) =>
      finish(await (await import("./commands/validate.ts")).validate(files, options, terminal)),
    );

  command("triage", "classify an issue: kind, risk and affected files; JSON in, JSON out")
    .requiredOption("--input <file>", "JSON file with the input, or - for standard input")
    .option("--repo <dir>", "also search the code of this repository")
    .option("--model <name>", "model that refines the result of the rules: offline, or provider/name")
    .action(async (options) => finish(await (await import("./commands/triage.ts")).triage(options, terminal)));

  command("plan [source]", "make the fix plan for an issue: branch, steps, files, checks")
    .option("--input <file>", "JSON file with the input, or - for standard input; prints JSON")
    .option("--repo <dir>", "repository that the issue is about (default: the current folder)")
    .option("--model <name>", "model that writes the steps: offline, or provider/name")
    .action(async (source, options) =>
      finish(await (await import("./commands/plan.ts")).plan(source, options, terminal)),
    );

  command("diff <spec-or-issue> [spec]", "show what changed between two specs, requirement by requirement")
    .option("--from <n>", "of an issue: from this version of its spec (default: the one before)")
    .option("--to <n>", "of an issue: to this version of its spec (default: the newest)")
    .action(async (first, second, options) =>
      finish(await (await import("./commands/diff.ts")).diff(first, second, options, terminal)),
    );

  command("export <spec>", "write a spec, by its file or its issue, as a change of an OpenSpec project")
    .addOption(new Option("--format <format>", "format of the export").choices(["openspec"]).default("openspec"))
    .requiredOption("--out <dir>", "root of the OpenSpec project; made if there is none")
    .option("--capability <name>", "capability that the requirements belong to (default: from the spec's title)")
    .option("--force", "replace an earlier export of the same spec")
    .action(async (source, options) =>
      finish(await (await import("./commands/export.ts")).exportSpec(source, options, terminal)),
    );

  command("import <change>", "store an OpenSpec change as the spec of an issue, as a new version")
    .requiredOption("--issue <issue>", "issue that the change is about: number, owner/name#7 or URL")
    .action(async (change, options) =>
      finish(await (await import("./commands/import.ts")).importSpec(change, options, terminal)),
    );

  command("init", "set up Relay for this repository: relay.yaml, a webhook secret and, with --github-app, a GitHub App")
    .addOption(new Option("--tracker <tracker>", "tracker that has the issues").choices([...HOSTED_NAMES, "none"]))
    .option("--url <url>", "address of the tracker or of a repository on it (default: from git's remote origin)")
    .option("--repo <name>", "repository that Relay works in, as owner/name (default: from git's remote origin)")
    .option("--public-url <url>", "address at which the tracker reaches `relay serve`")
    .addOption(new Option("--mode <mode>", "how far Relay goes").choices(["spec", "plan", "implement"]))
    .option("--bot <name>", "login by which people assign and mention Relay, besides its account's")
    .option("--model <name>", "model that plans and writes: offline, or provider/name")
    .addOption(new Option("--agent <name>", "coding agent that carries out plans").choices([...PRESET_NAMES, "none"]))
    .option("--github-app", "create a GitHub App for Relay in the browser")
    .option("--org <org>", "GitHub organisation that will own the App")
    .option("--yes", "ask nothing: use what is detected")
    .option("--force", "overwrite the files of an earlier setup")
    .action(async (options) => finish(await (await import("./commands/init.ts")).init(options, terminal)));

  command("serve", "receive webhooks, work on issues and show them on a page, until stopped")
    .option("--role <roles>", "comma-separated list of web, planner, worker (default: all)")
    .option("--host <host>", "address to listen on (default: 127.0.0.1, or RELAY_HOST)")
    .option("--port <port>", "port to listen on, 0 for any free one (default: 8080, or RELAY_PORT)")
    .option("--open", "open the dashboard in the browser")
    .action(async (options) => finish(await (await import("./commands/serve.ts")).serve(options, terminal)));

  command(
    "event <file>",
    "take one event in, work off what is due, and end: Relay in a job of GitHub Actions or GitLab CI",
  )
    .option("--name <event>", "the event's name, such as issue_comment (default: GITHUB_EVENT_NAME)")
    .addOption(
      new Option("--state <place>", "where the state is kept between jobs")
        .choices(["database", "branch"])
        .default("database"),
    )
    .option("--branch <name>", "with --state branch: the branch", "relay/state")
    .option("--repo <name>", "with --state branch: the repository of the branch (default: that of the job)")
    .option("--minutes <n>", "end after so many minutes at most; what is stored goes on with the next event", "50")
    .option("--lease-seconds <n>", "with --state branch: how long a killed job keeps others waiting", "60")
    .action(async (file, options) =>
      finish(await (await import("./commands/event.ts")).event(file, options, terminal)),
    );

  command("mcp", "speak MCP with a coding agent: issues, specs, plans and code search, on stdin and stdout or by HTTP")
    .option("--repo <dir>", "repository that the agent works in (default: the current folder)")
    .option("--http", "listen on the loopback address instead, for clients with a bearer")
    .option("--port <port>", "with --http: port to listen on, 0 for any free one (default: 8090)")
    .action(async (options) => finish(await (await import("./commands/mcp.ts")).mcp(options, terminal)));

  command("work <issue>", "carry out an approved plan with a coding agent, up to a pull request")
    .option("--repo <dir>", "repository that an issue file is about", ".")
    .addOption(new Option("--agent <name>", "coding agent (default: work.agent)").choices(AGENT_NAMES))
    .option("--patch <file>", "patch that the agent `script` applies")
    .addOption(new Option("--sandbox <kind>", "how to isolate the agent").choices(["auto", ...SANDBOXES]))
    .option("--yes", "ask nothing: open questions become assumptions, and the plan counts as approved")
    .option("--dry-run", "show the plan and change nothing")
    .action(async (issue, options) =>
      finish(await (await import("./commands/work.ts")).work(issue, options, terminal)),
    );

  command("reply", "classify replies as approval or not: JSON lines {text, context?} in, {verdict, reason} out").action(
    async () => finish(await (await import("./commands/reply.ts")).reply(terminal)),
  );

  command("status [issue]", "show where an issue stands, or all that are open; with --json, all there are")
    .option("--all", "done and closed ones too")
    .addOption(new Option("--state <state...>", "those in these states").choices(ISSUE_STATES))
    .option("--repo <name>", "those of this repository, such as acme/shop")
    .option("--limit <n>", "at most so many, the most recently changed first (default: 50; with --json, all)")
    .option("--write-files", "rebuild the state files in the data directory")
    .option("--disk", "show what takes room instead, and what is removed next")
    .action(async (issue, { disk, ...options }) => {
      if (disk) finish(await (await import("./commands/disk.ts")).disk(issue, options, terminal));
      else finish(await (await import("./commands/status.ts")).status(issue, options, terminal));
    });

  command("log <issue>", "show everything that Relay did for an issue, with reasons")
    .option("--run", "show the output and actions of the latest run of the coding agent instead")
    .option("--follow", "like --run, and follow the run until it ends")
    .action(async (issue, options) => finish(await (await import("./commands/log.ts")).log(issue, options, terminal)));

  command("dossier <issue>", "show what is known about an issue: statements, questions and answers, findings").action(
    async (issue, options) => finish(await (await import("./commands/dossier.ts")).dossier(issue, options, terminal)),
  );

  command("replay <issue>", "run recorded cycles of an issue again, and show what would be different now")
    .option("--cycle <n>", "only this cycle (default: all recorded ones)")
    .action(async (issue, options) =>
      finish(await (await import("./commands/replay.ts")).replay(issue, options, terminal)),
    );

  command("rate <issue> <stars>", "rate an outcome from 1 (useless) to 5 (as good as a colleague's)")
    .option("--cycle <n>", "rate the outcome of this cycle (default: the last one)")
    .option("--note <text>", "reason for the rating")
    .action(async (issue, stars, options) =>
      finish(await (await import("./commands/rate.ts")).rate(issue, stars, options, terminal)),
    );

  const learnings = program
    .command("learnings")
    .description("show and decide what Relay keeps of what people taught it");
  const learning = (usage: string, description: string) =>
    command(usage, description, learnings).option("--repo <name>", "only learnings of this repository, as owner/name");
  learning("list", "list learnings, proposed and approved")
    .option("--status <status>", "only proposed or only approved ones")
    .action(async (options) => finish(await (await import("./commands/learnings.ts")).list(options, terminal)));
  learning("approve <id...>", "put learnings in force: from then on, planners and writers see them")
    .option("--everywhere", "in all repositories, and not only in the one they are from")
    .action(async (ids, { everywhere = false, ...options }) =>
      finish(
        await (await import("./commands/learnings.ts")).change(ids, { kind: "approve", everywhere }, options, terminal),
      ),
    );
  learning("edit <id> <text>", "change the words of a learning").action(async (id, content, options) =>
    finish(await (await import("./commands/learnings.ts")).change([id], { kind: "edit", content }, options, terminal)),
  );
  learning("remove <id...>", "forget learnings").action(async (ids, options) =>
    finish(await (await import("./commands/learnings.ts")).change(ids, { kind: "remove" }, options, terminal)),
  );

  const specs = program.command("specs").description("move what Relay has written from one spec store to another");
  command("move", "move all specs with their versions; run it again to continue", specs)
    .requiredOption("--to <store>", "local, git or s3://BUCKET/PREFIX")
    .action(async ({ to, ...options }) =>
      finish(await (await import("./commands/specs.ts")).move(to, options, terminal)),
    );

  command("eval <cases>", "measure a model on a set of cases with hidden expectations (examples/eval/cases.jsonl)")
    .option("--model <name>", "model for all roles (default: the configured ones)")
    .action(async (cases, options) =>
      finish(await (await import("./commands/eval.ts")).evaluate(cases, options, terminal)),
    );

  addOperatorCommands(command, terminal, finish);
  return program;
}

/** Runs one command line; returns the exit code (see `EXIT`). Errors are one sentence on stderr. */
export async function main(args: string[], given: Terminal = processTerminal()): Promise<number> {
  const terminal = safeTerminal(given);
  let code: number = EXIT.done;
  const program = buildProgram(terminal, (finished) => {
    code = finished;
  });
  const run = async () => void (await program.parseAsync(withHelpLast(program, args), { from: "user" }));
  try {
    await (WORKING.has(args[0] ?? "") ? withSpans(args, run) : run());
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    terminal.err(`relay: ${describe(error)}\n`);
    if (args.includes("--debug") && error instanceof Error) terminal.err(`${error.stack ?? ""}\n`);
    return exitCodeOf(error);
  }
  return await written(code, terminal);
}

/** One-shot commands that work on an issue, with models or trackers. */
const WORKING: ReadonlySet<string> = new Set(["spec", "plan", "triage", "work", "eval"]);

async function withSpans(args: string[], run: () => Promise<void>): Promise<void> {
  const [{ traced }, { commandLog }] = [await import("./traced.ts"), await import("./session.ts")];
  await traced(args[0] ?? "", commandLog({ debug: args.includes("--debug") }, { log_level: undefined }), run);
}
