import { anyOf } from "./phrases.ts";

const NOTHING =
  /^[\s_*`>"'.-]*(?:no response|n\/?a|not applicable|none|nothing|nil|no|nope|null|tbd|todo|xxx|-+|\.+|x|нет|не применимо|отсутствует|keine?|nichts|entf[äa]llt|ninguno|ninguna|nada|aucune?|rien|nenhum|nenhuma|sem resposta|无|没有|不适用|なし|特になし|該当なし)?[\s_*`"'.-]*$/i;

/** Prompts in templates; a person who filled in the field would not have written them. */
const PROMPT = anyOf(
  "a clear and concise description of .*|the issue tracker is (?:only )?(?:used )?for .*|the issue tracker is used for .*|(?:anyway,? )?please (?:ensure|make sure)(?: that)? (?:your|the|this) (?:bug report|issue|report)\\b.*|(?:to avoid [^,]{1,40},? )?please (?:check|search|verify)(?: whether| if| that)? (?:there|the existing|existing|open|for)\\b.*\\b(?:issues?|duplicates?)\\b.*|please include the following(?: information)?(?: .*)?:?|(?:as a result,? )?it would be (?:very )?helpful .*if you (?:could|can) provide .*|add any other (?:context|information).*|if applicable, add .*|steps to reproduce the behaviou?r:?|(?:please )?(?:describe|provide|include|fill|add|explain|tell us|paste|list|specify|enter|give|write|attach|share|put|insert|complete|use)\\b(?=.{0,160}\\b(?:here|below|above|below\\.|this (?:issue|section|field|template)|you(?:r|'re)?|possible|as (?:much|many)|if (?:any|applicable|relevant|possible)|the (?:bug|problem|issue|feature|steps))\\b).*|what (?:you )?(?:expected|wanted) to happen\\.?|ex(?:\\.|ample:?) i'm always frustrated when .*|i'm always frustrated when \\[.*|go to '\\.\\.\\.'|click on '?\\.\\.\\.+'?|scroll down to '?\\.\\.\\.+'?|see error|(?:see|read) (?:the )?(?:contributing|template).*|краткое и понятное описание.*|опишите .*(?:здесь|ниже).*|eine klare und prägnante beschreibung.*|bitte (?:beschreibe|füge|gib).*|una descripción clara y concisa.*|por favor.* describ\\p{L}+.*|une description claire et concise.*|merci de (?:décrire|fournir).*|uma descrição clara e (?:concisa|objetiva).*",
  "请(?:在此|描述|提供|填写|清晰).*|清晰(?:简洁)?地?描述.*|ここに.*(?:記入|記載|説明).*|.*を(?:簡潔に)?(?:記入|記載|説明)してください.*",
);

/** Says how the writer feels about it, from end to end, and nothing of the program. */
const FEELING =
  /^(?:(?:and|but|so|also|honestly|frankly|it|this|that|which|is|are|was|['’]s|be|would|will|i|we|find|feel|me|us|makes?|drives?|driving|to|for|have|had|a|an|the|really|very|quite|pretty|super|extremely|incredibly|a bit|rather|just|kind of|too|all|time|everyone|here|problem|issue|bug|thing|experience|das|ist|sehr|wirklich|es|muy|esto|c['’]est|très|vraiment|isso|é|muito|это|очень)[\s,]*)*(?:annoy\p{L}*|frustrat\p{L}*|irritat\p{L}*|disappoint\p{L}*|painful|a pain|terrible|horrible|awful|crazy|mad|insane|sad|ridiculous|unacceptable|great|nice|awesome|cool|nervig|ärgerlich|frustrier\p{L}*|molesto|frustrante|agaçant|pénible|chato|irritante|раздража\p{L}+)(?:[\s,]+(?:to|have|it|this|that|for|me|us|really|indeed|though|bug|issue|thing|behaviou?r|experience))*[\s.!…:()-]*$/iu;
const LONGEST_FEELING = 100;

/** Whether a sentence is a mere complaint or praise: “This is really annoying.” */
export function isFeeling(text: string): boolean {
  return text.length <= LONGEST_FEELING && FEELING.test(text.trim());
}

/** Whether a text is a template's leftover, or states that there is nothing to say. */
export function isFiller(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed === "" || NOTHING.test(trimmed) || isFeeling(trimmed)) return true;
  if (trimmed.length > 300 || /`/.test(trimmed)) return false;
  const match = PROMPT.exec(trimmed);
  return match !== null && match.index <= 4 && match[0].length >= trimmed.length - 6;
}

/** `[ ]` or `[x]` at the head of a list item. */
export function checkbox(text: string): { checked: boolean; text: string } | null {
  const found = /^\[( |x|X)?\]\s+/.exec(text);
  return found ? { checked: /x/i.test(found[1] ?? ""), text: text.slice(found[0].length) } : null;
}
