import { createReadStream } from "node:fs";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import type { Terminal } from "./terminal.ts";

/** A tree of 200,000 long paths and an issue with a long log fit. */
const LIMIT = 64 * 1024 * 1024;

export type ContractInput = { kind: "json"; value: unknown } | { kind: "not json"; why: string };

/**
 * The JSON document that a file, or standard input as `-`, holds. What is no JSON is an answer of the contract, not a
 * failure of the command. Throws `RelayError` `usage` for a file that cannot be read.
 */
export async function readContractInput(source: string, terminal: Terminal): Promise<ContractInput> {
  const text = source === "-" ? await terminal.readInput(LIMIT) : await readAll(source);
  try {
    return { kind: "json", value: JSON.parse(text.replace(/^\uFEFF/, "")) };
  } catch (error) {
    return { kind: "not json", why: messageOf(error) };
  }
}

async function readAll(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(file)) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.length;
      if (size > LIMIT) throw new RelayError("usage", `${file} is larger than 64 MiB; leave files out of the tree`);
    }
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    const reason = systemCode(cause) === "ENOENT" ? "there is no such file" : messageOf(cause);
    throw new RelayError("usage", `cannot read the input ${file}: ${reason}`, { cause });
  }
  return Buffer.concat(chunks).toString("utf8");
}
