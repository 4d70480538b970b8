// The thread that receives deliveries, so that planning, searching or showing pages in the process's main thread never
// delays an acknowledgement (R-SAFE-9). Started by thread.js.

import { flushCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { type Receiver, openReceiver } from "../../app/receiver.ts";
import { openTracing } from "../../app/tracing.ts";
import { isServedProject } from "../../app/trackers/served-projects.ts";
import { webhookReaders } from "../../app/trackers/webhook-readers.ts";
import { sendAccessGiven, sendPushed } from "../../engine/send-jobs.ts";
import { systemClock } from "../../lib/clock.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { jsonLog } from "../../lib/json-log.ts";
import { ping } from "../../storage/migrate.ts";
import { WEB_LIMITS } from "../limits.ts";
import { listen } from "../listen.ts";
import { createIntake } from "./routes.ts";
import { forwardTo } from "./forward.ts";
import type { CountedDelivery, IntakeData, IntakeNews, IntakeOrder } from "./messages.ts";

const { config, logLevel, pages }: IntakeData = workerData;
const log = jsonLog(logLevel);
const tracing = await openTracing(log);
let receiver: Receiver | null = null;
let isLeaving = false;

function storing(): Receiver {
  if (receiver === null) throw new RelayError("unavailable", "Relay is starting");
  return receiver;
}

function tell(news: IntakeNews): void {
  parentPort?.postMessage(news, []);
}

const answered: CountedDelivery[] = [];
/** Sends the counts of one turn of the event loop in one message, so that a flood of calls is no flood of messages. */
function count(delivery: CountedDelivery): void {
  if (answered.push(delivery) > 1) return;
  setImmediate(() => tell({ kind: "answered", deliveries: answered.splice(0) }));
}

try {
  const web = createIntake({
    readers: await webhookReaders(config, systemClock),
    receive: async (delivery) => await storing().receive(delivery),
    accessGiven: async (provider, account) => await sendAccessGiven(await storing().queue(), provider, account),
    pushed: async (provider, push) => await sendPushed(await storing().queue(), provider, push),
    serves: async (provider, project) => await isServedProject(provider, project, { config, db: () => storing().db }),
    health: async () => {
      // Requests in progress still complete, but load balancers should stop sending new ones.
      if (isLeaving) throw new RelayError("unavailable", "Relay is on its way out");
      await ping(storing().db);
    },
    metrics: { delivery: (provider, result, seconds) => count({ provider, result, seconds }) },
    limits: WEB_LIMITS,
    log,
  });
  web.all("*", forwardTo(pages));
  const { host, port, trusted_proxies: trustedProxies } = config.server;
  const listening = await listen(web, { at: { host, port }, limits: WEB_LIMITS, trustedProxies });
  parentPort?.on("message", (order: IntakeOrder) => {
    switch (order.kind) {
      case "store":
        // Another try after a failed start brings the database again.
        void receiver?.close();
        receiver = openReceiver(order.connection, log);
        return;
      case "leave":
        isLeaving = true;
        return;
      case "end":
        void end(listening.stop(order.graceMs));
        return;
      default:
        order satisfies never;
    }
  });
  tell({ kind: "listening", address: listening.address });
  // A killed process would not save it.
  flushCompileCache();
} catch (error) {
  const code = error instanceof RelayError ? error.code : "internal";
  tell({ kind: "refused", code, message: messageOf(error) });
}

async function end(stopped: Promise<void>): Promise<void> {
  await stopped;
  await receiver?.close();
  await tracing.close();
  // Nothing is left to wait for.
  parentPort?.close();
}
