import type { Config } from "../../config/config.ts";
import type { Provider } from "../../domain/issue.ts";
import type { ErrorCode } from "../../lib/errors.ts";
import type { Connecting } from "../../storage/db.ts";
import type { DeliveryResult } from "../metrics.ts";

/** What the intake thread begins with. */
export interface IntakeData {
  config: Config;
  logLevel: "debug" | "info" | "warn" | "error";
  /** The Unix socket on which the process itself answers what is no webhook. */
  pages: string;
}

export interface CountedDelivery {
  provider: Provider;
  result: DeliveryResult;
  seconds: number;
}

/** To the thread. */
export type IntakeOrder =
  /** The database is open and migrated: deliveries can be stored from now on. */
  | { kind: "store"; connection: Connecting }
  /** The program begins to stop: it is not ready any more. */
  | { kind: "leave" }
  /** Answer what is under way, within so many milliseconds, and end. */
  | { kind: "end"; graceMs: number };

/** From the thread. */
export type IntakeNews =
  | { kind: "listening"; address: string }
  | { kind: "refused"; code: ErrorCode; message: string }
  | { kind: "answered"; deliveries: CountedDelivery[] };
