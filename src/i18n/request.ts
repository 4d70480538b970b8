import type { Translate } from "./messages.ts";
import { translator } from "./messages.ts";
import { de } from "./request/de.ts";
import { en } from "./request/en.ts";
import { es } from "./request/es.ts";
import { fr } from "./request/fr.ts";
import { ja } from "./request/ja.ts";
import { pt } from "./request/pt.ts";
import { ru } from "./request/ru.ts";
import { zh } from "./request/zh.ts";

/** What Relay says in pull requests and their reviews. */
export type RequestKey = keyof typeof en;

export function requestPhrases(language: string): Translate<RequestKey> {
  return translator({ en, ru, de, es, fr, pt, zh, ja }, language);
}
