import { type Client, type ClientConfig, type Connection, Query } from "pg";
import { z } from "zod";
import { RelayError } from "../lib/errors.ts";
import { openPipeline, raise } from "./connect.ts";

export interface Statement {
  sql: string;
  /** Texts, times, and null; anything else is sent as JSON. */
  parameters: unknown[];
}

export interface Batches {
  run: (statements: readonly Statement[]) => Promise<{ rows: unknown[] }[]>;
  close: () => Promise<void>;
}

const answersSchema = z.array(z.object({ rows: z.array(z.unknown()) }));

/**
 * Transactions whose statements are known up front: all are sent at once, in one round trip. They share one connection
 * and run one after another.
 */
export function openBatches(config: ClientConfig): Batches {
  /** The server keeps a prepared statement per text; there are few. */
  const names = new Map<string, string>();
  /** Those that are prepared on a connection for certain. */
  const prepared = new WeakMap<Client, Set<string>>();
  const pipeline = openPipeline(config);
  let closed = false;

  const nameOf = (sql: string): string => {
    const name = names.get(sql) ?? `relay_${names.size + 1}`;
    names.set(sql, name);
    return name;
  };
  return {
    run: async (statements) => {
      if (closed) throw new RelayError("unavailable", "the database was closed");
      const client = await pipeline.client();
      const known = prepared.get(client) ?? new Set();
      prepared.set(client, known);
      const named = statements.map((statement) => ({ ...statement, name: nameOf(statement.sql) }));
      const answers = await new Promise<unknown>((resolve, reject) => {
        client.query(new Batch(named, known, (error, result) => (error ? reject(error) : resolve(result))));
      }).catch(raise);
      for (const { name } of named) known.add(name);
      return answersSchema.parse(Array.isArray(answers) ? answers : [answers]);
    },
    close: async () => {
      closed = true;
      await pipeline.close();
    },
  };
}

/**
 * Several statements before one Sync: PostgreSQL runs them as one transaction, which it commits at the Sync, and answers
 * once. With `begin`, `commit` and a Sync for each, it would wake this process for each of them.
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
      // One packet to the server instead of one for each message.
      stream.cork();
      for (const { sql, parameters, name } of statements) {
        if (!prepared.has(name)) {
          // It may be there: prepared by a batch that failed later on, or by one that is not answered yet.
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
