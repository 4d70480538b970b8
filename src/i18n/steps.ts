import type { Translate } from "./messages.ts";
import { translator } from "./messages.ts";
import { de } from "./steps/de.ts";
import { en } from "./steps/en.ts";
import { es } from "./steps/es.ts";
import { fr } from "./steps/fr.ts";
import { ja } from "./steps/ja.ts";
import { pt } from "./steps/pt.ts";
import { ru } from "./steps/ru.ts";
import { zh } from "./steps/zh.ts";

/** What steps of a plan say that come from its spec, in the words of the spec otherwise. */
export type StepKey = keyof typeof en;

const STEP_CATALOGUES = { en, ru, de, es, fr, pt, zh, ja };

export function stepPhrases(language: string): Translate<StepKey> {
  return translator(STEP_CATALOGUES, language);
}
