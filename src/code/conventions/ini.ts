/** The sections of a file in the format of Python's configparser: `tox.ini`, `setup.cfg`. Keys are in lower case. */
export type Ini = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Indented lines continue the value above; lines that cannot be parsed are left out. */
export function parseIni(text: string): Ini {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | null = null;
  let key: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const bare = line.replace(/(?:^|\s)[#;].*$/, "").trimEnd();
    const [, name] = /^\[([^\]]+)\]/.exec(bare) ?? [];
    if (name !== undefined) {
      section = sections.get(name.trim()) ?? new Map<string, string>();
      sections.set(name.trim(), section);
      key = null;
    } else if (/^\s+\S/.test(bare) && section !== null && key !== null) {
      section.set(key, `${section.get(key) ?? ""}\n${bare.trim()}`);
    } else if (bare !== "" && section !== null) {
      const [, left, right = ""] = /^([^=:]+?)\s*[=:]\s*(.*)$/.exec(bare) ?? [];
      key = left?.toLowerCase() ?? null;
      if (key !== null) section.set(key, right);
    }
  }
  return sections;
}

/** The lines of a value, without empty ones. */
export function iniLines(value: string | undefined): string[] {
  return (value ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
