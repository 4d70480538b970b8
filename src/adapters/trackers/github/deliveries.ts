import { type Call, pages } from "../pages.ts";
import { z } from "zod";
import type { MissedDelivery } from "../connection.ts";
import { read } from "./api-schemas.ts";

const PAGE = 100;
const MOST_PAGES = 100;

const deliveries = z.array(
  z.object({
    guid: z.string(),
    delivered_at: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
    status_code: z.number().nullish(),
    event: z.string(),
    action: z.string().nullish(),
    repository_id: z.number().nullish(),
    installation_id: z.number().nullish(),
  }),
);
/** Each names the repository and the App's installation that it is about, if any. */
export type GithubDelivery = MissedDelivery & { repositoryId: number | null; installationId: number | null };
type Delivery = z.infer<typeof deliveries>[number];

/**
 * Deliveries since then that failed, oldest first. GitHub lists every attempt separately, newest first; a delivery that
 * succeeded on a later attempt is not included. With `repositoryId`, only those of that repository.
 */
export async function missedDeliveries(
  call: Call,
  path: string,
  { since, repositoryId }: { since: Date; repositoryId: number | null },
): Promise<GithubDelivery[]> {
  const missed = new Map<string, GithubDelivery>();
  const arrived = new Set<string>();
  for await (const delivery of newestFirst(call, path)) {
    if (delivery.delivered_at < since) break;
    if (repositoryId !== null && delivery.repository_id !== repositoryId) continue;
    const status = delivery.status_code ?? 0;
    if (status >= 200 && status < 300) arrived.add(delivery.guid);
    const { guid: id, event, action, delivered_at: at } = delivery;
    // The oldest attempt has the time of the event; the newest has the current status.
    const newest = missed.get(id);
    const place = { repositoryId: delivery.repository_id ?? null, installationId: delivery.installation_id ?? null };
    const what = action ? `${event}.${action}` : event;
    missed.set(id, { id, event: what, at, status: newest?.status ?? status, ...place });
  }
  return [...missed.values()].filter(({ id }) => !arrived.has(id)).toReversed();
}

async function* newestFirst(call: Call, path: string): AsyncGenerator<Delivery> {
  const first = { method: "GET", path, query: { per_page: PAGE } } as const;
  for await (const body of pages(call, first, MOST_PAGES)) yield* read(deliveries, body, "deliveries of a webhook");
}
