import type { Answer } from "./answer.ts";
import type { Call } from "./call.ts";

export function perPage(call: Call): number {
  const wanted = Number(call.query.get("per_page") ?? 30);
  return Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, 100) : 30;
}

/** The page that was asked for, with links to the others. `wrap` puts it where the operation has it. */
export function pageOf<T>(
  call: Call,
  all: readonly T[],
  show: (each: T) => unknown,
  wrap: (page: unknown[], total: number) => unknown = (page) => page,
): Answer {
  const size = perPage(call);
  const page = Math.max(Number(call.query.get("page") ?? 1) || 1, 1);
  const last = Math.max(Math.ceil(all.length / size), 1);
  const body = wrap(all.slice((page - 1) * size, page * size).map(show), all.length);
  const links: [string, number][] = [];
  if (page > 1) links.push(["prev", page - 1]);
  if (page < last) links.push(["next", page + 1], ["last", last]);
  if (page > 1) links.push(["first", 1]);
  if (links.length === 0) return { status: 200, body };
  const link = links.map(([rel, n]) => `<${linkTo(call, { page: String(n) })}>; rel="${rel}"`).join(", ");
  return { status: 200, body, headers: { link } };
}

/** The same address with other values; repositories go by their id in links, as on GitHub. */
export function linkTo(call: Call, change: Record<string, string>): string {
  const query = new URLSearchParams(call.query);
  for (const [name, value] of Object.entries(change)) query.set(name, value);
  const named = /^\/repos\/([^/]+)\/([^/]+)/.exec(call.path);
  const [start = "", owner = "", name = ""] = named ?? [];
  const repository = named && call.world.findRepository(decodeURIComponent(owner), decodeURIComponent(name));
  const path = repository ? `/repositories/${repository.id}${call.path.slice(start.length)}` : call.path;
  return `${call.world.api}${path}?${query.toString()}`;
}
