import { Client } from "pg";
import { expect, test } from "vitest";
import { readDatabaseUrl } from "./database-url.ts";

test.each([
  "postgres://relay@db.example/relay",
  "postgresql://relay:secret@db.example:5433/relay?sslmode=disable",
  "postgres://relay@/relay?host=/var/run/postgresql",
  "postgres://relay:secret@/relay?host=/var/run/postgresql",
  "postgres:///relay?host=/var/run/postgresql",
])("%s is an address, and names the host and database that the library connects to", (text) => {
  const { host, port, database } = new Client({ connectionString: text });
  const found = readDatabaseUrl(text);
  expect(found?.host.replace(`:${port}`, "")).toBe(host);
  expect(found?.database).toBe(database);
});

test.each(["", "mysql://x/y", "relay", "host=/tmp dbname=relay", "postgres:relay", "postgres://relay@host:port/relay"])(
  "%j is none",
  (text) => {
    expect(readDatabaseUrl(text)).toBeNull();
  },
);
