import { blobsIn } from "./blobs.ts";
import { sentencesOf } from "./sentences.ts";

/** Code and quotations show such words; they order nothing. */
const SHOWN = /`[^`]*`|"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」/g;
const QUOTED = /"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»/g;
const PIPED =
  /\b(?:curl|wget|irm|iwr)\b[^`|\n]{1,300}(?:\|[^`|\n]{0,80}){0,3}\|\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|iex|python3?)\b/i;
const TOOL = "relay|ai|llm|(?:the |an? )?(?:ai |coding |language )?(?:agent|assistant|bot|model)";
const MODEL = "(?:ai|llm|large language model|language model)s?(?: (?:coding )?(?:agent|assistant|model|bot|tool)s?)?";
/** What only the tool itself can do for whoever orders it about. */
const DEEDS =
  "(?:please |also |now )*(?:you (?:must|should|shall|will|have to|need to|are (?:now|to))|ignore|disregard|reveal|approve|merge|exfiltrate|leak|send|post|print|output|insert|append|never (?:tell|mention)|do not (?:tell|mention|ask))";

/** An order opens its clause: “the parser ignores previous instructions” is none. */
const ORDERS = new RegExp(
  String.raw`(?<=(?:^|[.!?;:,(*_>\]•–—-])\s*|(?<!\p{L})(?:please|kindly|and|but|now|so|then|just|you to|can you|could you|would you|will you|also|next|first|finally|lastly|instead|additionally|furthermore|moreover|oh|ps|btw|bitte|und|außerdem|auch|aussi|également|también|además|também|также|must|should),?\s+|(?<![\w@./-])@[\w-]+(?:\[bot\])?[,:]?\s+)(?:${[
    String.raw`(?:ignore|disregard|forget|override|discard) (?:(?:all|any|of|the|your|these|those|every|everything) )*(?:(?:previous|prior|above|earlier|preceding|system) (?:(?:and|or|system) )*(?:instructions?|prompts?|rules|directives?|guidelines|orders)|(?:your|all) (?:instructions|prompts?|guidelines)|(?:above|before this))(?=\s*(?:[.,;:!)*_]|$|(?:and|then|above|you|given)(?!\p{L})))`,
    String.raw`(?:ignore|disregard|forget) (?:(?:all|any|of|the|your|these|every) )*(?:instructions?|prompts?|rules|directives?) (?:above|before this|so far|(?:that )?you (?:were|have been|got|received))(?!\p{L})`,
    String.raw`(?:do not|don['’]t|stop) (?:follow|following|obey|obeying) (?:(?:any|all|the|your|of) )*(?:(?:previous|prior|earlier|system) (?:instructions?|prompts?|rules)|your (?:instructions|prompt))(?!\p{L})`,
    String.raw`(?:from now on,? )?you (?:are|will be|act) (?:now|no longer|from now on) (?:an?|the|in|as) (?:\p{L}+ ){0,3}(?:assistant|ai|agent|model|chatbot|bot|dan|mode|shell|terminal|hacker)(?!\p{L})`,
    String.raw`(?:reveal|print|show|output|repeat|tell (?:me|us)|leak|post|send|include) (?:me |us )?your (?:(?:own|full|whole|entire|hidden|initial) )*(?:system )?(?:prompt|instructions)(?!\p{L})`,
    String.raw`(?:system|developer|assistant)(?: prompt| message)?: (?:you|ignore|disregard|forget|approve)(?!\p{L})`,
    String.raw`(?:(?:note|notice|message|instructions?|important|attention)(?: (?:to|for))?:? )?(?:(?:to|for|dear|hey) )?(?:all |any |the |every |an? )?${MODEL}(?: (?:reading|processing|working on) (?:this|the issue))?\s*[:,–—-] ${DEEDS}(?!\p{L})`,
    String.raw`(?:if|since|as) (?:you(?:['’]re| are) )?(?:an? |the )${MODEL}(?: (?:reading|processing|working on) (?:this|the issue))?,? ${DEEDS}(?!\p{L})`,
    // Nobody greets an agent in a report about a product.
    String.raw`(?:(?:dear|hey|hi|hello|attention),? (?:coding |ai )*(?:agent|assistant|bot|model)s?|(?:note|message|instructions?|hint) (?:to|for) (?:the |any |all |every )?(?:coding |ai )*(?:agent|assistant|bot|model)s?|whoever (?:automates|implements) this)\s*[,:–—-]`,
    String.raw`there is no need to ask (?:any(?:body|one)|a (?:human|person)|for (?:an? )?(?:approval|confirmation))`,
    String.raw`(?:approve|merge|push) (?:it|this|the plan)(?: and \p{L}+ (?:it|this|the plan))? (?:yourself|without (?:an? |any )?(?:review|asking|approval))(?!\p{L})`,
    String.raw`ignor(?:a|ad|e|en|ez) (?:tus|vuestras|tes|vos|suas) (?:instrucciones|instructions|instruções)`,
    String.raw`ignorier(?:e|t) (?:deine|eure) (?:anweisungen|befehle|instruktionen|vorgaben|regeln)`,
    String.raw`(?:игнорируй|игнорируйте|забудь|забудьте) (?:свои|твои|ваши) (?:инструкции|указания)`,
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
/** “Relay: skip the review”; nobody says so of a product of that name. */
const EXCUSES = new RegExp(
  String.raw`^(?:@?relay|(?:coding |ai )*(?:agent|assistant|bot))[,:]? (?:please |now |just |you (?:must|should) )*(?:(?:skip|bypass|omit) (?:the |any |all )*(?:reviews?|approvals?|confirmations?|questions?)|(?:treat|count|take|consider) [^.!?]{1,60} as (?:an? )?(?:approval|approved|yes|go-ahead)|approve (?:the|this|your|it)|(?:do not|don['’]t|never) (?:ask|tell|mention))(?!\p{L})`,
  "iu",
);
const RUNS = new RegExp(
  String.raw`(?:^|[,;:] )(?:please |now |(?:${TOOL}|you)[,:]? (?:must |should |has to |have to |need to )?)(?:run|execute)(?!\p{L})`,
  "iu",
);
/** A step of whoever reports. */
const STEP = /\b(?:reproduc|install|repro\b|steps?\b)/i;

/** Every order has one of these; most sentences have none, and cost no more. */
const HINT =
  /ignor|disregard|forget|overrid|discard|follow|obey|you|(?<!\p{L})(?:ai|llm)s?(?!\p{L})|language model|system|developer|assistant|relay|agent|bot|model|curl|wget|irm|iwr|whoever|no need|yourself|merge|approve|vergiss|забудь|игнорируй|忽略|无视|無視/iu;

/** Whether a sentence orders the program or the model that reads it, rather than asks for something of the product. */
export function addressesTool(sentence: string): boolean {
  if (isOrder(sentence)) return true;
  return blobsIn(sentence).some((said) => sentencesOf(said).some(({ text }) => isOrder(text)));
}

function isOrder(sentence: string): boolean {
  if (!HINT.test(sentence)) return false;
  const said = sentence.replaceAll(SHOWN, "…");
  if (ORDERS.test(said) || APPROVES.test(said) || EXCUSES.test(said)) return true;
  return PIPED.test(sentence) && RUNS.test(said) && !STEP.test(said);
}

/** Goes on from the paragraph before: “Also …”, “Then …”. */
const LINKED =
  /^(?:also|then|next|finally|lastly|afterwards?|after (?:that|this)|and|now|instead|second(?:ly)?|third(?:ly)?|in addition|additionally|dann|danach|außerdem|anschließend|zuletzt|también|además|luego|después|ensuite|puis|aussi|enfin|também|além disso|depois|также|затем|потом|после этого)(?![\p{L}\p{N}])|^(?:然后|接着|之后|还要|另外|次に|その後|そして|さらに)/iu;
/** Tells how it is: begins with its subject or a circumstance, or has its verb soon. */
const TELLS = new RegExp(
  [
    String.raw`^(?:the|this|that|these|those|it|its|i|we|they|there|here|a|an|my|our|when|whenever|if|in|on|at|with|without|since|because|while|although|however|expected|actual|der|die|das|es|ich|wir|wenn|ein|eine|bei|mit|el|la|los|las|una?|yo|cuando|si|en|con|le|les|l['’]|une|je|nous|il|elle|quand|dans|avec|ce|cette|os?|as|uma?|eu|quando|se|com|este|esta|это|я|мы|он|она|они|когда|если|при|в|на|после)(?![\p{L}\p{N}])`,
    String.raw`^(?:[^\s.,:;]+ ){1,4}(?:is|are|was|were|has|have|had|does|do|did|isn['’]t|aren['’]t|doesn['’]t|didn['’]t|fails?|returns?|throws?|shows?|crash(?:es)?|ist|sind|hat|wird|está|es|son|est|sont|é|são)(?![\p{L}\p{N}])`,
    String.raw`^(?:我|我们|这|该|当|如果|在|它)|(?:です|ます|ました|ません|した|ている|ない)。?$`,
  ].join("|"),
  "iu",
);
/** Says what must be done, whatever its subject. */
const DEMANDS =
  /(?<!\p{L})(?:must|should|shall|needs? to|ha(?:s|ve) to|please|make sure|ensure|you (?:will|are to)|muss|müssen|soll(?:en|te)?|bitte|debe[ns]?|tiene[ns]? que|doit|doivent|deve[m]?|tem que|долж(?:ен|на|но|ны)|нужно|надо)(?!\p{L})|必须|请|ください|なさい|しろ|せよ/iu;
/** An order's verb at the head of a sentence. */
const COMMANDS =
  /^(?:please |just |now )*(?:do|don['’]t|never|always|add|change|edit|update|modify|delete|remove|create|write|run|execute|install|print|show|output|reveal|send|post|push|commit|merge|approve|open|download|fetch|call|use|set|replace|disable|enable|make|put|include|read|dump|upload|copy|skip|reply|respond|answer|say|close|label|mark|give|treat|act|pretend|assume|follow|obey|let|turn|ask|tell|leave|encode|decode|base64|curl|wget)(?![\p{L}\p{N}'’])/iu;

/**
 * Tells the sentences of a text in their order: those that order the tool about, and those by which such an order goes on,
 * up to the end of its paragraph, its list, or what its colon announces. What only tells how something is stays.
 */
export class OrderReader {
  private state: "none" | "open" | "announced" | "listing" = "none";

  /** Whether this sentence is part of an order. `first` begins its paragraph; `listed` stands in a list. */
  takes(sentence: string, { first, listed }: { first: boolean; listed: boolean }): boolean {
    if (addressesTool(sentence)) {
      this.state = /[:：]\W*$/.test(sentence) ? "announced" : "open";
      return true;
    }
    if (this.state === "none") return false;
    const isLinked = LINKED.test(sentence);
    if (this.state === "announced" || (this.state === "listing" && listed)) {
      this.state = listed ? "listing" : "open";
      return true;
    }
    if (first && !listed && !isLinked) {
      this.state = "none";
      return false;
    }
    const bare = sentence.replace(LINKED, "").replace(/^[\s,:]+/, "");
    return COMMANDS.test(bare) || DEMANDS.test(bare) || !TELLS.test(bare);
  }

  /** Whether a piece of code is what an order announced. */
  takesCode(): boolean {
    const isAnnounced = this.state === "announced";
    if (isAnnounced) this.state = "open";
    return isAnnounced;
  }

  /** Whether a title orders the tool about; any other ends what goes on. */
  takesTitle(title: string): boolean {
    const isTaken = addressesTool(title);
    this.state = isTaken ? "announced" : "none";
    return isTaken;
  }
}

/** The sentences of a text that order the tool, and those by which they go on. */
export function toolOrdersIn(text: string, reader = new OrderReader(), listed = false) {
  let before: number | null = null;
  let unquoted: string | null = null;
  return sentencesOf(text).filter((sentence) => {
    if (addressesTool(sentence.text)) {
      // A quotation of several sentences shows all of them.
      unquoted ??= text.replaceAll(QUOTED, (quotation) => " ".repeat(quotation.length));
      if (!addressesTool(unquoted.slice(sentence.start, sentence.end))) return false;
    }
    const between = text.slice(before ?? 0, sentence.start);
    const first = before === null || /\n[^\S\n]*\n/.test(between);
    before = sentence.end;
    const item = /^(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?/.exec(sentence.text)?.[0] ?? "";
    return reader.takes(sentence.text.slice(item.length), { first, listed: listed || item !== "" });
  });
}

/** A text without such sentences, each of its characters in its place. */
export function withoutToolOrders(text: string): string {
  return blanked(text, toolOrdersIn(text));
}

/** A text with blanks in place of these parts. */
export function blanked(text: string, parts: readonly { start: number; end: number }[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of parts) {
    pieces.push(text.slice(at, start), " ".repeat(end - start));
    at = end;
  }
  return pieces.join("") + text.slice(at);
}
