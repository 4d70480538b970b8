import { createInstance } from "i18next";
import de from "./locales/de.json" with { type: "json" };
import en from "./locales/en.json" with { type: "json" };
import es from "./locales/es.json" with { type: "json" };
import fr from "./locales/fr.json" with { type: "json" };
import ja from "./locales/ja.json" with { type: "json" };
import pt from "./locales/pt.json" with { type: "json" };
import ru from "./locales/ru.json" with { type: "json" };
import zh from "./locales/zh.json" with { type: "json" };
import type { RequestWord } from "./request-word.ts";

/** Languages that Relay writes in (R-PLAN-10). */
export const WRITTEN_LANGUAGES = ["en", "ru", "de", "es", "fr", "pt", "zh", "ja"] as const;

/** English defines the catalogues and keys. A language may add plural forms, such as `key_few`. */
export const LOCALES: Record<(typeof WRITTEN_LANGUAGES)[number], typeof en> = { en, ru, de, es, fr, pt, zh, ja };

/**
 * `thread`: notices about an issue. `questions`: what the offline planner asks. `spec`: what the offline writer puts into
 * specs. `plan`: fix plans and their approval. `steps`: the steps of a plan. `work`: the run of a task. `request`: pull
 * requests and their reviews. `concerns`: what a person should look at in a change.
 */
type Catalogue = keyof typeof en;

export type PhraseKey<C extends Catalogue> = Extract<keyof (typeof en)[C], string>;

/** Looks a phrase up and fills its `{{slots}}`. */
export type Translate<C extends Catalogue> = (key: PhraseKey<C>, slots?: Record<string, string | number>) => string;

// Nothing is escaped: the phrases become Markdown.
const i18n = createInstance({
  resources: LOCALES,
  lng: "en",
  fallbackLng: "en",
  initAsync: false,
  keySeparator: false,
  nsSeparator: false,
  interpolation: { escapeValue: false },
});
void i18n.init();

/** The words of the catalogues, which are written for a pull request, and what says merge request in that language. */
const AS_MERGE_REQUEST = new Map([
  ["pull request", "merge request"],
  ["Pull request", "Merge request"],
  ["Pull Request", "Merge Request"],
  ["Пул-реквест", "Запрос на слияние"],
  ["拉取请求", "合并请求"],
  ["プルリクエスト", "マージリクエスト"],
]);
const PULL_REQUEST = new RegExp([...AS_MERGE_REQUEST.keys()].join("|"), "gu");

/** The phrases of a catalogue; English where Relay does not write the language. */
export function phrases<C extends Catalogue>(
  catalogue: C,
  language: string,
  request: RequestWord = "pull request",
): Translate<C> {
  const translate = i18n.getFixedT(language, catalogue);
  return (key, slots) => {
    // Widened: the library's own key types know nothing of ours.
    const name: string = key;
    const text = translate(name, marked(slots ?? {}));
    return spaced(request === "merge request" ? asMergeRequest(text) : text);
  };
}

/** Around what fills a slot until the phrase is spaced; texts have no use for these signs. */
const EDGE = "\uFFFE";

function marked(slots: Record<string, string | number>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(slots).map(([name, value]) => [name, typeof value === "string" ? `${EDGE}${value}${EDGE}` : value]),
  );
}

/** What fills the slots stays as it is: people may have written it. */
function asMergeRequest(text: string): string {
  const parts = text.split(EDGE);
  return parts.map((part, n) => (n % 2 === 0 ? part.replaceAll(PULL_REQUEST, mergeWord) : part)).join(EDGE);
}

function mergeWord(word: string): string {
  return AS_MERGE_REQUEST.get(word) ?? word;
}

const WIDE = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]`;
const STRAY = new RegExp(String.raw`(?<=${WIDE}) ${EDGE}(?=${WIDE}|[“‘])|(?<=${WIDE}|[”’])${EDGE} (?=${WIDE})`, "gu");
const BEFORE_ADDRESS = new RegExp(String.raw`(?<=${WIDE})${EDGE}(?=https?://)`, "gu");
const AFTER_ADDRESS = new RegExp(String.raw`(?<=https?://[!-~]*[\w/#=&%~+-])${EDGE}(?=${WIDE})`, "gu");

/**
 * Spaces as Chinese and Japanese set them at the edges of slots: none between two of their signs, and one beside an
 * address, which trackers would not link otherwise, or link together with the full stop.
 */
function spaced(text: string): string {
  return text
    .replaceAll(STRAY, EDGE)
    .replaceAll(BEFORE_ADDRESS, " ")
    .replaceAll(AFTER_ADDRESS, " ")
    .replaceAll(EDGE, "");
}
