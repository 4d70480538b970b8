import type { ContextBlockElement, KnownBlock, PlainTextElement } from "@slack/types";
import type { Notice } from "../../domain/notice.ts";
import { cutAtWord } from "../../lib/text.ts";

/** Slack takes no more in a header. */
const LONGEST_HEADER = 150;

/** What Slack shows: the message, and one line of text for notifications and old clients. */
interface SlackMessage {
  text: string;
  blocks: KnownBlock[];
}

/**
 * Pure. A notice as a message: what is awaited from whom, which issue, one button. Words of other people stand in plain
 * text, where nothing is a mention, a link or an emoji.
 */
export function slackMessage(notice: Notice): SlackMessage {
  const { text, issue } = notice;
  const name = issue === null ? null : `${issue.repository}#${issue.number}`;
  const title = issue?.title ?? null;
  const button = buttonOf(notice);
  const blocks = [
    { type: "header", text: plain(cutAtWord(text, LONGEST_HEADER)) },
    ...(name === null ? [] : [{ type: "context" as const, elements: contextOf(notice, name) }]),
    ...(button === null
      ? []
      : [
          {
            type: "actions" as const,
            elements: [{ type: "button" as const, text: plain(button.label), url: button.url, action_id: "open" }],
          },
        ]),
  ] satisfies KnownBlock[];
  const line = `${name === null ? "" : `${name}: `}${text}${title === null ? "" : ` (${title})`}`;
  return { text: escaped(unmentioned(line)), blocks };
}

function contextOf({ issue, links, cost_usd: cost }: Notice, name: string): ContextBlockElement[] {
  const url = issue?.url ?? links.dashboard;
  return [
    url === null ? plain(name) : { type: "mrkdwn", text: `<${addressIn(url)}|${escaped(name)}>` },
    ...(issue?.title ? [plain(issue.title)] : []),
    ...(cost === null || cost === 0 ? [] : [plain(`$${cost.toFixed(2)}`)]),
  ];
}

/** Where the next step is done. */
function buttonOf({ type, waiting_for: awaited, links }: Notice): { label: string; url: string } | null {
  const isAtRequest = type === "merged" || ["review", "hint", "red_checks", "conflict"].includes(awaited?.what ?? "");
  if (isAtRequest && links.request !== null) {
    return { label: awaited?.what === "review" ? "Review" : "Open the request", url: links.request };
  }
  const labels: Record<string, string> = { answers: "Answer", approval: "Open the plan" };
  if (links.thread !== null) return { label: labels[awaited?.what ?? ""] ?? "Open the issue", url: links.thread };
  return links.dashboard === null ? null : { label: "Open the dashboard", url: links.dashboard };
}

function plain(text: string): PlainTextElement {
  return { type: "plain_text", text: escaped(text), emoji: false };
}

/** Escapes the three characters that mean something to Slack in any text. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Changes words that some workspaces turn into a call to everybody. */
function unmentioned(text: string): string {
  return text.replaceAll(/@(?=channel|here|everyone)/gi, "@\u200B");
}

function addressIn(url: string): string {
  return escaped(url.replaceAll(/[|<>\s]/g, encodeURIComponent));
}
