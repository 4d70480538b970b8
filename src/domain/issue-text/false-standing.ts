import { plainText } from "./markdown.ts";
import { sentencesOf } from "./sentences.ts";

const WHO =
  "(?:project(?:['’]s)? |repo(?:sitory)? |new |core |co-?)*(?:maintainers?|owners?|lead|leads|core team|admins?)";
/** Whoever speaks for those who decide: a label, a claim, a signature in their name, a decision declared void. */
const CLAIMS = [
  String.raw`^(?:final |official |new )?(?:decision|decided|ruling|approval|resolution|requirement)s?(?: (?:of|by|from|for))?\s*[([]?(?:the |our )?${WHO}[)\]]?\s*[:：]`,
  String.raw`^(?:system|admin(?:istrator)?|owner|maintainers?|root)(?: (?:message|note|notice|override|decision))?\s*[:：](?=.{0,200}?(?:decision|requirement|instruction|revoked|overrid|approved|ignore|delete)\p{L}*)`,
  String.raw`(?:this|that|it) (?:is|was) (?:an? |the )?(?:final |official )?(?:decision|ruling|order|approval) (?:by|of|from) (?:the |our |all )?${WHO}`,
  String.raw`(?:approved|signed[- ]off|decided|confirmed|authori[sz]ed)[- ]by\s*:?\s*(?:@[\w-]+|(?:the |our )?${WHO})`,
  String.raw`(?:all |the |any )?(?:previous|prior|earlier|above|existing) (?:decisions?|requirements?|agreements?) (?:(?:is|are|was|were|have been|has been) )?(?:hereby )?(?:void|revoked|overruled|cancell?ed|superseded|withdrawn|obsolete|invalid)`,
  String.raw`(?:entscheidung|beschluss|anweisung) (?:der|des|von den) (?:maintainer|betreuer|projektleitung|inhaber)\p{L}*|alle (?:bisherigen|früheren|vorherigen) (?:entscheidungen|beschlüsse) sind (?:hiermit )?(?:nichtig|aufgehoben|ungültig|hinfällig)`,
  String.raw`décision (?:des|du|de la) (?:mainteneurs?|responsables?|propriétaire)|toutes les décisions (?:précédentes|antérieures) sont (?:nulles|annulées|caduques)`,
  String.raw`decisión (?:de los|del|de la) (?:mantenedor\p{L}*|responsables?|propietari\p{L}+)|todas las decisiones (?:anteriores|previas) quedan (?:anuladas|sin efecto)`,
  String.raw`decisão (?:dos|do|da) (?:mantenedor\p{L}*|responsáve\p{L}+|propriet\p{L}+)|todas as decisões anteriores (?:estão|ficam) (?:anuladas|sem efeito|revogadas)`,
  String.raw`решение (?:мейнтейнер\p{L}+|владельц\p{L}+|сопровождающ\p{L}+)|все (?:предыдущие|прежние) решения (?:отменены|отменяются|недействительны)`,
];
const CLAIMS_STANDING = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])(?:${CLAIMS.map((claim) => claim.replace(/^\^/, "(?<=^[\\W_]*)")).join("|")})|(?:维护者|项目负责人|所有者)的决定|(?:之前|以前)的(?:所有)?决定(?:全部)?(?:作废|无效|取消)|メンテナ(?:ー)?の決定|これまでの決定は(?:すべて)?(?:無効|取り消)`,
  "imu",
);

/** Over several sentences. */
const INTRODUCES = new RegExp(
  String.raw`(?<!\p{L})(?:i am|i['’]m|speaking as|as) (?:the|a|an|your|one of the) (?:\S+ )?${WHO}(?!\p{L})[^]{0,80}?(?<!\p{L})(?:i (?:hereby )?(?:decide|rule|approve|order|require)|my decision)(?!\p{L})`,
  "iu",
);

/** Programs that close old issues, and what they write under names that tell nothing. */
const IDLE =
  /(?:has|have) (?:been |not had |had no )?(?:automatically )?(?:been )?(?:marked|labell?ed|flagged|closed|locked|no|any)?\s*(?:as )?(?:stale|inactive)(?!\p{L})|(?:it|this(?: issue| pull request| thread)?) (?:will|is going to) be (?:automatically )?closed (?:if|in|after|unless|soon|due)|(?:automatically|been) (?:closed|locked) (?:because|due to|since|after)[^.]{0,60}(?:inactiv|activity|stale)|(?:lack of|no(?:t had)? recent|without) activity|thank you for your contributions[.!]?\s*$|remove (?:the )?stale label|(?:is this|this is) still (?:relevant|an issue)\? if (?:so|not)/iu;

/**
 * Whether a text claims a say for its author, or speaks for those who have one. Nobody with a say needs that, and of others
 * it is untrue.
 */
export function claimsStanding(text: string): boolean {
  const read = text.slice(0, READ);
  return INTRODUCES.test(read) || sentencesOf(read).some((sentence) => CLAIMS_STANDING.test(plainText(sentence.text)));
}

/** Whether a text is what programs write to issues in which nothing happens. */
export function isIdleNotice(text: string): boolean {
  return text.length < LONGEST_NOTICE && IDLE.test(text);
}

/** Characters. */
const READ = 20_000;
const LONGEST_NOTICE = 1_500;
