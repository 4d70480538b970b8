import type { Translate } from "./messages.ts";
import { translator } from "./messages.ts";
import { de } from "./questions/de.ts";
import { en } from "./questions/en.ts";
import { es } from "./questions/es.ts";
import { fr } from "./questions/fr.ts";
import { ja } from "./questions/ja.ts";
import { pt } from "./questions/pt.ts";
import { ru } from "./questions/ru.ts";
import { zh } from "./questions/zh.ts";

/** What the offline planner asks and says. */
export type QuestionKey = keyof typeof en;

export function questionPhrases(language: string): Translate<QuestionKey> {
  return translator({ en, ru, de, es, fr, pt, zh, ja }, language);
}
