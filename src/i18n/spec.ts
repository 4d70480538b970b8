import type { Translate } from "./messages.ts";
import { translator } from "./messages.ts";
import { de } from "./spec/de.ts";
import { en } from "./spec/en.ts";
import { es } from "./spec/es.ts";
import { fr } from "./spec/fr.ts";
import { ja } from "./spec/ja.ts";
import { pt } from "./spec/pt.ts";
import { ru } from "./spec/ru.ts";
import { zh } from "./spec/zh.ts";

/** What the offline writer puts into specs. */
export type SpecKey = keyof typeof en;

export function specPhrases(language: string): Translate<SpecKey> {
  return translator({ en, ru, de, es, fr, pt, zh, ja }, language);
}
