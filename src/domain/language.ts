import { detectAll } from "tinyld/light";

/** Small words, and words of bug reports, of the Latin languages that are told apart. */
const WORDS: Record<string, string> = {
  en: "the is are was were of to and that this it with for on when if not but be been have has had should would can cannot could does doesn't don't we you your from there which after before into than an as by at or my i no only same some via while where why how what did allow add adds fix fixes fails failed fail crash crashes missing support update updates broken button page file files user users error errors typo custom date format image build builds kills option show shows wrong use using make makes new instead between entries export import login menu mobile around nothing throws prints startup empty large feature request bug test remove rename change changes set default without values value process component key keys in off out up per all more too so just also its their one two once becomes names never twice called city list docs",
  de: "der die das und nicht ist ein eine einen einem einer mit für auf wenn ich wir wird werden wurde beim nach von zu zum zur den dem des es sind auch aber nur bei sollte kann können im am keine kein dass noch funktioniert fehler hinzufügen bitte absturz anmeldung anmelden schaltfläche rechtschreibfehler doppelt verschickt findet unterstützung datei dateien benutzer einzelnen oder über vom sich wie möchte fehlt fehlende falsch falsche anzeigen seite speichern löschen lässt schließen langsame langsam leer leerer geht ergebnis bericht summe",
  es: "el la los las y de que no es un una con para por cuando en se al del lo está están pero como debería son sin más esto esta este hay si su mi desde hasta después falla fallo añadir agregar botón responde soporte iniciar sesión falta permitir varios usuarios cuenta errata archivo archivos error usuario página también puede guardar muestra muy donde fuga memoria consulta datos informe suma incorrecta correo restablecer contraseña búsqueda resultados cierra tri llega base lenta ordenar fecha funciona filtro estado",
  fr: "le la les et de des que ne pas est un une avec pour dans quand je nous il elle sur du au aux mais lorsque lors plus ce cette ces devrait sont être qui sans par en se depuis deux fois après impossible erreur ajouter bouton fichier fichiers faute frappe prise charge plusieurs mise jour connecter connexion utilisateur utilisateurs page fonctionne répond démarrage affiche peut c' d' l' n' s' j' m' qu' requête lente lent",
  pt: "o a os as e de que não é um uma com para por quando em se ao aos do da dos das no na nos nas mas como deveria são sem mais isso está ser quero foi depois erro adicionar botão responde falha arquivo arquivos usuário usuários conta possível permitir vários entrar iniciar digitação grandes duas vezes enviadas também ou pelo pela salvar tela aparece muito onde vazamento memória consulta lenta banco dados soma incorreta relatório redefinição senha busca resultados filtro fecha chega status",
  it: "il lo la gli le i e di che non è un una con per quando in se al del della dei delle nel nella mi ma come dovrebbe sono senza più questo questa viene vengono da si errore aggiungere pulsante salva risponde funziona impossibile accedere due volte grandi file modalità dopo utente utenti anche dell' all' nell' sull' l' d' un' c' lento lenta",
  pl: "nie jest się na i w z do że to jak po przy gdy kiedy ale powinno powinien są dla co tylko nadal przez od błąd dodać przycisk działa można użytkownik użytkownika użytkowników plik pliku pliki pod oraz lub który która które bez tryb strona brak",
  nl: "de het een en niet is van met voor op als ik we wij wordt worden werd bij naar dat zijn ook maar zou kan geen er om te dit deze aan uit toevoegen fout knop reageert werkt bestand bestanden dubbel verstuurd gebruiker gebruikers opslaan opstarten grote inloggen ontbreekt na donkere",
};
/** Letters and endings that few of them write. */
const SPELLING: readonly (readonly [string, RegExp])[] = [
  ["en", /(?:ly|ing|ness|[^aeiou]ed|th|ck|tion|ous|ful)$|^wh|ough/],
  ["de", /[äöüß]|(?:ung|ungen|keit|heit|lich|isch|chen|leck|abfrage|ieren)$/],
  ["es", /[ñ¿¡áíóú]|(?:ción|ciones|miento|dad|ando|iendo)$/],
  ["fr", /[çœêèàùîûâë]|é(?!.*[áíóú])|(?:eurs?|euse|ité|eux)$/],
  ["pt", /[ãõçâêôáíóú]|(?:ção|ções|ório|ória|mento|dade|agem)$/],
  ["it", /[àòìù]$|è|(?:zione|zioni|mento|mente|ità)$/],
  ["pl", /[łąężśźćń]|ó|(?:anie|enie|nych|owa[ćn])$/],
  ["nl", /ij|(?:heid|eren|elijk)$/],
];
const LATIN = Object.keys(WORDS);
const CHARACTERS = 8_000;

/**
 * The language that people write in, as a two-letter code; `en` when it cannot be told. Code, traces and names are
 * left out first: an English report full of identifiers stays English.
 */
export function detectLanguage(text: string): string {
  const prose = proseOf(text.slice(0, CHARACTERS * 4)).slice(0, CHARACTERS);
  const letters = prose.match(/\p{L}/gu)?.length ?? 0;
  const share = (pattern: RegExp) => (prose.match(pattern)?.length ?? 0) / Math.max(1, letters);
  if (share(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) > 0.1) return "ja";
  if (share(/\p{Script=Hangul}/gu) > 0.2) return "ko";
  if (share(/\p{Script=Han}/gu) > 0.15) return JAPANESE_FORMS.test(prose) ? "ja" : "zh";
  if (share(/\p{Script=Cyrillic}/gu) > 0.2) return isUkrainian(prose) ? "uk" : "ru";
  return latinLanguage(prose);
}

/** Characters that only Japanese writes in this form; enough for titles without kana. */
const JAPANESE_FORMS = /[証検処売読発変実図帰円広転込働駅権済価仮戻続択歴応]/u;

/** By letters that only one of the two has; short titles may have none, then by small words. */
function isUkrainian(prose: string): boolean {
  const own = prose.match(/[їєіґ]/giu)?.length ?? 0;
  const russian = prose.match(/[ыэёъ]/giu)?.length ?? 0;
  if (own + russian > 0) return own > russian;
  return /(?<!\p{L})(?:та|або|якщо|щоб|при запуску|додати|кнопка не працює|не працює|після|темну тему|помилка|вхід|файл не|немає|потрібно)(?!\p{L})|(?:ання|ення)(?!\p{L})/iu.test(
    prose,
  );
}

/** Another language than English needs its own words or letters, and more of them than English has. */
function latinLanguage(prose: string): string {
  const words = prose.match(/[\p{L}'’]+/gu) ?? [];
  const scores = new Map(LATIN.map((language) => [language, 0]));
  const vocabulary = LATIN.map((language) => ({ language, known: new Set((WORDS[language] ?? "").split(/\s+/)) }));
  const count = (languages: readonly string[], weight: number) => {
    for (const language of languages) scores.set(language, (scores.get(language) ?? 0) + weight / languages.length);
  };
  for (const written of words) {
    const word = written.toLowerCase();
    const elided = /^(?:[cdlmnsj]|qu|dell|all|nell|sull|un)['’]/.exec(word)?.[0].replace("’", "'");
    const holders = vocabulary.filter(({ known }) => known.has(elided ?? word)).map(({ language }) => language);
    // One letter may be a variable; a capital letter begins names from anywhere.
    if (holders.length > 0) count(holders, word.length === 1 ? 0.2 : 1);
    else if (word.length > 3 && word === written) {
      count(
        SPELLING.filter(([, pattern]) => pattern.test(word)).map(([language]) => language),
        1,
      );
    }
  }
  const english = scores.get("en") ?? 0;
  const guesses = new Map(detectAll(prose, { only: LATIN }).map((guess) => [guess.lang, guess.accuracy]));
  const [best] = LATIN.filter((language) => language !== "en")
    .map((language) => ({ language, own: scores.get(language) ?? 0, guess: guesses.get(language) ?? 0 }))
    .toSorted((a, b) => b.own + b.guess - (a.own + a.guess));
  return best && best.own >= LEAST && best.own > english * ENGLISH_FIRST ? best.language : "en";
}

/** Less than about one word of its own is a coincidence of names. */
const LEAST = 0.75;
/** English words weigh more: reports in English quote other languages more often than the other way round. */
const ENGLISH_FIRST = 1.2;

function proseOf(text: string): string {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)/g, " ")
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, " ")
    .replaceAll(/`[^`\n]*`/g, " ")
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replaceAll(/^[ \t]*(?:at |File "|Traceback|\w*Error:|\[\d|>|\|).*$/gm, " ")
    .replaceAll(/[\w.-]*[\w]+[._/\\:()=-]+[\w./\\()=-]+/g, " ")
    .replaceAll(/\b(?:[a-z]+[A-Z]\w*|[A-Z]{2,}\w*|\w*_\w*|\w*\d\w*)\b/g, " ");
}
