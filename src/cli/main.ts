import { Command, CommanderError, Option } from "commander";
import { AGENT_NAMES, PRESET_NAMES } from "../adapters/agents/registry.ts";
import { SANDBOXES } from "../adapters/sandbox/sandbox.ts";
import { HOSTED_NAMES } from "../domain/issue.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Terminal } from "./terminal.ts";
import { EXIT, Interrupted, exitCodeOf, processTerminal } from "./terminal.ts";

/* Only the command that runs is loaded: `--help` must cost little more than starting Node. */

function buildProgram(terminal: Terminal, finish: (code: number) => void): Command {
  const program = new Command("relay")
    .description("A teammate in your issue tracker: it reads, asks, and writes the spec. Nothing happens on silence.")
    .version("0.1.0")
    .showHelpAfterError("(relay --help lists the commands)")
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHasColors: () => false,
      outputError: (text, print) => print(text.replace(/^error: /, "relay: ")),
    });

  const command = (usage: string, description: string) =>
    program
      .command(usage)
      .description(description)
      .option("--json", "print one JSON document instead of text")
      .option("--config <file>", "configuration file (default: relay.yaml, if there is one)")
      .option("--debug", "show stack traces and debug logs");

  command("demo", "the whole flow on a bundled sample repository and issue; no key, no network, no server")
    .option("--interactive", "play the people yourself")
    .option("--dir <dir>", "where to put it (default: a new folder relay-demo here)")
    .action(async (options) => finish(await (await import("./commands/demo.ts")).demo(options, terminal)));

  command("spec <source>", "write the spec of one issue from a file, or - for standard input")
    .option("--repo <dir>", "the repository that the issue is about", ".")
    .option("--answers <file>", "answers to the questions, YAML or JSON, by number or topic")
    .option("--yes", "ask nothing: open questions become assumptions")
    .option("--out <dir>", "also put the spec here, as a file of its own")
    .option("--model <name>", "who plans and writes: offline, or provider/name")
    .action(async (source, options) =>
      finish(await (await import("./commands/spec.ts")).spec(source, options, terminal)),
    );

  command("explore [query...]", "the files, symbols and lines that a question or an issue is about, with reasons")
    .option("--issue <file>", "look for what an issue file says, or - for standard input, instead of a query")
    .option("--repo <dir>", "the repository to look into", ".")
    .option("--ref <ref>", "branch, tag or commit to look at (default: what is checked out)")
    .option("--limit <n>", "at most so many files, 1 to 200", "20")
    .action(async (query, options) =>
      finish(await (await import("./commands/explore.ts")).explore(query, options, terminal)),
    );

  command("validate <spec...>", "check specs: structure, and with --repo that what they cite exists")
    .option("--repo <dir>", "check citations and touch points against this repository")
    .addOption(new Option("--complexity <level>", "check as this level").choices(["L0", "L1", "L2", "L3", "L4"]))
    .addOption(new Option("--format <format>", "how to print").choices(["text", "json", "github", "sarif"]))
    .action(async (files, options) =>
      finish(await (await import("./commands/validate.ts")).validate(files, options, terminal)),
    );

  command("triage", "what an issue is, how risky, and which files it is about: JSON in, JSON out")
    .requiredOption("--input <file>", "the contract's input as JSON, or - for standard input")
    .option("--repo <dir>", "also look into the code of this repository")
    .option("--model <name>", "who refines what the rules say: offline, or provider/name")
    .action(async (options) => finish(await (await import("./commands/triage.ts")).triage(options, terminal)));

  command("plan [source]", "the fix plan of an issue: branch, steps, files, checks")
    .option("--input <file>", "the contract's input as JSON, or - for standard input: JSON in, JSON out")
    .option("--repo <dir>", "the repository that the issue is about (default: here)")
    .option("--model <name>", "who writes the steps: offline, or provider/name")
    .action(async (source, options) =>
      finish(await (await import("./commands/plan.ts")).plan(source, options, terminal)),
    );

  command("diff <spec-a> <spec-b>", "what changed between two specs, requirement by requirement").action(
    async (a, b, options) => finish(await (await import("./commands/diff.ts")).diff(a, b, options, terminal)),
  );

  command("init", "set Relay up for this repository: relay.yaml, a webhook secret, and on request a GitHub App")
    .addOption(new Option("--tracker <tracker>", "where the issues are").choices([...HOSTED_NAMES, "none"]))
    .option("--url <url>", "address of the tracker, or of a repository there (default: as git's remote origin)")
    .option("--repo <name>", "the repository that Relay works in, as owner/name (default: as git's remote origin)")
    .option("--public-url <url>", "where the tracker reaches `relay serve`")
    .addOption(new Option("--mode <mode>", "how far Relay goes").choices(["spec", "plan", "implement"]))
    .option("--bot <name>", "a name by which people assign and mention Relay, besides its account's")
    .option("--model <name>", "who plans and writes: offline, or provider/name")
    .addOption(
      new Option("--agent <name>", "the coding agent that carries plans out").choices([...PRESET_NAMES, "none"]),
    )
    .option("--github-app", "make a GitHub App for Relay, in the browser")
    .option("--org <org>", "the organisation on GitHub that will own the App")
    .option("--yes", "ask nothing: take what is found here")
    .option("--force", "write over the files of an earlier set-up")
    .action(async (options) => finish(await (await import("./commands/init.ts")).init(options, terminal)));

  command("serve", "take webhooks in and work on issues, until it is stopped")
    .option("--role <roles>", "web, planner, worker, with commas between (default: all)")
    .option("--host <host>", "address to listen on (default: 127.0.0.1, or RELAY_HOST)")
    .option("--port <port>", "port to listen on, 0 for any (default: 8080, or RELAY_PORT)")
    .action(async (options) => finish(await (await import("./commands/serve.ts")).serve(options, terminal)));

  command("work <issue>", "carry out a plan that somebody said yes to, with a coding agent, up to a pull request")
    .option("--repo <dir>", "the repository that an issue file is about", ".")
    .addOption(new Option("--agent <name>", "who writes the code (default: work.agent)").choices(AGENT_NAMES))
    .option("--patch <file>", "a patch for the agent `script` to apply")
    .addOption(new Option("--sandbox <kind>", "what keeps the agent in").choices(["auto", ...SANDBOXES]))
    .option("--yes", "ask nothing: open questions become assumptions, and the plan is agreed to")
    .option("--dry-run", "show the plan and change nothing")
    .action(async (issue, options) =>
      finish(await (await import("./commands/work.ts")).work(issue, options, terminal)),
    );

  command("reply", "judge replies: JSON lines {text, context?} in, {verdict, reason} out").action(async () =>
    finish(await (await import("./commands/reply.ts")).reply(terminal)),
  );

  command("status [issue]", "where issues stand")
    .option("--write-files", "rebuild the state files in the data directory")
    .action(async (issue, options) =>
      finish(await (await import("./commands/status.ts")).status(issue, options, terminal)),
    );

  command("log <issue>", "everything that was done for an issue, with reasons")
    .option("--run", "instead, what the newest run of the coding agent said and did")
    .option("--follow", "the same, and what it says and does from now on, until it has ended")
    .action(async (issue, options) => finish(await (await import("./commands/log.ts")).log(issue, options, terminal)));

  command("replay <issue>", "run kept cycles of an issue again, and show what would now be different")
    .option("--cycle <n>", "only this cycle (default: all that are kept)")
    .action(async (issue, options) =>
      finish(await (await import("./commands/replay.ts")).replay(issue, options, terminal)),
    );

  command("rate <issue> <stars>", "say how good an outcome was, 1 (useless) to 5 (as good as a colleague's)")
    .option("--cycle <n>", "what this cycle made of the issue (default: the last one)")
    .option("--note <text>", "why")
    .action(async (issue, stars, options) =>
      finish(await (await import("./commands/rate.ts")).rate(issue, stars, options, terminal)),
    );

  command("eval <cases>", "measure a model on a set of cases with hidden expectations (examples/eval/cases.jsonl)")
    .option("--model <name>", "who plans, writes and looks at the code (default: the configured ones)")
    .action(async (cases, options) =>
      finish(await (await import("./commands/eval.ts")).evaluate(cases, options, terminal)),
    );

  for (const [verb, description] of [
    ["pause", "stop working on an issue until it is resumed"],
    ["resume", "go on with a paused or closed issue"],
    ["retry", "try again after failures"],
    ["forget", "erase an issue and everything stored about it"],
  ] as const) {
    command(`${verb} <issue>`, description)
      .option("--yes", "do not ask before erasing")
      .action(async (issue, options) =>
        finish(await (await import("./commands/control.ts")).control(verb, issue, options, terminal)),
      );
  }

  command("migrate", "bring the database up to date").action(async (options) =>
    finish(await (await import("./commands/migrate.ts")).migrate(options, terminal)),
  );

  command("doctor", "check this machine, the configuration and the trackers, and say how to mend what is wrong")
    .option("--repo <name>", "also check a repository on a hosted tracker, as owner/name")
    .addOption(new Option("--tracker <tracker>", "check this one, also where nothing is set").choices(HOSTED_NAMES))
    .action(async (options) => finish(await (await import("./commands/doctor.ts")).doctor(options, terminal)));

  return program;
}

/** Runs one command line; returns the exit code (see `EXIT`). Errors are one sentence on stderr. */
export async function main(args: string[], terminal: Terminal = processTerminal()): Promise<number> {
  let code: number = EXIT.done;
  const program = buildProgram(terminal, (finished) => {
    code = finished;
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    terminal.err(`relay: ${describe(error)}\n`);
    if (args.includes("--debug") && error instanceof Error) terminal.err(`${error.stack ?? ""}\n`);
    return exitCodeOf(error);
  }
  return await written(code, terminal);
}

/** Results that did not get out are a failure, whatever else was done. */
async function written(code: number, terminal: Terminal): Promise<number> {
  // A failed write is told after the turn in which it was made.
  await new Promise(setImmediate);
  const failure = terminal.outputFailure();
  if (failure === null) return code;
  terminal.err(`relay: cannot write the results: ${failure}\n`);
  return EXIT.outside;
}

function describe(error: unknown): string {
  if (error instanceof RelayError || error instanceof Interrupted) return messageOf(error);
  return `something unexpected went wrong (${messageOf(error)}); run again with --debug and report what it prints`;
}
