import { cutAtWord } from "../../lib/text.ts";
import type { Block } from "./markdown.ts";
import { sentencesOf } from "./sentences.ts";

/** Code and quotations show such words; they order nothing. */
const SHOWN = /`[^`]*`|"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」/g;
const PIPED = /`[^`]*\b(?:curl|wget|irm|iwr)\b[^`]*\|\s*(?:sudo\s+)?(?:ba|z|da)?(?:sh|iex|python3?)\b[^`]*`/i;
const TOOL = "relay|ai|llm|(?:the |an? )?(?:ai |coding |language )?(?:agent|assistant|bot|model)";

/** An order opens its clause: “the parser ignores previous instructions” is none. */
const ORDERS = new RegExp(
  String.raw`(?<=(?:^|[.!?;:,(*•–—-])\s*|(?<!\p{L})(?:please|and|but|now|so|then|just|bitte|und|must|should),?\s+)(?:${[
    String.raw`(?:ignore|disregard|forget|override|discard) (?:(?:all|any|of|the|your|these|those|every|everything) )*(?:(?:previous|prior|above|earlier|preceding|system) (?:(?:and|or|system) )*(?:instructions?|prompts?|rules|directives?|guidelines|orders)|(?:your|all) (?:instructions|prompts?|guidelines)|(?:above|before this))(?=\s*(?:[.,;:!)]|$|(?:and|then|above|you|given)(?!\p{L})))`,
    String.raw`(?:from now on,? )?you (?:are|will be|act) (?:now|no longer|from now on) (?:an?|the|in|as) (?:\p{L}+ ){0,3}(?:assistant|ai|agent|model|chatbot|bot|dan|mode|shell|terminal|hacker)(?!\p{L})`,
    String.raw`(?:reveal|print|show|output|repeat|tell (?:me|us)|leak|post|send|include) (?:me |us )?your (?:(?:own|full|whole|entire|hidden|initial) )*(?:system )?(?:prompt|instructions)(?!\p{L})`,
    String.raw`(?:system|developer|assistant)(?: prompt| message)?: (?:you|ignore|disregard|forget|approve)(?!\p{L})`,
    String.raw`ignorier(?:e|en sie|t)? (?:(?:alle|die|deine|sämtliche) )*(?:vorherigen|vorigen|bisherigen|obigen|früheren) (?:anweisungen|befehle|instruktionen|vorgaben|regeln)`,
    String.raw`vergiss (?:(?:alle|die|deine) )*(?:(?:vorherigen|vorigen|bisherigen|obigen) )?(?:anweisungen|instruktionen|vorgaben)`,
    String.raw`ignor(?:a|e|en|ez) (?:tod[ao]s |toutes )?(?:las |les |as |tes |tus |suas )?(?:instrucciones|instructions|instruções) (?:anteriores|previas|précédentes|ci-dessus|acima)`,
    String.raw`(?:игнорируй|игнорируйте|забудь|забудьте) (?:все )?(?:предыдущие|прежние) (?:инструкции|указания)`,
  ].join(
    "|",
  )})|(?:忽略|无视)(?:之前|以上|上面|先前)的?(?:所有)?(?:指令|指示|提示)|(?:これまで|以前|上記)の(?:すべての)?(?:指示|命令)(?:を|は)無視`,
  "iu",
);
/** “Relay must approve this plan”; a tool of the product that must do something else is its subject. */
const APPROVES = new RegExp(
  String.raw`^(?:${TOOL}),? (?:you )?(?:must|has to|have to) (?:now )?(?:approve|merge|push|skip (?:the )?review)(?!\p{L})`,
  "iu",
);
const RUNS = new RegExp(
  String.raw`(?:^|[,;:] )(?:please |now |(?:${TOOL}|you)[,:]? (?:must |should |has to |have to |need to )?)(?:run|execute)(?!\p{L})`,
  "iu",
);
/** A step of whoever reports. */
const STEP = /\b(?:reproduc|install|repro\b|steps?\b)/i;

/** Whether a sentence orders the program or the model that reads it, rather than asks for something of the product. */
export function addressesTool(sentence: string): boolean {
  const said = sentence.replaceAll(SHOWN, "…");
  if (ORDERS.test(said) || APPROVES.test(said)) return true;
  return PIPED.test(sentence) && RUNS.test(said) && !STEP.test(said);
}

/** A text without such sentences, each of its characters in its place. */
export function withoutToolOrders(text: string): string {
  let rest = text;
  for (const { start, end } of toolOrdersIn(text))
    rest = `${rest.slice(0, start)}${" ".repeat(end - start)}${rest.slice(end)}`;
  return rest;
}

/** Blocks without such sentences, and the sentences. */
export function withoutOrders(blocks: readonly Block[]): { blocks: Block[]; orders: string[] } {
  const orders: string[] = [];
  const kept = blocks.flatMap((block) => {
    if (block.kind !== "paragraph" || block.quoted) return [block];
    const found = toolOrdersIn(block.text);
    if (found.length === 0) return [block];
    orders.push(...found.map(({ text }) => cutAtWord(text.replaceAll(/[`()]/g, ""), LONGEST)));
    const text = withoutToolOrders(block.text);
    return text.trim() === "" ? [] : [{ ...block, text }];
  });
  return { blocks: kept, orders };
}

const LONGEST = 80;

function toolOrdersIn(text: string) {
  return sentencesOf(text).filter((sentence) => addressesTool(sentence.text));
}
