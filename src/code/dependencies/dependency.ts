/** A package as a lock file pins it. */
export interface Dependency {
  name: string;
  /** With where it comes from, if that is not the usual registry: `1.2.0 (github.com/acme/left-pad)`. */
  version: string;
  /** As the lock file tells it; null where it does not. */
  licence: string | null;
}

/** Registries that need no mention. */
const USUAL = new Set([
  "registry.npmjs.org",
  "registry.yarnpkg.com",
  "index.crates.io",
  "github.com/rust-lang/crates.io-index",
  "pypi.org",
  "files.pythonhosted.org",
  "rubygems.org",
]);

/** A package from an address: of a registry its host counts, of a repository the path too. */
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
