const OWN_SCHEMES = new Set(["http:", "https:"]);
/** No legitimate path is encoded more often than this. */
const MOST_DECODINGS = 4;

/**
 * The URL of a model server for a program's path; null where the path would leave the route's URL, also for a server that
 * decodes it once more.
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

/** Null for a malformed encoding, which no server accepts either. */
function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
