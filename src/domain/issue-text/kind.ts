import { anyOf } from "./phrases.ts";
import type { Section } from "./sections.ts";

const ISSUE_KINDS = ["bug", "feature", "docs", "chore", "question", "performance"] as const;
/** What an issue asks for. */
export type IssueKind = (typeof ISSUE_KINDS)[number];

export interface KindReading {
  kind: IssueKind;
  /** What spoke for it, the strongest first: `label bug`, `title: crash`, … */
  reasons: string[];
}

const LABELS: Record<IssueKind, RegExp> = {
  bug: /\b(?:bug|defect|regression|crash|error|fault|broken)\b|баг|ошибка|fehler/i,
  feature: /\b(?:feature|enhancement|improvement|request|proposal|rfc|story|idea)\b|功能|機能/i,
  docs: /\b(?:docs?|documentation)\b|文档/i,
  chore:
    /\b(?:chore|refactor(?:ing)?|cleanup|tech(?:nical)?[- ]debt|dependencies|ci|build|maintenance|tests?|internal)\b/i,
  question: /\b(?:question|support|help|discussion)\b|вопрос|问题咨询/i,
  performance: /\b(?:perf|performance|slow|memory|speed)\b|性能/i,
};

const PREFIX: Record<IssueKind, RegExp> = {
  bug: /^\W{0,4}(?:bug|fix|regression|баг|ошибка|fehler|error|erro|bogue|不具合|バグ)(?: report)?\s*[\]):：-]/iu,
  feature:
    /^\W{0,4}(?:feat(?:ure)?(?:[ _-]?req(?:uest)?)?|enhancement|proposal|rfc|idea|request|suggestion|wunsch|propuesta|proposition|proposta|предложение|фича|要望|建议|功能)(?:\([^)]{0,40}\))?\s*[\]):：-]/iu,
  docs: /^\W{0,4}(?:docs?|documentation|документация|dokumentation|文档)(?:\([^)]{0,40}\))?\s*[\]):：-]/iu,
  chore: /^\W{0,4}(?:chore|refactor|build|ci|test|deps|cleanup)(?:\([^)]{0,40}\))?\s*[\]):：-]/iu,
  question: /^\W{0,4}(?:question|help|q|вопрос|frage|pregunta|dúvida|質問|提问)\s*[\]):：-]/iu,
  performance: /^\W{0,4}(?:perf(?:ormance)?)(?:\([^)]{0,40}\))?\s*[\]):：-]/iu,
};

/** Something is not as it should be. */
export const FAULT = anyOf(
  "bugs?|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure|ures)?|errors?|broken|breaks?|breaking|wrong(?:ly)?|incorrect(?:ly)?|invalid|unexpected(?:ly)?|regression|exceptions?|panics?|throws?|thrown|hangs?|deadlock|leaks?|corrupt\\p{L}*|duplicate[sd]?|ignored?|ignores|missing|lost|loses|unable|cannot|can't|cant|couldn't|(?:is|are|was|were|does|do|did|has|have|wo|would|ca|could)n['’]?t|not working|doesnt|no longer|(?:does|do|did|is|are|was|were|will) not|never|stops?|stopped|stuck|infinite|undefined|segfault|typeerror|nullpointer\\p{L}*|internalerror|twice|falsely|inconsistent\\p{L}*|removes?|prefers|баг\\p{L}*|ошибк\\p{L}+|падает|пада[юе]т|не работает|не (?:удаётся|удается|могу|открывается|сохраняется|отображается|показывает|происходит)|сломал\\p{L}*|ломается|неправильн\\p{L}+|неверн\\p{L}+|зависает|вылетает|перестал\\p{L}*|исчеза\\p{L}+|пропада\\p{L}+|дублиру\\p{L}+|fehler\\p{L}*|absturz|stürzt|funktioniert nicht|geht nicht|kaputt|falsch\\p{L}*|fehlschlägt|schlägt fehl|wird nicht|werden nicht|fehlt|fallos?|falla|error(?:es)?|no funciona|se cierra|se cuelga|incorrect[oa]s?|no se (?:puede|guarda|muestra|actualiza)|deja de|roto|bogues?|plante|erreurs?|ne (?:fonctionne|marche) (?:pas|plus)|n'est pas|ne s'affiche pas|incorrecte?s?|échoue|cassée?|erros?|falhas?|falha|não (?:funciona|abre|salva|aparece|consigo|está)|quebra(?:do|da)?|trava|para de funcionar",
  "报错|错误|失败|崩溃|不能|无法|不工作|不生效|失效|异常|没有.*反应|丢失|重复|卡死|不正确|エラー|動かない|動作しない|できない|できません|されない|されません|おかしい|クラッシュ|落ちる|失敗|不具合|壊れ|消え|正しくない|例外",
);

const WISH = anyOf(
  "add(?:ing)?|support(?:s|ing)? (?:for|of)|support|allow(?:s|ing)?|enable|implement|introduce|provide|improve(?:ment)?s?|extend|make (?:it )?(?:possible|configurable|easier)|new (?:option|flag|command|method|api|feature)|option to|ability to|a way to|would (?:be|like|love)|it'd be|feature request|should (?:be able to|support|allow|accept|have)|wish|suggest(?:ion)?|proposal|could (?:we|you) (?:add|have|get)|lack(?:s|ing)?|no way to|missing an? (?:method|way|function|option|api|equivalent|feature)|use[- ]cases?|i propose|please add|consider|expose|customi[sz]e|unroll|добавить|добавьте|поддержк\\p{L}+|хотелось бы|было бы|возможность|реализовать|сделать возможн\\p{L}+|предлагаю|нужна|нужен|hinzufügen|unterstütz\\p{L}+|wäre (?:es )?(?:schön|gut|toll|hilfreich)|möglichkeit|wünsch\\p{L}+|erlauben|ermöglichen|bitte .{0,60} (?:ergänzen|einbauen)|agregar|añadir|soporte|permitir|sería (?:bueno|útil|genial|ideal)|me gustaría|posibilidad|ajouter|prise en charge|permettre|serait (?:bien|utile|pratique|bon)|j'aimerais|possibilité|adicionar|suporte|permitir|seria (?:bom|útil|legal|ótimo)|gostaria|possibilidade",
  "添加|增加|支持|希望|能否|建议|新增|提供|追加|対応|サポート|ほしい|欲しい|できるように|したい|要望|あると",
);

const OBSERVES = anyOf(
  "(?:i|we)(?:'m| am| are)? (?:get|getting|got|see|seeing|saw|receive|received)|получа(?:ю|ем|ется)|вижу|(?:ich|wir) (?:bekomme|erhalte|sehe)n?|obtengo|me (?:sale|aparece)|j'obtiens|je vois|obtenho|recebo|aparece",
  "出现|显示|得到|表示され|出力され|になります",
);

const SLOW = anyOf(
  "slow(?:ly|er|ness)?|performance|latency|takes (?:too )?(?:long|forever|minutes|seconds)|memory (?:usage|consumption|leak)|oom|out of memory|cpu usage|quadratic|o\\(n|speed(?: up)?|throughput|медленн\\p{L}*|тормозит|производительност\\p{L}+|langsam\\p{L}*|leistung|lent[oa]s?|rendimiento|lente?s?|lenteur|lentidão|desempenho|performances?",
  "很慢|太慢|性能|内存泄漏|卡顿|遅い|重い|パフォーマンス|メモリ",
);

const DOCUMENTS = anyOf(
  "docs?|documentation|readme|typos?|tutorial|docstrings?|changelog|документаци\\p{L}+|опечатк\\p{L}+|dokumentation|tippfehler|documentación|errata|documentação|faute de frappe|guide",
  "文档|错别字|ドキュメント|誤字",
);

const CHORES = anyOf(
  "refactor(?:ing)?|clean ?up|bump|upgrade (?:to|dependenc\\p{L}+|deps)|update dependenc\\p{L}+|migrate|rename|remove (?:unused|deprecated|dead)|drop support|deprecate|ci|lint(?:er|ing)?|рефакторинг|обновить зависимости|aufräumen|refaktor\\p{L}*|refactorizar|refactoriser|refatorar",
  "重构|升级依赖|清理|リファクタ\\p{L}*|依存.*更新",
);

const ASKS = anyOf(
  "how (?:do|can|to|should)|is it possible|is there (?:a|any) way|what is the|why (?:is|does|do|are)|can (?:i|someone|anyone|we)|does anyone|как (?:сделать|мне|можно|правильно)|можно ли|почему|wie (?:kann|mache|geht)|ist es möglich|warum|cómo (?:puedo|se|hago)|es posible|por qué|comment (?:puis|faire|on)|est-il possible|pourquoi|como (?:posso|faço)|é possível",
  "如何|怎么|怎样|是否可以|为什么|どうすれば|どうやって|可能ですか|でしょうか",
);

/** Tells what an issue asks for from labels, title, sections, traces and words (R-PLAN-12). */
export function kindOf(given: {
  title: string;
  prose: string;
  labels: readonly string[];
  sections: readonly Section[];
  traces: number;
}): KindReading {
  const points = new Map<IssueKind, { points: number; reasons: { text: string; worth: number }[] }>();
  const speak = (kind: IssueKind, worth: number, text: string) => {
    const own = points.get(kind) ?? { points: 0, reasons: [] };
    own.points += worth;
    own.reasons.push({ text, worth });
    points.set(kind, own);
  };
  for (const kind of ISSUE_KINDS) {
    const label = given.labels.find((each) => LABELS[kind].test(each));
    if (label) speak(kind, 6, `label ${label}`);
    if (PREFIX[kind].test(given.title)) speak(kind, 6, `title begins with ${kind}`);
  }
  readTitle(given.title, speak);
  readSections(given.sections, speak);
  if (given.traces > 0) speak("bug", 2, "a stack trace");
  readProse(given.prose, speak);
  const ranked = ISSUE_KINDS.map((kind) => ({ kind, own: points.get(kind) })).toSorted(
    (a, b) => (b.own?.points ?? 0) - (a.own?.points ?? 0),
  );
  const best = ranked[0];
  if (!best?.own) return { kind: "feature", reasons: ["nothing says that something is broken"] };
  const reasons = best.own.reasons.toSorted((a, b) => b.worth - a.worth).map((reason) => reason.text);
  return { kind: best.kind, reasons: [...new Set(reasons)].slice(0, 6) };
}

type Speak = (kind: IssueKind, worth: number, reason: string) => void;

function readTitle(title: string, speak: Speak): void {
  const words = title.replaceAll(/`[^`]*`/g, " ");
  const say = (kind: IssueKind, worth: number, pattern: RegExp) => {
    const found = pattern.exec(words)?.[0];
    if (found !== undefined) speak(kind, worth, `title: ${found}`);
  };
  say("bug", 3, FAULT);
  // A title that begins with what to do asks for it.
  const wish = WISH.exec(words);
  if (wish) speak("feature", wish.index <= 3 ? 4 : 2.5, `title: ${wish[0]}`);
  if (
    /^\W{0,3}(?:(?:[A-Z][A-Za-z]+|allow|generate|pass|load|show|use|let|make|create|return|expose|handle|accept|emit|print|display|set|include)\s)/.test(
      words,
    ) &&
    /^\W{0,3}(?:generate|pass|load|show|use|let|make|create|return|expose|accept|emit|print|display|include|unroll|better|more|new)\s/i.test(
      words,
    )
  ) {
    speak("feature", 2.5, "title says what to do");
  }
  if (/(?<![\p{L}])(?:should|must|ought to)(?![\p{L}])/iu.test(words) && !/should(?:n't| not)/i.test(words))
    speak("feature", 1.5, "title: should");
  say("performance", 4, SLOW);
  say("docs", 4, DOCUMENTS);
  say("chore", 3.5, CHORES);
  if (/[?？]\s*$/.test(title)) speak("question", 3, "title is a question");
  say("question", 2, ASKS);
}

function readSections(sections: readonly Section[], speak: Speak): void {
  for (const { topic, title, text } of sections) {
    if (title === "") continue;
    const worth = text === "" ? 0.4 : 1;
    if (/bug|баг|ошибк|fehler|バグ|不具合|错误/iu.test(title)) speak("bug", 2 * worth, `section ${title}`);
    if (/feature|enhancement|proposal|предлож|wunsch|功能|要望/iu.test(title))
      speak("feature", 4 * worth, `section ${title}`);
    switch (topic) {
      case "reproduction":
        speak("bug", 1.5 * worth, `section ${title}`);
        break;
      case "expected":
      case "actual":
        speak("bug", 1.2 * worth, `section ${title}`);
        break;
      case "use_case":
      case "proposal":
        speak("feature", 2.5 * worth, `section ${title}`);
        break;
      case "alternatives":
        speak("feature", /workaround|обход|回避|contourn/iu.test(title) ? 0 : 2 * worth, `section ${title}`);
        break;
      case "acceptance":
        speak("feature", 1.5 * worth, `section ${title}`);
        break;
      default:
    }
  }
}

function readProse(prose: string, speak: Speak): void {
  const start = prose.slice(0, 4_000);
  const count = (pattern: RegExp) => Math.min(4, [...start.matchAll(new RegExp(pattern, "giu"))].length);
  const faults = count(FAULT);
  if (faults > 0) speak("bug", 0.5 * faults, "words of failure");
  const wishes = count(WISH);
  if (wishes > 0) speak("feature", 0.5 * wishes, "words of wishing");
  if (count(OBSERVES) > 0) speak("bug", 0.6, "tells what happens");
  const slow = count(SLOW);
  if (slow > 1) speak("performance", 0.5 * slow, "words about speed");
  const asks = count(ASKS);
  if (asks > 0) speak("question", 0.3 * asks, "asks how");
  const documents = count(DOCUMENTS);
  if (documents > 1) speak("docs", 0.3 * documents, "speaks of documentation");
}
