/** A package as a lock file pins it. */
export interface Dependency {
  name: string;
  /** Includes the source if it is not the usual registry: `1.2.0 (github.com/acme/left-pad)`. */
  version: string;
  /** From the lock file; null if it has none. */
  licence: string | null;
}

/** Registries that are not mentioned. */
const USUAL = new Set([
  "registry.npmjs.org",
  "registry.yarnpkg.com",
  "index.crates.io",
  "github.com/rust-lang/crates.io-index",
  "pypi.org",
  "files.pythonhosted.org",
  "rubygems.org",
]);

/** A package with its source address, shortened to the host for a registry, and to host and path for a repository. */
export function dependency(
  name: string,
  version: string,
  { source = "", licence = null }: { source?: string; licence?: string | null } = {},
): Dependency {
  const place = placeOf(source);
  return { name, version: place === null || USUAL.has(place) ? version : `${version} (${place})`.trim(), licence };
}

/** Whether the address is a folder of the repository itself. */
export function isLocal(source: string): boolean {
  return /^(?:file|link|workspace|portal|path):|^\.{0,2}\//.test(source);
}

function placeOf(source: string): string | null {
  const plain = source.replace(/^[a-z]+\+(?=[a-z]+:)/, "").replace(/^git@([^:/]+):/, "ssh://$1/");
  const url = URL.canParse(plain) ? new URL(plain) : null;
  if (url === null || url.host === "") return null;
  const isRepository = /^(?:git|ssh)[:+@]|^registry\+https:\/\/github\.com\/|\.git(?:[#?]|$)/.test(source);
  return isRepository ? `${url.host}${url.pathname.replace(/\.git$/, "")}` : url.host;
}
