import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import type { IssueFile } from "../adapters/trackers/issue-file/parse.ts";
import { parseIssueFile } from "../adapters/trackers/issue-file/parse.ts";
import type { Terminal } from "./terminal.ts";

/** Beyond the largest issue file that is understood, so that a device without end is not read to it. */
const READ_LIMIT = 2 * 1024 * 1024;

/** The issue that a file, or standard input as `-`, holds. Throws `RelayError` `usage` with the mend. */
export async function readIssueSource(
  source: string,
  terminal: Terminal,
): Promise<{ issue: IssueFile; url: string | null }> {
  if (source === "-")
    return { issue: parseIssueFile(Buffer.from(await terminal.readInput()), "standard input"), url: null };
  if (/^https?:\/\//.test(source)) {
    throw new RelayError("usage", `${source}: issues of hosted trackers cannot be read yet; save it to a file first`);
  }
  try {
    if ((await stat(source)).isDirectory()) {
      throw new RelayError("usage", `${source} is a directory; give the file of one issue`);
    }
    const issue = parseIssueFile(await readSome(source), source);
    return { issue, url: issue.url ?? `file://${resolve(source)}` };
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    const reason = systemCode(cause) === "ENOENT" ? "there is no such file" : messageOf(cause);
    throw new RelayError("usage", `cannot read the issue ${source}: ${reason}`, { cause });
  }
}

async function readSome(file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file)) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > READ_LIMIT) break;
  }
  return Buffer.concat(chunks);
}
