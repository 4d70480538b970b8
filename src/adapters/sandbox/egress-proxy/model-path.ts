const OWN_SCHEMES = new Set(["http:", "https:"]);
/** No honest path is encoded more often than this. */
const MOST_DECODINGS = 4;

/**
 * The address of a model server that a program's path leads to; null where the path would lead out of what the route's
 * URL names, also by a server that decodes it once more.
 */
export function addressWithin(base: string, rest: string): URL | null {
  const root = new URL(base);
  const prefix = root.pathname.replace(/\/+$/, "");
  const [path = ""] = rest.split(/[?#]/, 1);
  if (!OWN_SCHEMES.has(root.protocol) || leadsUp(path)) return null;
  const address = new URL(root);
  address.pathname = prefix + path;
  address.search = rest.slice(path.length).replace(/#.*$/, "");
  const within = address.origin === root.origin && (prefix === "" || address.pathname.startsWith(`${prefix}/`));
  return within || address.pathname === prefix ? address : null;
}

function leadsUp(path: string): boolean {
  let seen = path;
  for (let round = 0; round < MOST_DECODINGS; round += 1) {
    if (seen.split(/[/\\]/).some((segment) => segment === ".." || segment === ".")) return true;
    const decoded = decode(seen);
    if (decoded === seen) return false;
    if (decoded === null) return true;
    seen = decoded;
  }
  return true;
}

/** Null for what no server reads either. */
function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
