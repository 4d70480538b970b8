/*
 * The links of a spec's citations lead to addresses at its end (R-SPEC-17), which stand in one file of a change only: each
 * other file gets those that it needs, and loses them again when it is read.
 */

const ADDRESS = /^\[([^\]\n]{1,420})\]: \S+$/;

/**
 * A file with the addresses of its links at its end. Links into the Evidence lead to the file `design`; without one they
 * are left out, as in a text that OpenSpec copies to another folder.
 */
export function withAddresses(file: string, addresses: ReadonlyMap<string, string>, design: string | null): string {
  const lines = [...addresses].flatMap(([label, address]) => {
    if (label === "" || !(file.includes(`[${label}]`) || file.includes(`[${label.toLowerCase()}]`))) return [];
    if (!address.startsWith("#")) return [`[${label}]: ${address}`];
    return design === null ? [] : [`[${label}]: ${design}${address}`];
  });
  return lines.length === 0 ? file : `${file.trimEnd()}\n\n${lines.join("\n")}\n`;
}

/** A file without the addresses at its end that stand elsewhere too. */
export function withoutAddresses(file: string, elsewhere: ReadonlyMap<string, string>): string {
  const lines = file.trimEnd().split("\n");
  const isKnown = (line: string) => elsewhere.has(ADDRESS.exec(line)?.[1] ?? "\n");
  while (lines.length > 0 && (isKnown(lines.at(-1) ?? "") || lines.at(-1)?.trim() === "")) lines.pop();
  return `${lines.join("\n")}\n`;
}
