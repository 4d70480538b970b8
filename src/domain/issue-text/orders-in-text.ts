import { cutAtWord } from "../../lib/text.ts";
import { type HiddenText, stripHiddenText } from "../text/hidden-text.ts";
import { blobsIn } from "./blobs.ts";
import { type Block, blocksOf, plainText } from "./markdown.ts";
import { sentencesOf } from "./sentences.ts";
import { OrderReader, addressesTool, blanked, toolOrdersIn } from "./tool-orders.ts";

/** Characters of one hidden place that are looked through. */
export const HIDDEN_READ = 16 * 1024;
const LONGEST = 80;
const MOST = 20;
/** Characters of one comment, and of all of them. */
const READ = { comment: 64 * 1024, all: 2 * 1024 * 1024 };

/** An issue about these may show what attacks them: in code, and in the words of others. */
const ABOUT_MODELS =
  /(?<![\p{L}\p{N}])(?:prompts?|prompt[- ]injections?|jailbreaks?|llms?|gpt|chatgpt|claude|gemini|copilot|ai|(?:coding|chat) (?:agent|assistant)s?|chat ?bots?|language models?|guardrails?)(?![\p{L}\p{N}])|提示词|プロンプト|注入/iu;

/**
 * Blocks without the sentences that order the tool, and those sentences. Code and quotations that hold such an order fall as
 * a whole, unless the text is about such things and shows them (R-SAFE-1).
 */
export function withoutOrders(blocks: readonly Block[], title = ""): { blocks: Block[]; orders: string[] } {
  const orders: string[] = [];
  const reader = new OrderReader();
  let shows: boolean | null = null;
  const kept = blocks.flatMap((block): Block[] => {
    if (block.kind === "code" && reader.takesCode()) return [];
    if (block.kind === "heading") {
      if (!reader.takesTitle(block.text)) return [block];
      orders.push(block.text);
      return [];
    }
    if (block.kind === "paragraph" && !block.quoted) {
      const found = toolOrdersIn(block.text, reader, block.inList);
      if (found.length === 0) return [block];
      orders.push(...found.map(({ text }) => text));
      const text = blanked(block.text, found);
      return text.trim() === "" ? [] : [{ ...block, text }];
    }
    const found = linesOf(block).filter(addressesTool);
    if (found.length > 0 && (shows ??= isAboutModels(blocks, title))) return [block];
    orders.push(...found);
    return found.length === 0 ? [block] : [];
  });
  return { blocks: kept, orders: briefly(orders) };
}

/** Orders in what people do not see: there, nobody shows anything to anybody. */
export function hiddenOrders(hidden: readonly HiddenText[], original: string): string[] {
  const texts = [...hidden.map(({ text }) => text), ...blobsIn(original)];
  return briefly(texts.flatMap(ordersIn));
}

/** The orders to the tool in comments, whoever wrote them, seen and unseen. Linear; the newest are read first. */
export function ordersInComments(comments: readonly { body: string }[], title = ""): string[] {
  const orders: string[] = [];
  let left = READ.all;
  for (const { body } of comments.toReversed()) {
    if (left <= 0 || orders.length >= MOST) break;
    left -= Math.min(body.length, READ.comment);
    const { text, hidden } = stripHiddenText(body, { most: READ.comment, keep: HIDDEN_READ });
    orders.push(...withoutOrders(blocksOf(text), title).orders, ...hiddenOrders(hidden, body.slice(0, READ.comment)));
  }
  return briefly(orders);
}

/** Attributes and titles stand in quotes and brackets. */
function ordersIn(text: string): string[] {
  const plain = text.replaceAll(/["“”'<>=[\](){}]+/g, "; ").replaceAll(/;\s*(?=;)|^[;\s]+/g, "");
  return sentencesOf(plain).flatMap(({ text: sentence }) => {
    if (!addressesTool(sentence)) return [];
    return [sentence.split("; ").find(addressesTool) ?? sentence];
  });
}

function linesOf(block: Block): string[] {
  if (block.kind === "code")
    return block.text.split("\n").map((line) => line.replace(/^\s*(?:\/\/|#+|--|\*|\/\*|<!--)\s*/, ""));
  return sentencesOf(block.text).map(({ text }) => text);
}

function isAboutModels(blocks: readonly Block[], title: string): boolean {
  if (ABOUT_MODELS.test(title)) return true;
  return blocks.some(
    (block) =>
      ((block.kind === "paragraph" && !block.quoted) || block.kind === "heading") &&
      sentencesOf(block.text).some(({ text }) => ABOUT_MODELS.test(plainText(text)) && !addressesTool(text)),
  );
}

function briefly(orders: readonly string[]): string[] {
  return [
    ...new Set(orders.map((text) => cutAtWord(plainText(text.replaceAll(/[`()]/g, "")).replace(/;$/, ""), LONGEST))),
  ].slice(0, MOST);
}
