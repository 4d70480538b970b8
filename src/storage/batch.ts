import type { ClientConfig } from "pg";
import { RelayError } from "../lib/errors.ts";
import { openPipeline, raise } from "./connect.ts";

export interface Statement {
  sql: string;
  parameters: unknown[];
}

export interface Batches {
  run: (statements: readonly Statement[]) => Promise<{ rows: unknown[] }[]>;
  close: () => Promise<void>;
}

/**
 * Transactions whose statements are known beforehand: all are sent at once, so that the way to the server and back
 * is made once and not for each. They have one connection of their own, and run one after another.
 */
export function openBatches(config: ClientConfig): Batches {
  /** The server keeps a prepared statement for each text; there are few. */
  const names = new Map<string, string>();
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
      const { stream } = client.connection;
      // One packet to the server instead of one for each statement.
      stream.cork();
      const answering = Promise.allSettled([
        client.query("begin"),
        ...statements.map(
          async ({ sql, parameters }) => await client.query({ name: nameOf(sql), text: sql, values: parameters }),
        ),
        // After a statement that failed, PostgreSQL takes this for a rollback.
        client.query("commit"),
      ]);
      stream.uncork();
      const [begun, ...answers] = await answering;
      const results = [];
      // The first failure is the one that tells; those behind it failed because of it.
      for (const answer of [begun, ...answers]) {
        if (answer.status === "rejected") return raise(answer.reason);
        results.push({ rows: answer.value.rows });
      }
      return results.slice(1, -1);
    },
    close: async () => {
      closed = true;
      await pipeline.close();
    },
  };
}
