/** What must be installed before commands of a Python project can run. */
export interface Needs {
  /** Requirements in pip's syntax: `pytest>=8`. */
  requirements: string[];
  /** Requirement files, relative to the top. */
  files: string[];
  constraints: string[];
  /** Extras and dependency groups of the project itself. */
  extras: string[];
  groups: string[];
  /** Whether the project itself is installed. */
  installs: boolean;
}

export function noNeeds(): Needs {
  return { requirements: [], files: [], constraints: [], extras: [], groups: [], installs: false };
}

/** Adds the requirements in arguments of `pip install`, or in a line of tox's `deps`; unknown options are ignored. */
export function addRequirements(needs: Needs, words: readonly string[]): void {
  const text = words.join(" ");
  const option = /^(-r|-c|-e|--requirement|--constraint|--editable)[ =]?(.+)$/.exec(text);
  if (option === null) {
    if (text.startsWith("-")) return;
    if (isOwn(text)) addOwn(needs, text);
    else if (isRequirement(text)) needs.requirements.push(text);
    return;
  }
  const [, kind = "", value = ""] = option;
  const path = value.trim().replace(/^(?:\.\/)+/, "");
  if (kind.startsWith("-e") || kind === "--editable") addOwn(needs, value.trim());
  else if (isInside(path))
    (kind.includes("c") && !kind.includes("requirement") ? needs.constraints : needs.files).push(path);
}

function addOwn(needs: Needs, text: string): void {
  if (!isOwn(text)) return;
  needs.installs = true;
  const [, extras = ""] = /\[([^\]]*)\]/.exec(text) ?? [];
  needs.extras.push(
    ...extras
      .split(",")
      .map((extra) => extra.trim())
      .filter((extra) => extra !== ""),
  );
}

function isOwn(text: string): boolean {
  return /^\.\/?(?:\[[\w\s,.-]*\])?$/.test(text);
}

function isInside(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !path.split("/").includes("..") && !path.includes("://");
}

/** Whether a text is a requirement with a name, in the syntax of PEP 508. */
export function isRequirement(text: string): boolean {
  return text.length <= 300 && /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?\s*(?:[[(<>=!~;@].*)?$/.test(text);
}

/** The name of a requirement, normalized. */
export function requirementName(text: string): string {
  return (/^[\w.-]+/.exec(text.trim())?.[0] ?? "").toLowerCase().replaceAll(/[._-]+/g, "-");
}
