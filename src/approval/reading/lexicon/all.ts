import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";
import { uk } from "./uk.ts";
import { zh } from "./zh.ts";
import type { Lexicon } from "./lexicon.ts";

/** Every language in which replies are understood. */
export const ALL: readonly Lexicon[] = [en, ru, de, fr, es, pt, it, pl, uk, zh, ja, ko];
