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
  const lines = text.replaceAll("\r", "");
  const commands: Command[] = [];
  let kept = "";
  let position = 0;
  for (const found of lines.matchAll(PATTERN)) {
    const name = found.groups?.["command"];
    if (name === undefined) continue;
    commands.push({ name: name.toLowerCase(), argument: found.groups?.["argument"]?.trim() ?? "" });
    kept += lines.slice(position, found.index);
    position = found.index + found[0].length;
  }
  return { text: (kept + lines.slice(position)).trimEnd(), commands };
}
