import type { Translate } from "./messages.ts";
import { translator } from "./messages.ts";
import { de } from "./work/de.ts";
import { en } from "./work/en.ts";
import { es } from "./work/es.ts";
import { fr } from "./work/fr.ts";
import { ja } from "./work/ja.ts";
import { pt } from "./work/pt.ts";
import { ru } from "./work/ru.ts";
import { zh } from "./work/zh.ts";

/** What Relay says in threads about its work on a task. */
export function workPhrases(language: string): Translate<keyof typeof en> {
  return translator({ en, ru, de, es, fr, pt, zh, ja }, language);
}
