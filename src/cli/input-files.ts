import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { sameLogin } from "../domain/login.ts";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import { type IssueFile, parseIssueFile } from "../adapters/trackers/issue-file/parse.ts";
import { LONGEST_BODY } from "../adapters/trackers/texts.ts";
import { WEB_LIMITS } from "../server/limits.ts";
import type { Terminal } from "./terminal.ts";

const MEBIBYTE = 1024 * 1024;
/** Above the size limit of issue files; stops reading from endless devices. */
const ISSUE_LIMIT = 2 * MEBIBYTE;
/** The validator's own limit is far below. */
const SPEC_LIMIT = 64 * MEBIBYTE;
/** Fits a tree of 200,000 long paths and an issue with a long log. */
const CONTRACT_LIMIT = 64 * MEBIBYTE;
/** That of a webhook. */
const EVENT_LIMIT = WEB_LIMITS.bodyBytes;

/** The issue in a file, or in standard input for `-`. Throws `usage` with the remedy. */
export async function readIssueSource(
  source: string,
  terminal: Terminal,
): Promise<{ issue: IssueFile; url: string | null }> {
  if (source === "-")
    return { issue: parseIssueFile(Buffer.from(await terminal.readInput()), "standard input"), url: null };
  if (/^https?:\/\//i.test(source)) {
    throw new RelayError("usage", `${source}: only \`relay spec\` reads issues from trackers; save it to a file first`);
  }
  return await readIssueFile(source);
}

/** The comments of the reporter and of those whose words count besides: anybody else can name any file. */
export function commentsWithSay<C extends { author: string }>(
  { author, assignees, maintainers }: Pick<IssueFile, "author" | "assignees" | "maintainers">,
  comments: readonly C[],
): C[] {
  return comments.filter((comment) =>
    [author, ...assignees, ...maintainers].some((login) => sameLogin(login, comment.author)),
  );
}

async function readIssueFile(source: string): Promise<{ issue: IssueFile; url: string }> {
  if (NAME_OF_AN_ISSUE.test(source) && (await isMissing(source))) throw nameInsteadOfFile(source);
  const { bytes } = await readUpTo(ISSUE_LIMIT, source, "issue", "give the file of one issue");
  const issue = parseIssueFile(bytes, source);
  return { issue, url: issue.url ?? `file://${resolve(source)}` };
}

/** As commands take it that look at issues which Relay knows. */
const NAME_OF_AN_ISSUE = /^(?:[\w.-]+(?:\/[\w.-]+)*#|#)?\d+$/;

function nameInsteadOfFile(source: string): RelayError {
  return new RelayError(
    "usage",
    `there is no file ${source}; give the file of an issue, or to \`relay spec\` its address; of an issue that Relay knows, \`relay status "${source}"\` shows the state, and \`relay work "${source}" --dry-run\` the plan`,
  );
}

async function isMissing(path: string): Promise<boolean> {
  return await stat(path).then(
    () => false,
    (error: unknown) => systemCode(error) === "ENOENT",
  );
}

/** The address under which the issue of a file is known; null if there is no such file. */
export async function addressOfFile(source: string): Promise<string | null> {
  const found = await stat(source).catch(() => null);
  return found?.isFile() === true ? (await readIssueFile(source)).url : null;
}

/** The same for an issue that the local tracker will hold, whose texts are as long as a hosted tracker's at most. */
export async function readIssueToStore(source: string, terminal: Terminal) {
  const read = await readIssueSource(source, terminal);
  const name = source === "-" ? "standard input" : source;
  const { body, comments } = read.issue;
  const texts = [
    { what: "the issue’s text", text: body },
    ...comments.map((comment, at) => ({ what: `comment ${at + 1}`, text: comment.body })),
  ];
  for (const { what, text } of texts) {
    const length = Array.from(text).length;
    if (length <= LONGEST_BODY) continue;
    throw new RelayError(
      "usage",
      `${name}: ${what} has ${grouped(length)} characters, and may have ${grouped(LONGEST_BODY)}; shorten pasted logs`,
    );
  }
  return read;
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/**
 * The text of a spec file. Bytes that are not UTF-8 become replacement characters: odd input is judged, not refused.
 * Throws `usage` if it cannot be read, `too_large` over 64 MiB.
 */
export async function readSpecFile(file: string): Promise<string> {
  const { bytes, isCut } = await readUpTo(SPEC_LIMIT, file, "spec", "name the spec files in it");
  if (isCut) throw new RelayError("too_large", `${file} is over 64 MiB; a spec may have 200 KiB`);
  return bytes.toString("utf8");
}

/**
 * The event in a file, or in standard input for `-`, with the name of the file in messages. Throws `usage` if it cannot
 * be read, `too_large` over what the server takes of a webhook.
 */
export async function readEventFile(file: string, terminal: Terminal): Promise<{ body: Uint8Array; name: string }> {
  if (file === "-") return { body: Buffer.from(await terminal.readInput(EVENT_LIMIT)), name: "standard input" };
  const { bytes, isCut } = await readUpTo(EVENT_LIMIT, file, "event", "give the file of one event");
  if (!isCut) return { body: bytes, name: file };
  const size = Math.ceil((await stat(file)).size / MEBIBYTE);
  const limit = EVENT_LIMIT / MEBIBYTE;
  throw new RelayError(
    "too_large",
    `${file} has ${size > limit ? `${size} MiB` : "more"}; an event may have ${limit} MiB`,
  );
}

export type ContractInput = { kind: "json"; value: unknown } | { kind: "not json"; why: string };

/**
 * The JSON document in a file, or in standard input for `-`. Text that is not JSON is an answer of the contract, not a
 * failure of the command. Throws `usage` if the file cannot be read.
 */
export async function readContractInput(source: string, terminal: Terminal): Promise<ContractInput> {
  const text = source === "-" ? await terminal.readInput(CONTRACT_LIMIT) : await readContractFile(source);
  try {
    return { kind: "json", value: JSON.parse(text.replace(/^\uFEFF/, "")) };
  } catch (error) {
    return { kind: "not json", why: messageOf(error) };
  }
}

async function readContractFile(file: string): Promise<string> {
  const { bytes, isCut } = await readUpTo(CONTRACT_LIMIT, file, "input", "give one JSON file");
  if (isCut) throw new RelayError("usage", `${file} is larger than 64 MiB; leave files out of the tree`);
  return bytes.toString("utf8");
}

/** Reads a file, pipe or device until `limit` bytes are exceeded. Throws `usage` if it cannot be read. */
async function readUpTo(
  limit: number,
  file: string,
  what: string,
  insteadOfDirectory: string,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if ((await stat(file)).isDirectory()) {
      throw new RelayError("usage", `${file} is a directory; ${insteadOfDirectory}`);
    }
    for await (const chunk of createReadStream(file)) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.length;
      if (size > limit) break;
    }
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    const reason = systemCode(cause) === "ENOENT" ? "there is no such file" : messageOf(cause);
    throw new RelayError("usage", `cannot read the ${what} ${file}: ${reason}`, { cause });
  }
  return { bytes: Buffer.concat(chunks), isCut: size > limit };
}
