import { createInstance } from "i18next";
import { de } from "./thread/de.ts";
import { en } from "./thread/en.ts";
import { es } from "./thread/es.ts";
import { fr } from "./thread/fr.ts";
import { ja } from "./thread/ja.ts";
import { pt } from "./thread/pt.ts";
import { ru } from "./thread/ru.ts";
import { zh } from "./thread/zh.ts";

/** Languages that Relay writes in (R-PLAN-10). */
export const WRITTEN_LANGUAGES = ["en", "ru", "de", "es", "fr", "pt", "zh", "ja"] as const;
export type WrittenLanguage = (typeof WRITTEN_LANGUAGES)[number];

type Plural = "zero" | "one" | "two" | "few" | "many" | "other";

/** A catalogue holds every key of the English one; plural forms may be added as `key_few`. */
export type Catalogue<English> = Record<keyof English, string> & Partial<Record<`${string}_${Plural}`, string>>;

/** Looks a phrase up and fills its `{{slots}}`. */
export type Translate<Key extends string> = (key: Key, slots?: Record<string, string | number>) => string;

/** The written language for a detected one; English where Relay has no catalogue. */
export function writtenLanguage(code: string): WrittenLanguage {
  return WRITTEN_LANGUAGES.find((language) => language === code) ?? "en";
}

/** A translator for one set of catalogues. Nothing is escaped: the phrases become Markdown. */
export function translator<English extends Record<string, string>>(
  catalogues: Record<WrittenLanguage, Catalogue<English>>,
  language: string,
): Translate<Extract<keyof English, string>> {
  const lng = writtenLanguage(language);
  const i18n = createInstance({
    lng,
    initAsync: false,
    keySeparator: false,
    nsSeparator: false,
    resources: { [lng]: { translation: { ...catalogues[lng] } } },
    interpolation: { escapeValue: false },
  });
  void i18n.init();
  return (key, slots) => {
    // Widened: the library's own key types know nothing of ours.
    const name: string = key;
    return i18n.t(name, { ...slots });
  };
}

/** What Relay says in threads beside the planner's questions. */
export function threadPhrases(language: string): Translate<Extract<keyof typeof en, string>> {
  return translator({ en, ru, de, es, fr, pt, zh, ja }, language);
}
