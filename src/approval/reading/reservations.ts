import { anyOf } from "../../domain/issue-text/phrases.ts";

/** Words that make a sentence beside a go-ahead more than a remark: conditions, negations, exceptions. */
const RESERVATIONS: readonly RegExp[] = [
  anyOf(
    String.raw`but|however|except|unless|until|till|if|once|when|after|before|only|provided|assuming|although|though|wait|hold|not|no|never|nothing|none|without|instead|\p{L}+n['’]t|cannot|rather|otherwise`,
  ),
  anyOf(
    String.raw`но|однако|кроме|только|если|когда|после|пока|сначала|до|перед|не|нет|ни|без|вместо|иначе|хотя|а вот|але|проте|крім|тільки|якщо|коли|після|поки|спочатку|ні|замість`,
  ),
  anyOf(
    "aber|jedoch|nur|außer|wenn|falls|sobald|nachdem|bevor|erst|sofern|solange|nicht|nichts|nie|kein|keine|keinen|keinem|ohne|statt|sonst|allerdings|obwohl",
  ),
  anyOf(
    "pero|sin|salvo|excepto|cuando|una vez|después|antes|hasta|solo|sólo|siempre que|si|nunca|nada|ningún|ninguna|aunque|espera|mais|sauf|quand|lorsque|après|avant|dès|jusqu|seulement|ne|pas|jamais|rien|aucun|aucune|sans|attends|attendez",
  ),
  anyOf(
    "mas|porém|exceto|quando|se|depois|após|antes|até|só|somente|desde que|não|nunca|nada|nenhum|nenhuma|sem|embora|ma|però|tranne|dopo|prima|finché|solo|appena|purché|non|mai|niente|nessun|nessuna|senza",
  ),
  anyOf(
    "ale|jednak|oprócz|tylko|jeśli|jeżeli|gdy|kiedy|dopiero|najpierw|zanim|nie|nigdy|bez|chyba że|zamiast",
    "但|不过|除非|如果|要是|只有|等|之后|以后|之前|先|不|没|别|ただし|でも|けど|しかし|なければ|場合|たら|まで|後で|ない|ません|하지만|그런데|다만|만약|면|후에|전에|까지|않|안 |못|말고",
  ),
];

/** Whether a sentence sets a condition, says no to something, or makes an exception. */
export function isReservation(sentence: string): boolean {
  return RESERVATIONS.some((pattern) => pattern.test(sentence));
}
