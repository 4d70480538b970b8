const OWN_SCHEMES = new Set(["http:", "https:"]);

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
  let decoded = path;
  for (let round = 0; round < 3; round += 1) {
    if (decoded.split(/[/\\]/).some((segment) => segment === ".." || segment === ".")) return true;
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      // No server reads it either.
      return true;
    }
  }
  return decoded.includes("%2e") || decoded.includes("%2E");
}
