import type { Answer } from "./answer.ts";
import type { Call } from "./route.ts";

/** Above this many GitLab counts no more: the headers of the total and of the last page are absent. */
const COUNTED = 10_000;

/** One page by number, with the headers that GitLab gives it. Numbers that it cannot read are 1 and 20. */
export function page<T>(call: Call, items: readonly T[], shape: (item: T) => unknown, most = 100): Answer {
  const number = positive(call.query.get("page")) ?? 1;
  const size = Math.min(positive(call.query.get("per_page")) ?? 20, most);
  const pages = Math.max(1, Math.ceil(items.length / size));
  const next = number < pages ? number + 1 : null;
  const link = (wanted: number) => {
    const url = new URL(call.url);
    url.searchParams.set("page", String(wanted));
    url.searchParams.set("per_page", String(size));
    return url.href;
  };
  const counted = items.length <= COUNTED;
  const links = [
    ...(number > 1 ? [`<${link(number - 1)}>; rel="prev"`] : []),
    ...(next === null ? [] : [`<${link(next)}>; rel="next"`]),
    `<${link(1)}>; rel="first"`,
    ...(counted ? [`<${link(pages)}>; rel="last"`] : []),
  ];
  return {
    status: 200,
    json: items.slice((number - 1) * size, number * size).map(shape),
    headers: {
      link: links.join(", "),
      "x-page": String(number),
      "x-per-page": String(size),
      "x-next-page": next === null ? "" : String(next),
      "x-prev-page": number > 1 ? String(number - 1) : "",
      ...(counted ? { "x-total": String(items.length), "x-total-pages": String(pages) } : {}),
    },
  };
}

/** The pages of a large list by the place where the last one ended. */
export function keyset<T extends { id: number }>(call: Call, items: readonly T[], shape: (item: T) => unknown): Answer {
  const size = Math.min(positive(call.query.get("per_page")) ?? 20, 100);
  const cursor = positive(call.query.get("cursor"));
  const descending = call.query.get("sort") !== "asc";
  const inOrder = items.toSorted((one, other) => (descending ? other.id - one.id : one.id - other.id));
  const rest = cursor === null ? inOrder : inOrder.filter((item) => (descending ? item.id < cursor : item.id > cursor));
  const shown = rest.slice(0, size);
  const last = shown.at(-1);
  const url = new URL(call.url);
  if (last) url.searchParams.set("cursor", String(last.id));
  return {
    status: 200,
    json: shown.map(shape),
    headers: rest.length > size ? { link: `<${url.href}>; rel="next"` } : {},
  };
}

function positive(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
}
