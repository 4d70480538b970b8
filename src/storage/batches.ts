import { type Client, type ClientConfig, type Connection, Query } from "pg";
import { z } from "zod";
import { RelayError } from "../lib/errors.ts";
import { openPipeline, raise } from "./connect.ts";

export interface Statement {
  sql: string;
  /** Strings, dates and null; anything else is sent as JSON. */
  parameters: unknown[];
}

export interface Batches {
  run: (statements: readonly Statement[]) => Promise<{ rows: unknown[] }[]>;
  close: () => Promise<void>;
}

const answersSchema = z.array(z.object({ rows: z.array(z.unknown()) }));

/** Opened only when all previous connections are in use. */
const CONNECTIONS = 2;

/**
 * Transactions whose statements are known up front: all are sent at once, in one round trip. Two run at a time, each on
 * its own connection; further ones wait for these.
 */
export function openBatches(config: ClientConfig): Batches {
  /** The server keeps one prepared statement per text; there are only a few texts. */
  const names = new Map<string, string>();
  /** Statements that are certainly prepared on a connection. */
  const prepared = new WeakMap<Client, Set<string>>();
  const connections = Array.from({ length: CONNECTIONS }, () => ({ pipeline: openPipeline(config), running: 0 }));
  let closed = false;

  const nameOf = (sql: string): string => {
    const name = names.get(sql) ?? `relay_${names.size + 1}`;
    names.set(sql, name);
    return name;
  };
  const runOn = async (client: Client, statements: readonly Statement[]) => {
    const known = prepared.get(client) ?? new Set();
    prepared.set(client, known);
    const named = statements.map((statement) => ({ ...statement, name: nameOf(statement.sql) }));
    const answers = await new Promise<unknown>((resolve, reject) => {
      client.query(new Batch(named, known, (error, result) => (error ? reject(error) : resolve(result))));
    }).catch(raise);
    for (const { name } of named) known.add(name);
    return answersSchema.parse(Array.isArray(answers) ? answers : [answers]);
  };
  return {
    run: async (statements) => {
      if (closed) throw new RelayError("unavailable", "the database was closed");
      const connection = connections.reduce((least, one) => (one.running < least.running ? one : least));
      connection.running += 1;
      try {
        return await runOn(await connection.pipeline.client(), statements);
      } finally {
        connection.running -= 1;
      }
    },
    close: async () => {
      closed = true;
      await Promise.all(connections.map(async ({ pipeline }) => await pipeline.close()));
    },
  };
}

/**
 * Several statements before one Sync: PostgreSQL runs them as one transaction, which it commits at the Sync, and
 * answers once. With `begin`, `commit` and a Sync for each, this process would wake up for each of them.
 */
class Batch extends Query {
  override submit: (connection: Connection) => void;

  constructor(
    statements: readonly (Statement & { name: string })[],
    prepared: ReadonlySet<string>,
    callback: (error: Error | undefined, result: unknown) => void,
  ) {
    super({ text: "" }, callback);
    this.submit = (connection) => {
      const { stream } = connection;
      // Sends one packet to the server instead of one per message.
      stream.cork();
      for (const { sql, parameters, name } of statements) {
        if (!prepared.has(name)) {
          // It may already exist: prepared by a batch that failed afterwards, or by one that is still running.
          connection.close({ type: "S", name }, true);
          connection.parse({ name, text: sql, types: [] }, true);
        }
        connection.bind({ statement: name, values: parameters.map(asText) }, true);
        connection.describe({ type: "P", name: "" }, true);
        connection.execute({}, true);
      }
      connection.sync();
      stream.uncork();
    };
  }
}

function asText(value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}
