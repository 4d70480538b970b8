import type { Block } from "./markdown.ts";
import { plainText } from "./markdown.ts";
import { FAULT } from "./kind.ts";
import type { IssueKind } from "./kind.ts";
import { anyOf } from "./phrases.ts";
import { sentencesOf } from "./sentences.ts";
import type { Sentence } from "./sentences.ts";
import type { SectionTopic } from "./section-titles.ts";
import type { Section } from "./sections.ts";
import { isTraceLine } from "./stack-traces.ts";
import type { StackTrace } from "./stack-traces.ts";

/** Where an answer was read. */
export type AspectSource = "section" | "prose" | "title" | "code" | "trace" | "link" | "comment";

/** Whether the issue already says something that would otherwise be asked. */
export interface Aspect {
  present: boolean;
  /** What it says, in its own words. */
  text?: string;
  from?: AspectSource;
}

/** The aspects by the topics of questions. */
export interface Aspects {
  reproduction: Aspect;
  expected: Aspect;
  actual: Aspect;
  acceptance: Aspect;
  scope: Aspect;
  compatibility: Aspect;
}

export interface AspectInput {
  kind: IssueKind;
  title: string;
  sections: readonly Section[];
  blocks: readonly Block[];
  traces: readonly StackTrace[];
  versions: readonly string[];
  urls: readonly string[];
  criteria: readonly string[];
}

const ABSENT: Aspect = { present: false };
const LONGEST = 1_500;

/** Strong words first: a sentence that names its expectation tells more than one that says "should". */
const EXPECTS = anyOf(
  "(?:i|we|i'd|we'd|you'd|one|would|would've|had|was|were|am|are|be|is|it's) (?:have )?(?:also |rather |really )?expect(?:ed|ing|s)?|(?<!as )(?<!than )expected|expectation|supposed to|ought to|correct (?:behaviou?r|output|result|value)|ожида\\p{L}+|erwart\\p{L}+|esper(?:aba|ábamos|o|ado|ava|ávamos|o que)|se espera|(?:je m'|on s')attend\\p{L}*|attendu\\p{L}*|s'attendre",
  "期望|预期|期待|はず",
);
const SHOULD = anyOf(
  "should(?:n't)?|shall|must(?:n't)?|instead of|would (?:be (?:very |really |so )?(?:nice|great|good|useful|helpful|better|cool|awesome|handy|ideal)|like to|love to)|it'd be|(?<!i )(?<!we )(?<!you )(?<!they )needs? to|i (?:propose|suggest)|i(?:'d| would)? (?:want|wish|like|love) to|(?:по)?должн\\p{L}+|нужно|надо|хотелось бы|вместо|следует|soll(?:te|ten|en)?|müss(?:te|ten|en)|muss|stattdessen|wäre (?:es )?(?:schön|gut|hilfreich)|deber[íi]an?|debe(?:n)?|tendr[íi]a que|en (?:lugar|vez) de|sería (?:bueno|útil|ideal)|devr(?:ait|aient|a)|doit|au lieu de|il faudrait|serait (?:bien|utile)|deveria(?:m)?|deve(?:m)?|teria que|em vez de|ao invés de|seria (?:bom|útil)",
  "应该|应当|应为|而不是|希望|需要|べき|ようにしたい|ようにしてほしい|ではなく|してほしい|必要があ",
);
/** A "should" of politeness or doubt says nothing about the program. */
const POLITE = anyOf(
  "should (?:i|we|be (?:happy|easy|able to (?:submit|help|provide|make|reproduce)|fixed|enough|noted)|mention|note|probably (?:mention|note))|(?:happy|glad|willing) to|i(?:'m| am) (?:new|sorry|missing|not sure)|submit a (?:pr|patch|pull request)|must be there|must (?:be (?:a|something)|have been)|let me know|i must|i should|need(?:s)? to be noted|нужно отметить|надо сказать|debo (?:decir|mencionar)|il faut noter",
);
/** What comes instead of what was meant. */
export const HAPPENS = anyOf(
  "actual(?:ly)?|instead|however|but|currently|at the moment|result(?:s|ed)? in|leads? to|ends? up|(?:i|we) (?:get|got|see|saw|receive|received|am getting|am seeing|encounter(?:ed)?)|returns?|produces?|yields?|happens|сейчас|вместо этого|но|однако|получа\\p{L}+|фактически|на самом деле|выда[её]т|показывает|происходит|jetzt|derzeit|aktuell|stattdessen|aber|jedoch|bekomme|erhalte|passiert|wird|en (?:cambio|su lugar)|pero|sin embargo|actualmente|obtengo|recibo|aparece|mais|cependant|actuellement|à la place|j'obtiens|(?:je )?reçois|mas|porém|atualmente|em vez disso|recebo|obtenho|acontece",
  "但是|但|却|实际|目前|现在|结果|しかし|ですが|実際|現在|代わりに|になる|になります|になってしま|が表示され|発生",
);
const REPRODUCES = anyOf(
  "reproduc\\p{L}*|repro|replicat\\p{L}*|recreate|to (?:see|trigger) (?:this|it|the)|steps?|(?:the )?following (?:code|example|script|test|program|config\\p{L}*|snippet|component|template|schema|query|markup)|(?:for )?example|e\\.g|given (?:the|this|that|a)|when (?:i|we|you|using|running|calling|used|the|a|an)|when|if (?:i|we|you|my|the)|(?:i|we) (?:tried|try|run|ran|use|used|have|wrote|call|called|upgraded)|after (?:upgrading|updating|calling|running|clicking|installing|adding)|in this situation|this code|the code|minimal|sample|running|try(?:ing)? to|as soon as|whenever|using|test case|если|когда|при (?:\\p{L}+)|после|шаги|воспроизв\\p{L}+|например|запуска\\p{L}+|открыва\\p{L}+|wenn|sobald|beim|nachdem|schritte|reproduzier\\p{L}+|zum beispiel|führe|rufe|cuando|al (?:\\p{L}+r)|si (?:se|el|la|hago)|pasos|reproduc\\p{L}+|por ejemplo|tras|quand|lorsque|si (?:je|on|le|la)|étapes|en (?:\\p{L}+ant)|par exemple|après|quando|ao (?:\\p{L}+r)|se (?:eu|o|a)|passos|por exemplo|após",
  "当|如果|复现|重现|步骤|例如|运行|使用.*时|打开|点击|後|すると|したら|した場合|場合|とき|時に|再現|手順|例えば|実行",
);
const BOUNDS = anyOf(
  "out of scope|in scope|not (?:part|in the scope) of|non-?goals?|only (?:affects?|applies|happens|occurs)(?: (?:when|for|in|on|with))?|does not (?:affect|apply|need)|doesn't (?:affect|apply|need)|across all|everywhere|limited to|should not affect|no (?:other )?changes? (?:to|in)|unaffected|works? fine (?:with|in|on|for|when)|только (?:для|в|при|если)|не касается|не входит|не затраг\\p{L}+|nur (?:bei|in|für|wenn|auf)|betrifft (?:nur|nicht)|nicht betroffen|solo (?:en|afecta|cuando|para|con)|no afecta|fuera de alcance|seulement (?:sur|si|quand|pour)|uniquement|ne concerne (?:que|pas)|(?:só|somente|apenas) (?:em|no|na|quando|para|afeta)|não afeta",
  "仅(?:在|限|影响)|只(?:在|影响)|不影响|超出范围|範囲外|に限(?:る|り)|だけで(?:発生|起き)|のみで(?:発生|起き)|影響しない",
);
const COMPATIBLE = anyOf(
  "breaking change|backwards?[- ]compatib\\p{L}*|(?:in)?compatib\\p{L}*|deprecat\\p{L}*|break (?:some|existing|other) \\p{L}+|existing (?:users?|code|behaviou?r|configs?|projects?)|opt[- ]in|semver|major version|обратн\\p{L}+ совместимост\\p{L}+|совместим\\p{L}+|абwärtskompatib\\p{L}*|abwärtskompatib\\p{L}*|kompatib\\p{L}*|compatib\\p{L}*|retrocompatib\\p{L}*|rétrocompatib\\p{L}*",
  "兼容|向后兼容|破坏性|互換|後方互換|破壊的",
);
const PLAYGROUND =
  /(?:codesandbox\.io|stackblitz\.com|jsfiddle\.net|codepen\.io|jsbin\.com|\/repl\b|\/playground|play\.|replit\.com|plnkr\.co|godbolt\.org|gist\.github\.com|rubular|regex101|repro|reproduction|minimal|-bug)/i;
/** Languages of blocks that hold what the program said rather than what people wrote. */
const OUTPUT_BLOCK = /^(?:log|text|txt|console|output|trace|stacktrace|plain|plaintext|pytb|diff)$/;

/** Reads what is present and what is missing, from headings first and then from prose (R-PLAN-12). */
export function aspectsOf(input: AspectInput): Aspects {
  const blocks = input.sections.filter((section) => tellsTheStory(section)).flatMap((section) => section.blocks);
  const sentences = proseSentences(blocks);
  const bySection = (...topics: SectionTopic[]): Aspect | null => {
    const found = topics.flatMap((topic) =>
      input.sections.filter((section) => section.topic === topic && section.text !== ""),
    )[0];
    return found ? { present: true, text: found.text.slice(0, LONGEST), from: "section" } : null;
  };
  const expected =
    bySection("expected") ?? (input.kind === "feature" ? bySection("proposal") : null) ?? expectedIn(input, sentences);
  return {
    reproduction: bySection("reproduction") ?? reproductionIn(input, sentences),
    expected,
    actual: bySection("actual") ?? actualIn(input, sentences, bySection),
    acceptance:
      bySection("acceptance") ??
      (input.criteria.length > 0 ? { present: true, text: input.criteria.join("\n"), from: "prose" } : ABSENT),
    scope: bySection("scope") ?? inProse(sentences, BOUNDS),
    compatibility: compatibilityIn(input, sentences),
  };
}

const ASIDE = new Set<SectionTopic | null>(["environment", "checklist", "alternatives", "logs", "context"]);

function tellsTheStory(section: Section): boolean {
  return !ASIDE.has(section.topic);
}

/** Sentences that people wrote, without quotes of others and without code blocks. */
export function proseSentences(blocks: readonly Block[]): Sentence[] {
  return blocks.flatMap((block) =>
    block.kind === "paragraph" && !block.quoted ? sentencesOf(withoutTraces(block.text), block.start) : [],
  );
}

/** Pasted traces are often not marked as code; their lines become empty ones of the same length. */
function withoutTraces(text: string): string {
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .map((line) => (isTraceLine(line) || /^\s*\^+\s*$|[;{]\s*$/.test(line) ? " ".repeat(line.length) : line))
    .join("\n");
}

function inProse(sentences: readonly Sentence[], pattern: RegExp): Aspect {
  const found = sentences.find((sentence) => !isQuestion(sentence.text) && pattern.test(sentence.text));
  return found ? { present: true, text: plainText(found.text), from: "prose" } : ABSENT;
}

function isQuestion(text: string): boolean {
  return /[?？]["')\]*_]*$/.test(text);
}

/** Quoted messages say "must" too. */
function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, "…");
}

function states(pattern: RegExp): (sentence: Sentence) => boolean {
  return ({ text }) => pattern.test(withoutCode(text)) && !POLITE.test(text);
}

function expectedIn(input: AspectInput, sentences: readonly Sentence[]): Aspect {
  const firm = sentences.filter((sentence) => !isQuestion(sentence.text));
  const found = firm.find(states(EXPECTS)) ?? firm.find(states(SHOULD));
  if (found) {
    const stated = contrastIn(found.text)?.expected;
    return {
      present: true,
      text: stated === undefined ? withFollowing(found, input.blocks) : plainText(stated),
      from: "prose",
    };
  }
  if (SHOULD.test(input.title) || EXPECTS.test(input.title))
    return { present: true, text: plainText(input.title), from: "title" };
  // The title of a request says what is wanted.
  if (input.kind === "feature" && sentences.length > 0)
    return { present: true, text: plainText(input.title), from: "title" };
  return ABSENT;
}

/** A sentence that ends in a colon is told by what follows it. */
function withFollowing(sentence: Sentence, blocks: readonly Block[]): string {
  const text = plainText(sentence.text);
  if (!/[:：]$/.test(text)) return text;
  const next = blocks.find((block) => block.start >= sentence.end && block.kind !== "heading");
  return next ? `${text}\n${next.text.trim().slice(0, 400)}` : text;
}

function actualIn(
  input: AspectInput,
  sentences: readonly Sentence[],
  bySection: (...topics: SectionTopic[]) => Aspect | null,
): Aspect {
  const firm = sentences.filter(({ text }) => !isQuestion(text) && !ASIDE_REMARK.test(text));
  for (const sentence of input.kind === "feature" ? [] : firm) {
    const actual = contrastIn(sentence.text)?.actual;
    if (actual !== undefined)
      return { present: true, text: withFollowing({ ...sentence, text: actual }, input.blocks), from: "prose" };
  }
  const need = input.kind === "feature" ? bySection("use_case") : null;
  if (need) return need;
  const fault = mostTelling(firm, input.title);
  if (fault) return { present: true, text: withFollowing(fault, input.blocks), from: "prose" };
  const error = input.traces.find((trace) => trace.error)?.error;
  if (error) return { present: true, text: [error.type, error.message].filter(Boolean).join(": "), from: "trace" };
  const happens = firm.find(({ text }) => HAPPENS.test(text) && !SHOULD.test(text));
  if (happens) return { present: true, text: withFollowing(happens, input.blocks), from: "prose" };
  const described = input.kind === "feature" ? null : bySection("logs", "description");
  if (described) return described;
  return FAULT.test(input.title) ? { present: true, text: plainText(input.title), from: "title" } : ABSENT;
}

/** The sentence that reports the failure best; early ones and ones that share the title's words before others. */
function mostTelling(sentences: readonly Sentence[], title: string): Sentence | null {
  const titleWords = new Set(title.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu));
  let best: Sentence | null = null;
  let most = 0;
  for (const [index, sentence] of sentences.entries()) {
    const { text } = sentence;
    if (!FAULT.test(text)) continue;
    const shared = (text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu) ?? []).filter((word) =>
      titleWords.has(word),
    ).length;
    const worth =
      4 +
      (HAPPENS.test(text) ? 1 : 0) +
      (FAILS.test(text) ? 2 : 0) +
      Math.min(2, shared) / 2 -
      (SHOULD.test(text) ? 1.5 : 0) -
      index / 8;
    if (best === null || worth > most) [best, most] = [sentence, worth];
  }
  return best;
}

/** Failures named as such, not only a "not". */
const FAILS = anyOf(
  "fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|errors?|exceptions?|throws?|panics?|breaks?|broken|wrong(?:ly)?|incorrect(?:ly)?|not working|(?:does|do|is|did)(?:n['’]t| not) (?:work|get)|ignored|падает|ошибк\\p{L}+|не работает|fehler\\p{L}*|stürzt|funktioniert nicht|falla|no funciona|plante|erreur|ne (?:fonctionne|marche) (?:pas|plus)|falha|erro|não funciona",
  "报错|错误|失败|崩溃|不工作|エラー|失敗|クラッシュ|動かない|動作しない",
);
/** About the writer, not about the program. */
const ASIDE_REMARK = anyOf(
  "i(?:'m| am) (?:new|sorry)|missing something|let me know|(?:happy|glad|willing) to|submit a (?:pr|patch|pull request)|thanks?|hi(?: there)?",
);

const BUT =
  /(?:[,;，、]\s*|\s+)(?:but|however|instead(?! of)|yet|and instead|но|а вместо этого|однако|aber|jedoch|stattdessen|pero|sin embargo|mais|cependant|mas|porém)(?=[\s,])|[，、,]?(?:但是?|却|しかし)|(?:のに|ですが|だが)[、,]?/iu;

/** "I expected x, but y": what was expected and what came. */
function contrastIn(text: string): { expected: string; actual: string } | null {
  const at = BUT.exec(text);
  if (!at) return null;
  const before = text.slice(0, at.index).trim();
  const after = text.slice(at.index + at[0].length).replace(/^[\s,，、]+/, "");
  if (before.length < 4 || after.length < 4 || !(EXPECTS.test(before) || SHOULD.test(before))) return null;
  return EXPECTS.test(after) || SHOULD.test(after) || POLITE.test(after) ? null : { expected: before, actual: after };
}

const ASKED_TO_REPRODUCE = anyOf(
  "reproduc\\p{L}*|repro|replicat\\p{L}*|steps? to|воспроизв\\p{L}+|reproduzier\\p{L}+|reproduir\\p{L}*",
  "复现|重现|再現",
);

function reproductionIn(input: AspectInput, sentences: readonly Sentence[]): Aspect {
  const written = input.blocks.find(isExample);
  const lead = sentences.find(states(ASKED_TO_REPRODUCE)) ?? sentences.find(states(REPRODUCES));
  // Code in a request shows what is wanted, not what goes wrong.
  if (input.kind === "feature" && !sentences.some(states(ASKED_TO_REPRODUCE))) return ABSENT;
  const link = input.urls.find((url) => PLAYGROUND.test(url));
  if (written && lead)
    return { present: true, text: `${plainText(lead.text)}\n${written.text.trim().slice(0, 800)}`, from: "code" };
  if (link) return { present: true, text: link, from: "link" };
  const steps = input.blocks.filter((block) => block.kind === "paragraph" && block.ordered);
  if (steps.length >= 2) {
    const text = steps.map((step) => plainText(step.text)).join("\n");
    return { present: true, text: text.slice(0, LONGEST), from: "prose" };
  }
  if (written) return { present: true, text: written.text.trim().slice(0, 800), from: "code" };
  // One inline example and what it leads to is a recipe too.
  const inline = sentences.find(({ text }) => /`[^`]{6,}`|"[^"]{6,}"|“[^”]{6,}”/.test(text) && REPRODUCES.test(text));
  return inline ? { present: true, text: plainText(inline.text), from: "prose" } : ABSENT;
}

/** Code that people wrote: a block, or a paragraph that is nothing but a code span. */
function isExample(block: Block): boolean {
  if (block.kind === "paragraph") return /^`[^`\n]{10,}`$/.test(block.text.trim());
  return (
    block.kind === "code" &&
    !OUTPUT_BLOCK.test(block.language) &&
    !isOutput(block.text) &&
    block.text.trim().length > 10
  );
}

/** More lines of traces, logs and reports than of anything else. */
function isOutput(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const printed = lines.filter((line) =>
    /^\s*(?:at |File "|[A-Z]{3,}[A-Z0-9_]*[>:\s[]|={3,}|-{3,}|E\s{2,}|>\s|\d{4}-\d\d-\d\d|\[?(?:INFO|WARN|ERROR|DEBUG)|Traceback|#\d+ |\S+ @ \S+:\d+|\w*(?:Error|Exception):|thread '|note: |Uncaught )/.test(
      line,
    ),
  );
  return lines.length > 0 && printed.length * 2 >= lines.length;
}

function compatibilityIn(input: AspectInput, sentences: readonly Sentence[]): Aspect {
  const said = inProse(sentences, COMPATIBLE);
  if (said.present) return said;
  const environment = input.sections
    .filter((section) => section.topic === "environment" && section.text !== "")
    .map((section) => `${section.title}: ${section.text.replaceAll(/\[e\.?g\.?[^\]]*\]:?\s*/g, "")}`);
  if (environment.length > 0) return { present: true, text: environment.join("\n").slice(0, LONGEST), from: "section" };
  if (input.versions.length > 0) return { present: true, text: input.versions.slice(0, 5).join(", "), from: "prose" };
  return ABSENT;
}
