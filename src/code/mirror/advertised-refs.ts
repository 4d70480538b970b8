/** What a remote says that it has. */
export interface Advertised {
  /** Object names by full ref name: branches, tags, and the refs that were asked for by name. */
  refs: ReadonlyMap<string, string>;
  /** The branch that HEAD names, or else the best guess. */
  defaultBranch: string;
  objectFormat: "sha1" | "sha256";
}

/** Reads `git ls-remote --symref`; `null` when there is no branch, so that there is nothing to read. */
export function readAdvertised(listing: string, wanted: readonly string[]): Advertised | null {
  const refs = new Map<string, string>();
  let named: string | undefined;
  let head: string | undefined;
  for (const line of listing.split("\n")) {
    const tab = line.indexOf("\t");
    const [value, name] = [line.slice(0, Math.max(tab, 0)), line.slice(tab + 1)];
    if (tab === -1 || name.endsWith("^{}")) continue;
    if (name === "HEAD" && value.startsWith("ref: refs/heads/")) named = value.slice("ref: refs/heads/".length);
    else if (name === "HEAD") head = value;
    else if (isKept(name, wanted)) refs.set(name, value);
  }
  const defaultBranch = named !== undefined && refs.has(`refs/heads/${named}`) ? named : guess(refs, head);
  if (defaultBranch === undefined) return null;
  const format = refs.get(`refs/heads/${defaultBranch}`)?.length === 64 ? "sha256" : "sha1";
  return { refs, defaultBranch, objectFormat: format };
}

function isKept(name: string, wanted: readonly string[]): boolean {
  return name.startsWith("refs/heads/") || name.startsWith("refs/tags/") || wanted.includes(name);
}

/** For a HEAD that names no branch: one at the same commit, by custom, or the first. */
function guess(refs: ReadonlyMap<string, string>, head: string | undefined): string | undefined {
  const branches = [...refs].flatMap(([name, value]) =>
    name.startsWith("refs/heads/") ? [{ name: name.slice("refs/heads/".length), value }] : [],
  );
  const there = branches.filter(({ value }) => value === head);
  const candidates = there.length > 0 ? there : branches;
  const customary = candidates.find(({ name }) => name === "main") ?? candidates.find(({ name }) => name === "master");
  return (customary ?? candidates[0])?.name;
}
