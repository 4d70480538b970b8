/**
 * The target of `rel="next"` in a Link header, absolute; null without one. Linear in the header's length for
 * any content: targets and quoted values may hold commas and semicolons.
 */
export function nextPage(header: string | null, requested: URL): string | null {
  for (const { target, relations } of linksIn(header ?? "")) {
    if (relations.includes("next")) return URL.parse(target, requested.href)?.href ?? null;
  }
  return null;
}

interface Link {
  target: string;
  relations: string[];
}

const TARGET = /\s*,?\s*<([^<>]*)>/y;
const PARAMETER = /\s*;\s*([^\s=;,"<>]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/y;

function linksIn(header: string): Link[] {
  const links: Link[] = [];
  let at = 0;
  for (;;) {
    const target = matchAt(TARGET, header, at);
    if (target === null) return links;
    at = target.end;
    let relations: string[] | undefined;
    for (;;) {
      const parameter = matchAt(PARAMETER, header, at);
      if (parameter === null) break;
      at = parameter.end;
      const [name = "", quoted, bare = ""] = parameter.groups;
      // Of several, the first counts (RFC 8288).
      if (name.toLowerCase() === "rel") relations ??= (quoted ?? bare).toLowerCase().split(/\s+/);
    }
    links.push({ target: target.groups[0] ?? "", relations: relations ?? [] });
  }
}

function matchAt(pattern: RegExp, text: string, at: number): { groups: (string | undefined)[]; end: number } | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match === null ? null : { groups: match.slice(1), end: pattern.lastIndex };
}
