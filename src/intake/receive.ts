import type { TrackerEvent } from "../domain/event.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "../store/db.ts";
import { saveDelivery } from "../store/deliveries.ts";

export type Receipt = { kind: "stored"; deliveryId: string } | { kind: "repeated" };

/**
 * Takes a delivery in: stored, deduplicated by the tracker's id and enqueued in one transaction (R-IN-2).
 * When this returns, the delivery survives a crash; when it throws, nothing was stored and the tracker
 * must deliver again.
 */
export async function receive(
  externalDeliveryId: string,
  event: TrackerEvent,
  deps: {
    db: Db;
    clock: Clock;
    ids: Ids;
    /** Sends the job that will process the delivery, as part of the given transaction. */
    enqueue: (tx: Db, deliveryId: string, event: TrackerEvent) => Promise<void>;
  },
): Promise<Receipt> {
  return await deps.db.transaction(async (tx) => {
    const deliveryId = await saveDelivery(tx, externalDeliveryId, event, deps);
    if (deliveryId === null) return { kind: "repeated" };
    await deps.enqueue(tx, deliveryId, event);
    return { kind: "stored", deliveryId };
  });
}
