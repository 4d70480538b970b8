import type { Command } from "commander";

/**
 * The arguments with `help WORDS` as `WORDS --help`. What follows a word that is no command is left out: commander
 * would print the help of all commands for it, and never say which word was wrong.
 */
export function withHelpLast(program: Command, args: readonly string[]): string[] {
  const path: string[] = [];
  let group = program;
  let asksForHelp = false;
  for (const word of args) {
    if (group.commands.length === 0) break;
    if (word.startsWith("-")) return asksForHelp ? [...path, word] : [...args];
    if (word === "help") {
      asksForHelp = true;
      continue;
    }
    path.push(word);
    const found = group.commands.find((command) => command.name() === word);
    if (found === undefined) return path;
    group = found;
  }
  return asksForHelp ? [...path, "--help"] : [...args];
}
