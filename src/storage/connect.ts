import { type Pool, type PoolClient, Client, type ClientConfig } from "pg";
import { sleep } from "../lib/clock.ts";
import { systemCode } from "../lib/errors.ts";
import { fromDatabase } from "./errors.ts";

export interface Connection {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

export interface LentConnection extends Connection {
  /** For cleanup that must not hide the original error. */
  tidyUp(sql: string, parameters?: unknown[]): Promise<void>;
}

/** Retries while the server is full or starting, with this pause between them. */
const TRIES = 40;
const PAUSE_MS = 250;

/** Lends a connection; one whose cleanup statement failed is discarded. */
export async function withClient<T>(pool: Pool, work: (client: LentConnection) => Promise<T>): Promise<T> {
  const client = await retryUntil(async () => await pool.connect());
  const lent: LentConnection = {
    query: async (sql, parameters) => await client.query(sql, parameters),
    tidyUp: async (sql, parameters) => {
      await client.query(sql, parameters).catch(broke);
    },
  };
  let broken = false;
  function broke(): void {
    broken = true;
  }
  // While a connection is lent, the pool does not listen for its errors: a server that goes down would end the process.
  client.on("error", broke);
  try {
    return await work(lent).catch(raise);
  } finally {
    giveBack(client, broke, broken);
  }
}

function giveBack(client: PoolClient, listener: () => void, broken: boolean): void {
  client.release(broken);
  // A broken connection may still emit errors.
  if (!broken) client.off("error", listener);
}

/** A pipelined connection: takes statements before earlier ones are answered. Reconnects after a failure. */
export interface Pipeline {
  client(): Promise<Client>;
  close(): Promise<void>;
}

/** Connects on first use. */
export function openPipeline(config: ClientConfig): Pipeline {
  let current: Promise<Client> | null = null;
  const open = (): Promise<Client> => {
    // Only the newest connection is tracked and closed in the end; an older one must not clear it.
    const forget = () => {
      if (current === opening) current = null;
    };
    const opening: Promise<Client> = retryUntil(async () => await connectPipeline(config, forget)).catch(
      (error: unknown) => {
        forget();
        throw error;
      },
    );
    return opening;
  };
  return {
    client: async () => await (current ??= open()),
    close: async () => {
      await (await current?.catch(() => null))?.end();
    },
  };
}

/** `gone` is called when an established connection breaks. */
async function connectPipeline(config: ClientConfig, gone: () => void): Promise<Client> {
  const client = new Client({ ...config, pipeline: true });
  const state = { connected: false, broken: false };
  const breaks = () => {
    state.broken = true;
    if (state.connected) gone();
  };
  client.on("error", breaks);
  client.on("end", breaks);
  await client.connect();
  state.connected = true;
  if (state.broken) gone();
  return client;
}

/** Nothing has been sent yet, so retrying is safe. */
async function retryUntil<T>(connect: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await connect();
    } catch (error) {
      const code = systemCode(error);
      if (tried === TRIES || (code !== "53300" && code !== "57P03")) return raise(error);
      await sleep(PAUSE_MS);
    }
  }
}

export function raise(error: unknown): never {
  throw fromDatabase(error);
}
