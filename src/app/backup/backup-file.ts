import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { linesOf } from "../../storage/copy-tables.ts";

/*
 * A backup is text under gzip: a line of JSON for its head, one for each file, the tables as `copyTables` writes them,
 * and a line with the SHA-256 of all before it. docs/operations.md says what it contains.
 */

const FORMAT = 1;
/** The last line begins at most this many bytes before the end. */
const LAST_LINE = 80;

const headSchema = z.object({ relay_backup: z.number(), relay: z.string(), at: z.iso.datetime() });
const fileSchema = z.object({ file: z.string(), content: z.base64() });
const FILE_LINE = '{"file":';

export interface BackupHead {
  /** When it was begun. */
  at: Date;
  /** The version of Relay that made it. */
  relay: string;
}

/** The text of a backup. */
export async function* backupOf(
  { at, relay }: BackupHead,
  files: AsyncIterable<{ name: string; content: Buffer }>,
  tables: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const part of partsOf({ relay_backup: FORMAT, relay, at: at.toISOString() }, files, tables)) {
    hash.update(part);
    yield part;
  }
  yield lastLine(hash.digest("hex"));
}

async function* partsOf(
  head: z.infer<typeof headSchema>,
  files: AsyncIterable<{ name: string; content: Buffer }>,
  tables: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield lineOf(head);
  for await (const { name, content } of files) yield lineOf({ file: name, content: content.toString("base64") });
  yield* tables;
}

/** The files in a backup. */
export async function* filesIn(path: string): AsyncGenerator<{ name: string; content: Buffer }> {
  const lines = linesOf(unpacked(path));
  await lines.next();
  for (let line = await lines.next(); line?.startsWith(FILE_LINE) === true; line = await lines.next()) {
    const { file, content } = fileSchema.parse(JSON.parse(line));
    yield { name: file, content: Buffer.from(content, "base64") };
  }
}

/** The tables in a backup, as `pasteTables` takes them. */
export async function* tablesIn(path: string): AsyncGenerator<Buffer> {
  const lines = linesOf(unpacked(path));
  await lines.next();
  let line = await lines.next();
  while (line?.startsWith(FILE_LINE) === true) line = await lines.next();
  yield Buffer.from(`${line ?? ""}\n`);
  yield* lines.rest();
}

/**
 * Reads all of a backup before anything is done with it. Throws `invalid` for a file that is damaged or no backup,
 * `config` for one by a newer Relay.
 */
export async function verified(file: string): Promise<BackupHead> {
  const hash = createHash("sha256");
  let first = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  try {
    for await (const chunk of unpacked(file)) {
      if (!first.includes("\n") && first.length < 1_000) first = Buffer.concat([first, chunk]);
      const rest = Buffer.concat([tail, chunk]);
      const sure = Math.max(0, rest.length - LAST_LINE);
      hash.update(rest.subarray(0, sure));
      tail = rest.subarray(sure);
    }
  } catch (error) {
    if (systemCode(error)?.startsWith("Z_") !== true) throw error;
    throw new RelayError("invalid", `${file} is no whole backup (${messageOf(error)}); take another one`);
  }
  const head = headOf(first);
  if (head === null) throw new RelayError("invalid", `${file} is no backup of Relay`);
  if (head.relay_backup > FORMAT) {
    throw new RelayError("config", `${file} was made by a newer Relay (${head.relay}); update this one`);
  }
  if (tail.toString("utf8") !== lastLine(hash.digest("hex")).toString("utf8")) {
    throw new RelayError("invalid", `${file} is damaged: its checksum is not that of its content; take another one`);
  }
  return { at: new Date(head.at), relay: head.relay };
}

function headOf(text: Buffer): z.infer<typeof headSchema> | null {
  try {
    return headSchema.parse(JSON.parse(text.subarray(0, text.indexOf("\n")).toString("utf8")));
  } catch {
    return null;
  }
}

function lastLine(sha256: string): Buffer {
  return Buffer.from(`${JSON.stringify({ sha256 }).padEnd(LAST_LINE - 1)}\n`);
}

async function* unpacked(file: string): AsyncGenerator<Buffer> {
  const packed = createReadStream(file);
  const text = createGunzip();
  packed.on("error", (error) => text.destroy(error));
  for await (const chunk of packed.pipe(text)) yield z.instanceof(Buffer).parse(chunk);
}

function lineOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
