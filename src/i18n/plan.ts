import type { Translate } from "./messages.ts";
import { translator } from "./messages.ts";
import { de } from "./plan/de.ts";
import { en } from "./plan/en.ts";
import { es } from "./plan/es.ts";
import { fr } from "./plan/fr.ts";
import { ja } from "./plan/ja.ts";
import { pt } from "./plan/pt.ts";
import { ru } from "./plan/ru.ts";
import { zh } from "./plan/zh.ts";

/** What Relay says about fix plans and their confirmation. */
export type PlanKey = keyof typeof en;

export const PLAN_CATALOGUES = { en, ru, de, es, fr, pt, zh, ja };

export function planPhrases(language: string): Translate<PlanKey> {
  return translator(PLAN_CATALOGUES, language);
}
