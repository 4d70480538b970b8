import { z } from "zod";
import { commentAddress } from "../adapters/trackers/addresses.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { AuditEntry } from "../domain/cycle.ts";
import { hiddenIn } from "../domain/text/hidden-places.ts";
import type { Issue } from "../domain/issue.ts";
import type { StoredCall } from "../storage/model-calls.ts";
import { cut, oneLine, visible } from "../lib/text.ts";

/** What happened at a time: an audit entry, a message of the thread, or a model call. */
export type LogEntry = Pick<AuditEntry, "id" | "at" | "actor" | "what" | "why" | "before" | "after">;

const QUOTE = 160;

/** All that is on record about an issue, by the time at which it began (R-OBS-5). */
export function logOf(
  issue: Issue,
  parts: { audit: AuditEntry[]; messages: ThreadMessage[]; calls: StoredCall[] },
): LogEntry[] {
  const posted = new Set(parts.audit.flatMap(({ what, after }) => (what === "comment.posted" ? textsOf(after) : [])));
  const messages = parts.messages.filter(({ externalId }) => !posted.has(externalId));
  const audit = parts.audit.map(({ id, at, actor, what, why, before, after }) => ({
    id,
    at,
    actor,
    what,
    why,
    before,
    after,
  }));
  const said = messages.map((one) => messageEntry(issue, one));
  return [...audit, ...said, ...parts.calls.map(callEntry)].toSorted(
    (a, b) => a.at.getTime() - b.at.getTime() || order(a) - order(b),
  );
}

/** A person's words come before what was made of them. */
function order({ what }: LogEntry): number {
  return what === "message.posted" ? 0 : 1;
}

function messageEntry(
  issue: Issue,
  { externalId, author, timestamp, content, seq, isBot, role }: ThreadMessage,
): LogEntry {
  const isOwn = role === "self";
  const after = {
    message: seq,
    comment_id: externalId,
    bot: isBot,
    url: commentAddress(issue, externalId),
    text: content,
    hidden: isOwn ? [] : hiddenIn(content),
  };
  return { id: externalId, at: timestamp, actor: author, what: "message.posted", why: null, before: null, after };
}

function callEntry(call: StoredCall): LogEntry {
  const after = {
    stage: call.stage,
    status: call.status,
    attempt: call.attempt,
    input_tokens: call.usage.input,
    cached_tokens: call.usage.cachedInput,
    output_tokens: call.usage.output,
    ms: call.ms,
    cost_usd: call.costUsd,
  };
  return { id: call.id, at: call.at, actor: call.model, what: "model.called", why: null, before: null, after };
}

function hiddenText(hidden: readonly { kind: string; text: string }[]): string {
  return hidden.map(({ kind, text }) => (text === "" ? kind.replaceAll("_", " ") : `“${quoteOf(text)}”`)).join(", ");
}

/** The log as people read it: a line for each thing that happened, with its reason where that is new. */
export function storyOf(entries: readonly LogEntry[]): string {
  let last = "";
  return entries
    .map((entry) => {
      const { at, actor, what, why, before, after } = entry;
      const who = what === "message.posted" || what.startsWith("words.") ? `@${actor}` : actor;
      const said = detailOf(what, before, after);
      const line = visible(`${at.toISOString()}  ${who}  ${what}${said === "" ? "" : `  ${said}`}`);
      const reason = why === null || what === "comment.edited" ? "" : oneLine(why);
      const isNew = reason !== "" && reason !== last;
      if (isNew) last = reason;
      return isNew ? `${line}\n    ${visible(reason)}\n` : `${line}\n`;
    })
    .join("");
}

function detailOf(what: string, before: unknown, after: unknown): string {
  switch (what) {
    case "message.posted":
    case "comment.posted":
    case "question.answered": {
      const { text = "", body = "", url = null, request = null } = fields(after);
      const hidden = z
        .array(z.object({ kind: z.string(), text: z.string() }))
        .catch([])
        .parse(fields(after)["hidden"]);
      const place = request === null ? "" : `at request ${textOf(request)}: `;
      const unread = hidden.length === 0 ? "" : `  hidden from people, left out: ${hiddenText(hidden)}`;
      return `${place}“${quoteOf(textOf(text || body))}”${typeof url === "string" ? `  ${url}` : ""}${unread}`;
    }
    case "comment.edited": {
      // Only the status comment is edited: its first line says where the issue stands.
      const { body } = fields(after);
      const [stand = ""] = typeof body === "string" ? body.split("\n", 1) : [];
      return `“${quoteOf(stand.replaceAll("**", ""))}”`;
    }
    case "words.taken_up":
    case "words.left_aside": {
      const { did, assignee, request } = fields(after);
      return `${textOf(did).replaceAll("_", " ")}${listedAfter({ assignee, request })}`;
    }
    case "cycle.planned": {
      const { cycle, read, actions } = fields(after);
      return `cycle ${textOf(cycle)}${listedAfter({ messages_read: read })}: ${textOf(actions)}`;
    }
    case "spec.started":
      return before === null ? "the first version" : `read the version before: ${sizeText(before)}`;
    case "spec.written":
    case "spec.unchanged": {
      const { ref, complexity, ms } = fields(after);
      const { path, sha256 } = fields(ref);
      const took = typeof ms === "number" ? `, in ${(ms / 1000).toFixed(1)} s` : "";
      return `${textOf(path)} (${textOf(complexity)}, ${sizeText({ ...fields(after), sha256 })}${took})`;
    }
    case "gap.asked":
    case "gap.kept":
    case "gap.closed": {
      const { number, question, reason, note } = fields(after);
      return `gap ${textOf(number)}: ${textOf(question)}${listedAfter({ reason, note })}`;
    }
    case "finding.added":
    case "finding.removed": {
      const { synthesis = "", sources } = fields(after ?? before);
      const places = Array.isArray(sources) ? sources.map((one) => textOf(fields(one)["location"])).join(", ") : "";
      return `${textOf(synthesis)}${places === "" ? "" : `  ${places}`}`;
    }
    default: {
      const parts = [before, after].filter((value) => value !== null && value !== undefined).map(textOf);
      return parts.join(" → ");
    }
  }
}

function sizeText(value: unknown): string {
  const { characters, bytes, sha256 } = fields(value);
  const size = characters === undefined ? "" : `${textOf(characters)} characters, ${textOf(bytes)} bytes, `;
  return `${size}sha256 ${textOf(sha256).slice(0, 12)}`;
}

/** A short piece of what was said, without Relay's hidden marker. */
function quoteOf(text: string): string {
  return cut(oneLine(text.replaceAll(/<!--[^]*?-->/g, " ")), QUOTE);
}

/** A value as words: the fields of an object by name, whole. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return oneLine(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(textOf).join("; ");
  return listed(fields(value));
}

function listed(value: Record<string, unknown>): string {
  return Object.entries(value)
    .filter(([, one]) => one !== null && one !== undefined && one !== "")
    .map(([name, one]) => `${name.replaceAll("_", " ")}: ${textOf(one)}`)
    .join(", ");
}

function listedAfter(value: Record<string, unknown>): string {
  const text = listed(value);
  return text === "" ? "" : ` (${text})`;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textsOf(after: unknown): string[] {
  const id = fields(after)["comment_id"];
  return typeof id === "string" ? [id] : [];
}
