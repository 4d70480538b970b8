/** The commands that this server carries out; GitLab knows some hundred more. */
const COMMANDS =
  "close|reopen|title|label|labels|relabel|unlabel|assign|unassign|reassign|lock|unlock|confidential|merge|draft|ready|shrug|tableflip|todo|done|subscribe|unsubscribe|due|estimate|spend|duplicate|move|award|react|milestone|weight|epic|promote|copy_metadata|create_merge_request|target_branch|approve";

/**
 * What GitLab leaves alone is matched first: fences of three backticks, rows of inline code, HTML blocks and quote
 * blocks. A command stands at the very beginning of a line.
 */
const PATTERN = new RegExp(
  [
    String.raw`^\`\`\`[\s\S]+?\n\`\`\`$`,
    String.raw`^.*\`\n*[\s\S]+?\n*\`$`,
    String.raw`^<[^>]+?>\n[\s\S]+?\n<\/[^>]+?>$`,
    String.raw`^>>>[\s\S]+?\n>>>$`,
    String.raw`^\/(?<command>${COMMANDS})(?: (?<argument>[^\n]*))?(?:\s*\n|$)`,
  ].join("|"),
  "gim",
);

export interface Command {
  name: string;
  argument: string;
}

/** Takes the commands out of a text, as GitLab does before it keeps it: without carriage returns and blanks at the end. */
export function takeCommands(text: string): { text: string; commands: Command[] } {
  const commands: Command[] = [];
  const kept = text.replaceAll("\r", "").replaceAll(PATTERN, (...found) => {
    const groups: unknown = found.at(-1);
    const whole = String(found[0]);
    if (typeof groups !== "object" || groups === null || !("command" in groups) || groups.command === undefined) {
      return whole;
    }
    const argument = "argument" in groups && typeof groups.argument === "string" ? groups.argument.trim() : "";
    commands.push({ name: String(groups.command).toLowerCase(), argument });
    return "";
  });
  return { text: kept.trimEnd(), commands };
}
