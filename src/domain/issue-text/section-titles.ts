import { plainText } from "./markdown.ts";
import { wholly } from "./phrases.ts";

/** What a section of an issue is for. */
const SECTION_TOPICS = [
  "reproduction",
  "expected",
  "actual",
  "environment",
  "acceptance",
  "use_case",
  "proposal",
  "alternatives",
  "logs",
  "scope",
  "checklist",
  "context",
  "description",
] as const;
export type SectionTopic = (typeof SECTION_TOPICS)[number];

/** Titles as templates word them, in the languages that Relay writes in; the first topic that fits is taken. */
const TITLES: readonly (readonly [SectionTopic, RegExp])[] = [
  [
    "checklist",
    wholly(
      "prerequisites?|checklist|check ?list|before (?:submitting|you start|opening).*|is there an existing issue.*|validations?|preflight.*|pre-?checks?|first check|code of conduct|i (?:have|did) .*(?:search|read|check).*|контрольный список|voraussetzungen|requisitos previos|prérequis|pré-requisitos",
      "前提条件|检查清单|自查|確認事項|チェックリスト",
    ),
  ],
  [
    "alternatives",
    wholly(
      "alternatives?.*|.*alternatives (?:you've )?considered|workarounds?|other solutions.*|альтернатив\\p{L}*.*|обходн\\p{L}* пут\\p{L}*|alternativen.*|alternativas.*|solutions alternatives|contournement",
      "替代方案|备选方案|代替案|回避策|代替手段",
    ),
  ],
  [
    "acceptance",
    wholly(
      "acceptance(?: criteria| tests?)?|definition of done|done when|success criteria|requirements|критерии (?:при[её]мки|готовности|успеха)|требования|akzeptanzkriterien|abnahmekriterien|anforderungen|criterios de aceptación|requisitos|critères d'acceptation|exigences|critérios de aceitação|critérios de aceite",
      "验收标准|验收条件|需求|受け入れ(?:条件|基準)|受入条件|要件",
    ),
  ],
  [
    "reproduction",
    wholly(
      "(?:minimal )?(?:steps?|how|way|instructions?|code|example)?(?: required)? ?to (?:reproduce|repro|replicate|recreate)\\b.*|reproduc(?:tion|er|ing|e|ible)\\b.*|.*\\breproduction\\b(?: steps| link| code| url)?|repro(?: steps| case)?|steps|minimal (?:working |failing )?(?:example|code)\\b.*|mwe|mcve|test case|failing test|code (?:snippet|sample|example)s?|example code|sample code|(?:link to (?:the )?)?(?:code|codesandbox|playground|repl)\\b.*(?:reproduc\\p{L}*)?|шаги(?: для)? воспроизведени\\p{L}+|шаги|как воспроизвести|воспроизведение|schritte zur reproduktion|schritte(?: zum)? reproduzieren|reproduktion(?:sschritte)?|schritte|so lässt es sich reproduzieren|pasos(?: para)? reproducir.*|cómo reproducir.*|reproducción|étapes (?:de|pour) (?:la )?(?:reproduction|reproduire).*|(?:comment )?reproduire.*|passos(?: para)? reproduzir.*|como reproduzir.*|reprodução",
      "复现步骤|重现步骤|如何复现|复现|重现|最小复现.*|再現手順|再現方法|再現",
    ),
  ],
  [
    "actual",
    wholly(
      "actual(?:ly)?(?: behaviou?rs?| results?| outcomes?| output)?|current(?: behaviou?rs?| results?| situation| state| output)?|(?:what is the )?(?:current|buggy|observed) behaviou?r.*|observed(?: results?)?|(?:describe )?what (?:actually )?(?:happened|happens|went wrong|goes wrong|is happening|is wrong|did you see).*|describe the (?:bug|issue|problem|error)|bug description|description of (?:the )?(?:bug|problem|issue)|(?:the )?problem|the (?:bug|issue)|symptoms?|фактическ\\p{L}+(?: (?:результат|поведение))?|текущее поведение|что (?:происходит|произошло|случилось|не так)|описание (?:бага|ошибки|проблемы)|проблема|tatsächliches (?:verhalten|ergebnis)|aktuelles verhalten|was (?:ist passiert|passiert).*|fehlerbeschreibung|ist-?verhalten|problem(?:beschreibung)?|comportamiento actual|resultado (?:actual|real|obtenido)|qué (?:pasó|ocurre|sucede).*|descripción del (?:error|problema)|problema|comportement (?:actuel|observé|constaté)|résultat (?:actuel|obtenu|observé)|que se passe-t-il.*|description du (?:bug|problème)|problème|comportamento (?:atual|observado)|resultado (?:atual|obtido)|o que (?:aconteceu|acontece).*|descri(?:ção|ba) (?:do|o) (?:bug|erro|problema)",
      "实际(?:行为|结果|情况|表现)?|当前(?:行为|情况)|发生了什么.*|问题描述|错误描述|bug描述|实际发生.*|実際の(?:動作|挙動|結果)|現在の(?:動作|挙動|状況)|何が起き.*|不具合の?内容|問題点?|バグの(?:説明|内容)|現象",
    ),
  ],
  [
    "expected",
    wholly(
      "expect(?:ed|ation|ations)?(?: (?:behaviou?rs?|results?|outcomes?|output|vs\\.? actual.*))?|(?:what (?:is|was) the )?(?:expected|correct|desired|wanted) (?:behaviou?r|result|outcome|output)s?.*|(?:what|how) (?:did|do|would|should|were) (?:you|i|we|it) (?:expect\\p{L}*|have happened|happen|behave|work).*|what (?:should|is supposed to)(?:'ve| have)?\\b.*|what i expected.*|ожида\\p{L}+(?: (?:результат|поведение))?|что (?:ожидал\\p{L}*|должно).*|erwartet\\p{L}*(?: (?:verhalten|ergebnis))?|soll-?verhalten|was (?:hast du erwartet|sollte).*|comportamiento esperado|resultado esperado|qué (?:esperabas|debería).*|comportement attendu|résultat attendu|(?:à quoi|qu'attendiez|que devrait).*|comportamento esperado|o que (?:era esperado|deveria|você esperava).*",
      "期望(?:的)?(?:行为|结果|表现)?|预期(?:的)?(?:行为|结果|表现)?|应该.*行为|期待(?:する|される|した)?(?:動作|挙動|結果)?|あるべき.*|想定(?:する|される)?(?:動作|挙動|結果)?",
    ),
  ],
  [
    "environment",
    wholly(
      "(?:your )?environments?(?: info(?:rmation)?| details)?|system(?: info(?:rmation)?)?|(?:affected |your |package |library )?versions?(?: .*)?|.*\\bversions?|.*\\bversions? (?:you|i|we|used|in use)\\b.*|platforms?|operating systems?|os|browsers?.*|device.*|runtime|setup|configuration|config|specs|node(?:\\.js)?|(?:tell us about your|information about my) .*|dependencies|окружение|верси\\p{L}+.*|среда|система|платформа|umgebung|versionen|betriebssystem|entorno|versión.*|environnement|versions?|ambiente|versão.*",
      "环境(?:信息)?|版本.*|系统(?:信息)?|运行环境|環境(?:情報)?|バージョン|動作環境",
    ),
  ],
  [
    "scope",
    wholly(
      "(?:in |out of )?scope|non-?goals?|goals?|limitations?|affected (?:areas?|components?|packages?|modules?)|impact|вне рамок|границы|объ[её]м(?: работ)?|не входит|umfang|nicht-?ziele|abgrenzung|alcance|fuera de alcance|portée|périmètre|hors périmètre|escopo|fora do escopo",
      "范围|影响范围|非目标|範囲|スコープ|対象外|影響範囲",
    ),
  ],
  [
    "use_case",
    wholly(
      "what (?:are|were) you (?:trying|attempting|looking) to .*|what problem .*|why (?:do you|is this|would) .*|use[- ]?cases?|user stor(?:y|ies)|motivations?|benefits?|why.*|rationale|background|(?:is )?your feature request related to a problem.*|what problem .*|problem (?:to solve|statement)|describe the problem.*|pitch|value|what is the use case.*|сценари\\p{L}+(?: использования)?|мотивация|зачем.*|польза|anwendungsfall|motivation|warum.*|hintergrund|caso de uso|motivación|por qué.*|cas d'utilisation|cas d'usage|pourquoi.*|contexte|motivação|por que.*",
      "使用场景|用例|动机|背景|为什么.*|ユースケース|動機|背景|目的",
    ),
  ],
  [
    "proposal",
    wholly(
      "propos(?:al|ed)\\b.*|(?:describe the )?solution.*|suggest(?:ion|ed)\\b.*|feature (?:request|proposal|description)?|enhancement|requested (?:feature|change)s?|desired (?:solution|feature)|what (?:would|do) you (?:like|want).*|what (?:would|could) (?:help|solve|make).*|how (?:could|should|would) (?:it|this|we) (?:be )?(?:solve|help|work|look).*|possible (?:solution|fix|implementation).*|implementation|idea|describe the feature.*|proposed (?:change|api|syntax)s?|предлага\\p{L}+.*|предложение|решение|возможное решение|что (?:хотелось|сделать|нужно).*|vorschlag|lösung(?:svorschlag)?|gewünschte\\p{L}*.*|feature-?wunsch|propuesta|solución.*|sugerencia|proposition|solution (?:proposée|souhaitée)|proposta|solução.*|sugestão",
      "建议(?:的)?(?:方案|解决方案)?|解决方案|提议|功能(?:描述|请求|建议)|期望的功能|提案|解決策|要望|希望する.*|実装案",
    ),
  ],
  [
    "logs",
    wholly(
      "(?:relevant |error |console )?logs?(?: output)?|(?:relevant )?log output|stack ?traces?.*|trace(?:back)?|error(?: messages?| logs?| output)?s?|exceptions?(?: or error)?|output|console(?: output)?|provider error messages?|логи?|стек(?: вызовов)?|трассировка|сообщение об ошибке|fehlermeldung(?:en)?|protokoll|registros?|mensaje de error|journaux|message d'erreur|mensagem de erro|rastreamento",
      "日志|错误(?:信息|日志)|堆栈.*|报错信息|ログ|エラー(?:メッセージ|ログ)?|スタックトレース",
    ),
  ],
  [
    "context",
    wholly(
      "additional.*|(?:any )?(?:other|extra|more|further) (?:context|info(?:rmation)?|details|comments?|notes?).*|context|notes?|info(?:rmation)?|screenshots?.*|videos?|attachments?|references?|related.*|linked issues?|see also|links?|similar or dependent issues?|how important.*|priority|severity|are you willing.*|would you like to work.*|contribution.*|участие|дополнительн\\p{L}+.*|скриншоты|weitere.*|zusätzliche.*|bildschirmfotos?|información adicional|contexto.*|capturas.*|(?:informations?|contexte) (?:supplémentaires?|complémentaires?)|captures d'écran|informações adicionais",
      "其他.*|补充.*|附加.*|截图|相关.*|その他.*|補足.*|スクリーンショット|関連.*|備考",
    ),
  ],
  [
    "description",
    wholly(
      "(?:short |brief )?(?:description|summary|overview|details|introduction|tl;?dr|bug report|issue|this is a (?:bug report|feature proposal))|описание|кратко|beschreibung|zusammenfassung|descripción|resumen|description|résumé|descrição|resumo",
      "描述|概述|说明|概要|説明|内容",
    ),
  ],
];

const LONGEST_TITLE = 120;

/** The topic that a title announces; `null` where it is a title of its own. */
export function topicOf(title: string): SectionTopic | null {
  const clean = plainText(title)
    .replaceAll(/^[\p{P}\p{S}\p{Zs}\d]+|[\p{P}\p{S}\p{Zs}]+$/gu, "")
    .trim();
  if (clean === "" || clean.length > LONGEST_TITLE) return null;
  return TITLES.find(([, pattern]) => pattern.test(clean))?.[0] ?? null;
}
