import type { CodeFiles } from "../code-files.ts";
import { shellCommand } from "../shell-words.ts";
import { addRequirements, noNeeds } from "./needs.ts";
import type { Session } from "./tox.ts";

/** The sessions of nox, with calls whose arguments are plain strings; the file is not executed. */
export async function noxSessions(code: CodeFiles): Promise<Session[]> {
  const blocks = (await code.read("noxfile.py")).split(/^(?=@(?:nox\.)?session\b)/m).slice(1);
  return blocks.flatMap((block) => {
    const [, decorator = "", name] = /^@([\s\S]*?)^def (\w+)/m.exec(block) ?? [];
    if (name === undefined) return [];
    const [, given] = /\bname\s*=\s*["']([^"']+)["']/.exec(decorator) ?? [];
    const session: Session = { name: given ?? name, needs: noNeeds(), commands: [] };
    for (const { called, words } of callsIn(block)) {
      if (called === "install") addInstalled(session, words);
      else if (words !== null && words.length > 0) session.commands.push(shellCommand(words));
    }
    return [session];
  });
}

/** In calls, `-e .` and `-r FILE` are two separate arguments. */
function addInstalled({ needs }: Session, words: readonly string[] | null): void {
  const list = [...(words ?? [])];
  for (let word = list.shift(); word !== undefined; word = list.shift()) {
    const takesValue = /^(?:-[erc]|--(?:editable|requirement|constraint|group))$/.test(word);
    const value = takesValue ? list.shift() : undefined;
    if (word === "--group" && value !== undefined) needs.groups.push(value);
    else addRequirements(needs, value === undefined ? [word] : [word, value]);
  }
}

const CALL = /\bsession\.(run|run_always|run_install|install)\(/g;

/** The calls in a session; words are null if some are not plain strings. */
function callsIn(block: string): { called: string; words: string[] | null }[] {
  return [...block.matchAll(CALL)].map((match) => ({
    called: match[1] ?? "",
    words: wordsOf(argumentsAt(block, match.index + match[0].length)),
  }));
}

const LONGEST_CALL = 2_000;

/** The arguments of a call that starts here, up to its closing bracket. */
function argumentsAt(text: string, start: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let quote = "";
  let from = start;
  for (let at = start; at < Math.min(text.length, start + LONGEST_CALL); at += 1) {
    const char = text[at] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if ("([{".includes(char)) depth += 1;
    else if (depth > 0 && ")]}".includes(char)) depth -= 1;
    else if (depth === 0 && (char === "," || char === ")")) {
      found.push(text.slice(from, at).trim());
      from = at + 1;
      if (char === ")") return found.filter((each) => each !== "");
    }
  }
  return [];
}

function wordsOf(given: readonly string[]): string[] | null {
  const words: string[] = [];
  for (const argument of given) {
    // Skips arguments that the user passes on, and keyword arguments of the call.
    if (/^\*.*\bposargs\b|^\w+\s*=/.test(argument)) continue;
    const [, , word] = /^(["'])([^"'\\]*)\1$/.exec(argument) ?? [];
    if (word === undefined) return null;
    words.push(word);
  }
  return words;
}
