import { type Dependency, dependency, isLocal } from "./dependency.ts";

/** Lock files that are read line by line, since only their tool writes them, always in the same format. */
type Lines = readonly string[];

/** `[[package]]` tables of `Cargo.lock`, `poetry.lock` and `uv.lock`. In Cargo's, own packages have no source. */
export function packageTables(lines: Lines, { localWithoutSource }: { localWithoutSource: boolean }): Dependency[] {
  const tables: { name: string; version: string; source: string }[] = [];
  let part = "";
  for (const line of lines) {
    if (line.startsWith("[")) {
      part = line.trim();
      if (part === "[[package]]") tables.push({ name: "", version: "", source: "" });
      continue;
    }
    const current = tables.at(-1);
    const [, key, value = ""] = /^(name|version|source|url) = (.*)$/.exec(line) ?? [];
    if (current === undefined || key === undefined) continue;
    if (part === "[[package]]" && key === "source") current.source = sourceIn(value);
    else if (part === "[package.source]" && key === "url") current.source = `git+${unquoted(value)}`;
    else if (part === "[[package]]" && (key === "name" || key === "version")) current[key] = unquoted(value);
  }
  return tables
    .filter(({ name, source }) => name !== "" && !isLocal(source) && !(localWithoutSource && source === ""))
    .map(({ name, version, source }) => dependency(name, version, { source }));
}

/** `"registry+https://…"`, or uv's `{ git = "https://…" }`. */
function sourceIn(value: string): string {
  const [, kind, address = ""] = /^\{ (\w+) = "([^"]*)"/.exec(value) ?? [];
  if (kind === undefined) return unquoted(value);
  if (kind === "registry" || kind === "url") return address;
  return kind === "git" ? `git+${address}` : `path:${address}`;
}

/** `yarn.lock` of Yarn 1 and later. */
export function yarnLock(lines: Lines): Dependency[] {
  const entries: { name: string; version: string; source: string }[] = [];
  for (const line of lines) {
    if (/^[^\s#]/.test(line) && line.endsWith(":")) {
      const first = unquoted(line.slice(0, -1).split(", ")[0] ?? "").replace(/^"/, "");
      entries.push({ name: first.slice(0, Math.max(0, first.indexOf("@", 1))), version: "", source: "" });
      continue;
    }
    const current = entries.at(-1);
    const [, key, value = ""] = /^ {2}(version|resolved|resolution):? (.*)$/.exec(line) ?? [];
    if (current === undefined || key === undefined) continue;
    if (key === "version") current.version = unquoted(value);
    else current.source = unquoted(value).replace(/^(?:@[^/]*\/)?[^@/:]*@(?=[a-z+]+:)/, "");
  }
  return entries
    .filter(({ name, source }) => name !== "" && name !== "__metadata" && !isLocal(source))
    .map(({ name, version, source }) => dependency(name, version, { source }));
}

/** `pnpm-lock.yaml`: the keys of `packages`, `/name/1.0.0_peer`, `/name@1.0.0(peer)` or `name@1.0.0`. */
export function pnpmLock(lines: Lines): Dependency[] {
  const found: Dependency[] = [];
  let isPackages = false;
  for (const line of lines) {
    if (/^\S/.test(line)) isPackages = line.trimEnd() === "packages:";
    const key = isPackages ? /^ {2}(\S.*):\s*$/.exec(line)?.[1] : undefined;
    if (key === undefined) continue;
    const plain = unquoted(key);
    const [, early, earlyVersion = ""] = /^\/((?:@[^/]+\/)?[^/@]+)\/(\d[^_(]*)/.exec(plain) ?? [];
    const full = plain.replace(/^\//, "").replace(/\(.*$/, "");
    const at = full.indexOf("@", 1);
    const [name, version] = early === undefined ? [full.slice(0, at), full.slice(at + 1)] : [early, earlyVersion];
    if ((early !== undefined || at > 0) && !isLocal(version)) {
      found.push(dependency(name, lastPart(version), { source: version }));
    }
  }
  return found;
}

/** The last part of an address: the revision, or the name of an archive. */
function lastPart(version: string): string {
  return /^[a-z+]+:\/\//.test(version) ? (version.split(/[/#]/).at(-1) ?? version) : version;
}

export function gemfileLock(lines: Lines): Dependency[] {
  const found: Dependency[] = [];
  let section = "";
  let remote = "";
  for (const line of lines) {
    if (/^[A-Z]/.test(line)) section = line.trim();
    remote = /^ {2}remote: (.*)$/.exec(line)?.[1]?.trim() ?? remote;
    const [, name, version = ""] = /^ {4}([^\s()]+) \(([^)]*)\)$/.exec(line) ?? [];
    if (name === undefined || (section !== "GEM" && section !== "GIT")) continue;
    found.push(dependency(name, version, { source: section === "GIT" ? `git+${remote}` : remote }));
  }
  return found;
}

/** The required modules of `go.mod`; a replaced module has its replacement as version. */
export function goMod(lines: Lines): Dependency[] {
  const found = new Map<string, Dependency>();
  let block = "";
  for (const raw of lines) {
    const line = raw.replace(/\/\/.*$/, "").trim();
    if (/^\w+ \($/.test(line)) block = line.slice(0, -2);
    else if (line === ")") block = "";
    else {
      const [directive, ...words] = block === "" ? line.split(/\s+/) : [block, ...line.split(/\s+/)];
      const [name = "", version = ""] = words;
      const arrow = words.indexOf("=>");
      if (directive === "require" && version !== "") found.set(name, dependency(name, version));
      if (directive !== "replace" || arrow === -1) continue;
      found.set(name, dependency(name, words.slice(arrow).join(" ")));
    }
  }
  return [...found.values()];
}

export function goSum(lines: Lines): Dependency[] {
  return lines.flatMap((line) => {
    const [name = "", version = ""] = line.split(" ");
    return version === "" || version.endsWith("/go.mod") ? [] : [dependency(name, version)];
  });
}

/** `requirements.txt`; a version range stays as it is written. */
export function requirements(lines: Lines): Dependency[] {
  return lines.flatMap((raw) => {
    const [, repository, egg] = /^(?:-e )?((?:git|hg|svn)\+[^#]*)#egg=([\w.-]+)/.exec(raw) ?? [];
    if (egg !== undefined) return [dependency(egg, "", { source: repository ?? "" })];
    const line = raw
      .replace(/(?:^|\s)#.*$/, "")
      .replace(/(?:;|--hash|\\$).*$/, "")
      .trim();
    const [, name, rest = ""] = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || /^[^=<>!~@]/.test(rest)) return [];
    const source = /^@\s*(\S+)/.exec(rest)?.[1];
    if (source !== undefined) return [dependency(name, lastPart(source), { source })];
    return [dependency(name, rest.replace(/^===?\s*(?=[^,]*$)/, ""))];
  });
}

/** `gradle.lockfile`: `group:artifact:1.0=classpath`. */
export function gradleLock(lines: Lines): Dependency[] {
  return lines.flatMap((line) => {
    const [, name, version = ""] = /^([^\s:=#]+:[^\s:=]+):([^\s:=]+)=/.exec(line) ?? [];
    return name === undefined ? [] : [dependency(name, version)];
  });
}

function unquoted(text: string): string {
  return text.trim().replaceAll(/^["']|["']$/g, "");
}
