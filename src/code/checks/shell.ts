/** A part of a command line, and the operator that joins it to the previous part. */
interface Part {
  joined: string;
  text: string;
}

const DOES_NOTHING =
  /^(?:|:|true|\/bin\/true|exit(?: 0)?|return(?: 0)?|cd \.|echo\b.*|printf\b.*|#.*|set [-+]\w+|sleep [\d.]+|node (?:-e|--eval|-p) ["']{0,2}(?:process\.exit\((?:0)?\)|0|1|true|;|)["']{0,2}|python3? -c ["']{0,2}(?:pass|exit\(0?\)|)["']{0,2}|\w+=\S*)$/;
const ONLY_TELLS =
  /\s(?:--help|--version|--listTests|--list-tests|--collect-only|--co|--dry-run|--no-run|--just-print|--passWithNoTests|--exit-zero|--no-error-on-unmatched-pattern|-DskipTests|-Dmaven\.test\.skip(?:=true)?|--no-fail|--ignore-failures)\b/;

/** Whether a command of `sh` cannot fail, whatever the code is: it does nothing, or its failure is ignored. */
export function cannotFail(command: string): boolean {
  const lines = command.replaceAll(/\\\n/g, " ").split("\n");
  const parts = lines.flatMap(partsOf).filter(({ text }) => text !== "" && !text.startsWith("#"));
  const last = parts.at(-1);
  if (last === undefined || parts.every(({ text }) => DOES_NOTHING.test(text))) return true;
  if (lines.filter((line) => line.trim() !== "").every((line) => /^\s*@?-/.test(line))) return true;
  const working = parts.filter(({ text }) => !DOES_NOTHING.test(text));
  if (working.every(({ text }) => ONLY_TELLS.test(` ${text}`))) return true;
  // `lint || true`, `lint; exit 0`, `lint | cat`, `lint &`
  return (
    (/^(?:\|\||;|\||&)$/.test(last.joined) &&
      (DOES_NOTHING.test(last.text) ||
        (last.joined === "|" && /^(?:cat|tee\b.*|head\b.*|tail\b.*|less|wc\b.*)$/.test(last.text)))) ||
    /[^&>]&\s*$/.test(command)
  );
}

/** Split at `&&`, `||`, `;`, `|` and `&` outside of quotes. */
function partsOf(line: string): Part[] {
  const parts: Part[] = [{ joined: "", text: "" }];
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    const pair = line.slice(at, at + 2);
    const last = parts.at(-1);
    if (last === undefined) break;
    if (quote !== "") {
      if (sign === quote) quote = "";
      last.text += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      last.text += sign;
    } else if (pair === "&&" || pair === "||") {
      parts.push({ joined: pair, text: "" });
      at += 1;
    } else if (
      sign === ";" ||
      sign === "|" ||
      (sign === "&" && !/[>&]/.test(line.charAt(at - 1)) && line.charAt(at + 1) !== ">")
    ) {
      parts.push({ joined: sign, text: "" });
    } else last.text += sign;
  }
  return parts
    .map(({ joined, text }) => ({ joined, text: text.trim().replace(/^[@-]+(?=\w)/, "") }))
    .filter(({ joined, text }) => joined !== "&" || text !== "");
}

/** What a command line starts: scripts of a package, targets, files. */
export interface Started {
  scripts: string[];
  targets: string[];
  files: string[];
}

const SCRIPT =
  /\b(?:npm|pnpm|yarn|bun)(?:\s+-[-\w]+(?:=[\w./@-]+| (?!-)[\w./@-]+)?)*?\s+(?:run-script|run)?\s*(?:-[-\w]+\s+)*([\w:@./-]+)|\bnode\s+--run[= ]([\w:-]+)|(?<=["'\s])npm:([\w:*-]+)|\b(?:run-s|run-p|npm-run-all2?)((?:\s+[\w:*-]+)+)|\bcomposer\s+(?:run(?:-script)?\s+)?([\w:-]+)|\bdeno\s+task\s+([\w:-]+)/g;
const NOT_SCRIPTS = new Set(
  "install ci i add exec dlx x pack publish version config cache create init why audit update outdated link --".split(
    " ",
  ),
);
const SHORT: Readonly<Record<string, string>> = { t: "test", tst: "test" };
const TARGETS = /\b(?:g?make)((?:\s+[-\w./=:]+)*)/g;
const PATH = String.raw`((?!-)(?:[\w@.-]+\/)*[\w@.-]+)(?=$|[\s"';|&)])`;
/** Files that are run and settings files that are named; not the files that a tool examines. */
const FILE = new RegExp(
  [
    String.raw`(?:^|[;&|(\n]\s*|\s-c\s+["'])(?:\.\/)?(?=[\w@.-]*\/)${PATH}`,
    String.raw`\b(?:(?:ba|z|da)?sh|source|node|tsx|ts-node|bun|deno run|python3?|ruby|php|perl|pwsh)\s+(?:-(?!-check\b|c\b|-test\b|l\b|-eval\b|e\b|m\b)[-\w=:@./]+\s+)*(?:\.\/)?${PATH}`,
    String.raw`\s(?:--?(?:config(?:-file)?|project|rcfile|configuration|c|f|p)[= ]\s*)(?:\.\/)?${PATH}`,
  ].join("|"),
  "g",
);

/** How many characters of a command line are read. */
const LONGEST = 20_000;

/** What a command line starts, as far as its text shows. */
export function startedBy(line: string): Started {
  const command = line.slice(0, LONGEST);
  const scripts = [...command.matchAll(SCRIPT)].flatMap(([, run, node, npm, many, composer, deno]) =>
    [run, node, npm, composer, deno, ...(many?.trim().split(/\s+/) ?? [])].flatMap((name) =>
      name === undefined ? [] : [SHORT[name] ?? name],
    ),
  );
  const targets = [...command.matchAll(TARGETS)].flatMap(([, words = ""]) => {
    const named = words
      .trim()
      .split(/\s+/)
      .filter((word) => /^[\w./-]+$/.test(word) && !word.startsWith("-"));
    return named.length === 0 ? [""] : named;
  });
  return {
    scripts: scripts.filter((name) => !NOT_SCRIPTS.has(name)),
    targets,
    files: [...command.matchAll(FILE)].flatMap(([, ...paths]) => paths.filter((path) => path !== undefined)),
  };
}
