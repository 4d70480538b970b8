import { type Command, Option } from "commander";
import { HOSTED_NAMES } from "../domain/issue.ts";
import type { Terminal } from "./terminal.ts";

/** Adds the commands for operators. `command` makes one, `finish` gets its exit code. */
export function addOperatorCommands(
  command: (usage: string, description: string) => Command,
  terminal: Terminal,
  finish: (code: number) => void,
): void {
  for (const [verb, description] of [
    ["pause", "stop working on an issue until you resume it"],
    ["resume", "continue a paused or closed issue"],
    ["retry", "retry an issue after failures"],
    ["forget", "erase an issue and everything stored about it"],
  ] as const) {
    const control = command(`${verb} <issue>`, description);
    if (verb === "forget") control.option("--yes", "confirm that everything stored about the issue is erased");
    control.action(async (issue, options) =>
      finish(await (await import("./commands/control.ts")).control(verb, issue, options, terminal)),
    );
  }

  command("migrate", "bring the database up to date").action(async (options) =>
    finish(await (await import("./commands/migrate.ts")).migrate(options, terminal)),
  );
  command("backup <file>", "write everything that Relay keeps into one file, while it works").action(
    async (file, options) => finish(await (await import("./commands/backup.ts")).backup(file, options, terminal)),
  );
  command("restore <file>", "bring a backup into an empty database and data directory").action(async (file, options) =>
    finish(await (await import("./commands/backup.ts")).restore(file, options, terminal)),
  );

  command("doctor", "check this machine, the configuration and the trackers, and show how to fix problems")
    .option("--repo <name>", "also check a repository on a hosted tracker, as owner/name")
    .addOption(
      new Option("--tracker <tracker>", "check this tracker even if it is not configured").choices(HOSTED_NAMES),
    )
    .option("--notify <target>", "only send a test to this target of notifications")
    .action(async (options) => finish(await (await import("./commands/doctor.ts")).doctor(options, terminal)));
}
