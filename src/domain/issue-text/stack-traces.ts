/** A line of a stack trace. */
export interface Frame {
  /** As written; for Java the package and the file's name. */
  path: string;
  line: number | null;
  symbol: string | null;
}

export interface ProgramError {
  /** `TypeError`, `java.lang.NullPointerException`, `panic`, …; `null` if there is only a message. */
  type: string | null;
  message: string;
}

export interface StackTrace {
  language: string;
  error: ProgramError | null;
  /** The innermost first, regardless of the language's order. */
  frames: Frame[];
}

interface FramePattern {
  language: string;
  pattern: RegExp;
  frame: (groups: Record<string, string | undefined>) => Frame;
}

function plain(groups: Record<string, string | undefined>): Frame {
  const line = Number(groups["line"]);
  return {
    path: cleanPath(groups["path"] ?? ""),
    line: line > 0 && line < 1e7 ? line : null,
    symbol: groups["symbol"]?.trim() || null,
  };
}

const PATTERNS: readonly FramePattern[] = [
  { language: "rust", pattern: /^(?:at|-->) (?<path>\S{1,400}\.rs):(?<line>\d+):\d+/, frame: plain },
  {
    language: "rust",
    pattern:
      /^thread '[^'\n]{0,100}'(?: \(\d+\))? panicked at (?:.{0,500}, )?(?<path>[^\s,']{1,300}\.rs):(?<line>\d+):\d+/,
    frame: plain,
  },
  {
    language: "python",
    pattern: /^File "(?<path>[^"\n]{1,400})", line (?<line>\d+)(?:, in (?<symbol>\S+))?/,
    frame: plain,
  },
  {
    language: "java",
    pattern:
      /^at (?:[\w.@-]+\/)*(?<owner>[\w$.]{1,300})\.(?<method>[\w$<>]{1,100})\((?<file>[\w$-]+\.(?:java|kt|scala|groovy|clj))(?::(?<line>\d+))?\)/,
    frame: ({ owner = "", method = "", file = "", line }) => {
      const folders = owner.split(".").slice(0, -1);
      return {
        path: [...folders, file].join("/"),
        line: line === undefined ? null : Number(line),
        symbol: `${owner.split(".").at(-1)}.${method}`,
      };
    },
  },
  {
    language: "csharp",
    pattern: /^at (?<symbol>[^(\n]{1,200})\([^)\n]{0,400}\) in (?<path>.{1,400}):line (?<line>\d+)/,
    frame: plain,
  },
  {
    language: "javascript",
    pattern:
      /^at (?:async )?(?:new )?(?<symbol>[^()\n]{1,200}?)(?: \[as [\w$.]+\])? \((?<path>[^()\n]{1,400}?):(?<line>\d+)(?::\d+)?\)/,
    frame: plain,
  },
  {
    language: "javascript",
    pattern:
      /^at (?:async )?(?<path>(?:[a-z-]+:\/\/|\/|\.|[A-Za-z]:\\|[\w@.-]+[\\/])[^()\s]{1,400}?):(?<line>\d+):\d+$/,
    frame: plain,
  },
  {
    language: "javascript",
    pattern: /^(?<symbol>[\w$.<>/]{0,100})@(?<path>(?:[a-z-]+:\/\/|\/)[^\s@]{1,400}?):(?<line>\d+):\d+$/,
    frame: plain,
  },
  {
    language: "php",
    pattern: /^#\d+ (?<path>[^\s(][^(\n]{0,400})\((?<line>\d+)\): (?<symbol>[\w\\:>-]{1,200})/,
    frame: plain,
  },
  { language: "php", pattern: /^.{0,300} in (?<path>\S{1,400}\.php)(?: on line |:)(?<line>\d+)/, frame: plain },
  {
    language: "ruby",
    pattern: /^(?:\d+: )?(?:from )?(?<path>\S{1,400}\.(?:rb|erb|rake)):(?<line>\d+):in [`'](?<symbol>[^'\n]{1,200})'/,
    frame: plain,
  },
  {
    language: "c",
    pattern:
      /^#\d+\s+(?:0x[0-9a-f]+ )?in (?<symbol>[^(\n]{1,200}?)\s*\([^\n]{0,400}\) at (?<path>\S{1,400}):(?<line>\d+)/,
    frame: plain,
  },
  {
    language: "c",
    pattern:
      /^#\d+\s+(?:0x[0-9a-f]+ )?in (?<symbol>[\w:~<>,]{1,200})\S{0,200} (?<path>[^\s:]{1,400}):(?<line>\d+)(?::\d+)?/,
    frame: plain,
  },
  {
    language: "c",
    pattern: /^#\d+\s+(?<symbol>[\w:~]{1,200}) \([^\n]{0,400}\) at (?<path>\S{1,400}):(?<line>\d+)/,
    frame: plain,
  },
  { language: "go", pattern: /^(?<path>\S{1,400}\.go):(?<line>\d+)(?: \+0x[0-9a-f]+)?$/, frame: plain },
  {
    language: "compiler",
    pattern: /^(?<path>[\w@./\\+-]{1,300}\.[A-Za-z]{1,6})[:(](?<line>\d+)(?:[:,]\d+)?\)?: (?=\S)/,
    frame: plain,
  },
];

const GO_CALL = /^(?<symbol>[\w./*()[\]·-]{1,300})\((?:0x|\.\.\.|\{|\)|[\w?, ]).{0,400}$/;
const RUST_CALL = /^\d+:\s+(?:0x[0-9a-f]+ - )?(?<symbol>[\w:<>{}#$& ]{2,300})$/;
const LONGEST_LINE = 2_000;
const MOST_TRACES = 40;
const MOST_FRAMES = 80;
/** Lines between frames that may belong to the trace: quoted source, calls, markers. */
const GAP = 4;

/** Finds the stack traces and compiler messages in a text, in code or not (R-PLAN-12). Linear in its length. */
export function stackTracesOf(text: string): StackTrace[] {
  const traces: StackTrace[] = [];
  let open: StackTrace | null = null;
  let since = 0;
  let errorBefore: { error: ProgramError; age: number } | null = null;
  let call: string | null = null;
  const close = () => {
    if (open) traces.push({ ...open, frames: open.language === "python" ? open.frames.toReversed() : open.frames });
    open = null;
  };
  for (const raw of withPanicsOnOneLine(text).split("\n")) {
    if (raw.length > LONGEST_LINE) continue;
    const line = unprefixed(raw);
    const found = frameOn(line);
    const error = errorOn(found?.language === "compiler" ? line.replace(/^\S+: /, "") : line);
    since += 1;
    if (errorBefore) errorBefore.age += 1;
    if (found) {
      if (open && (open.language !== found.language || since > GAP)) close();
      if (!open) {
        if (traces.length >= MOST_TRACES) break;
        const near: ProgramError | null =
          errorBefore && errorBefore.age <= 6 && found.language !== "python" ? errorBefore.error : null;
        open = { language: found.language, error: error ?? near, frames: [] };
        errorBefore = null;
      }
      const symbol = found.frame.symbol ?? call;
      if (open.frames.length < MOST_FRAMES) open.frames.push({ ...found.frame, symbol });
      call = null;
      since = 0;
      continue;
    }
    call = (GO_CALL.exec(line) ?? RUST_CALL.exec(line))?.groups?.["symbol"] ?? null;
    if (!error) continue;
    if (open && since <= GAP && open.language === "python") {
      open.error = error;
      close();
    } else {
      errorBefore = { error, age: 0 };
    }
  }
  close();
  return traces;
}

/** Since 1.73, Rust prints the message on the line after the place. */
function withPanicsOnOneLine(text: string): string {
  if (!text.includes("panicked at")) return text;
  return text.replaceAll(
    /(thread '[^'\n]{0,100}'(?: \(\d+\))? panicked at) (\S{1,300}\.rs:\d+:\d+):\n[^\S\n]*(\S[^\n]{0,600})/g,
    "$1 '$3', $2",
  );
}

function frameOn(line: string): { language: string; frame: Frame } | null {
  for (const { language, pattern, frame } of PATTERNS) {
    const groups = pattern.exec(line)?.groups;
    if (groups) return { language, frame: frame(groups) };
  }
  return null;
}

/** Whether a line belongs to a trace or reports an error, as programs print them. */
export function isTraceLine(line: string): boolean {
  if (line.length > LONGEST_LINE) return true;
  const bare = unprefixed(line);
  return errorOn(bare) !== null || frameOn(bare) !== null;
}

/** Without what logs and test runners put before a line. */
function unprefixed(line: string): string {
  return line
    .trim()
    .replace(
      /^(?:[A-Z][A-Z_]{2,20}[>|]\s+|E\s{2,}|>\s+|\d{4}-\d\d-\d\d[T ][\d:.,Z+-]{5,20}\s+(?:\[[^\]\n]{0,80}\]\s*)?)/,
      "",
    )
    .trim();
}

function cleanPath(path: string): string {
  return path
    .replace(/^(?:webpack(?:-internal)?|file|https?|ng|app|node_modules):\/{2,3}(?:[^/]*\/(?=\.\/))?/, "")
    .replace(/[?#].*$/, "")
    .replaceAll("\\", "/")
    .trim();
}

const TYPED_ERROR =
  /^(?:\(?node:\d+\)\s+)?(?:Uncaught(?: \(in promise\))?:? |Unhandled\w* \w+:? |Caused by: |Exception in thread "[^"\n]{0,100}" |Fatal error: Uncaught |PHP Fatal error:\s+Uncaught |\[?ERROR\]?:? |Error: (?=\w+Error:))?(?<type>(?:[A-Za-z_$][\w$]{0,80}[.\\:]{1,2}){0,12}[A-Z][\w$]{0,80}(?:Error|Exception|Warning|Failure|Interrupt|Exit|Panic|Fault)|Error|Exception)(?: \[(?<code>\w+)\])?: (?<message>\S.{0,600})$/;
const BARE_ERROR = /^(?<type>(?:[a-z_$][\w$]{0,80}\.){0,12}[A-Z][\w$]{0,80}(?:Error|Exception))$/;
const OTHER_ERROR =
  /^(?:(?<type>panic|fatal error|error(?:\[\w+\])?(?: TS\d+)?|fatal|PHP Fatal error|PHP Warning|runtime error|thread '[^'\n]{0,100}'(?: \(\d+\))? panicked at)[: ]{1,3})(?<message>\S.{0,600})$/;

/** The first error that a program's output reports; null without one. */
export function errorIn(output: string): ProgramError | null {
  for (const line of withPanicsOnOneLine(output).split("\n").slice(0, OUTPUT_LINES)) {
    // Consoles put the place before it: `main.js:126 Uncaught TypeError: …`.
    const error = errorOn(line.trim().replace(/^\S{1,200}:\d+(?::\d+)?\s+(?=\S)/, ""));
    if (error !== null) return error;
  }
  return null;
}

const OUTPUT_LINES = 200;

/** The error that a line reports, if it looks like one. */
function errorOn(line: string): ProgramError | null {
  if (line.length > LONGEST_LINE) return null;
  const typed = TYPED_ERROR.exec(line)?.groups;
  if (typed) return { type: typed["type"] ?? null, message: typed["message"]?.trim() ?? "" };
  const other = OTHER_ERROR.exec(line)?.groups;
  if (other)
    return {
      type: other["type"] ?? null,
      message: (other["message"] ?? "").replace(/^'(.*)', \S+\.rs:\d+:\d+$/, "$1").trim(),
    };
  const bare = BARE_ERROR.exec(line)?.groups;
  return bare ? { type: bare["type"] ?? null, message: "" } : null;
}
