import type { ImportSite } from "../code-index.ts";
import { languageNamed } from "../languages/registry.ts";
import { SiteList } from "./site-list.ts";

/**
 * What a text imports, by how its lines look: no parser, one pass, linear in the text. Imports in comments are left
 * out where that is cheap to know; one within a string may be taken for real (R-EXP-1).
 *
 * @param language As `classify` names it; none for a language whose imports are not known here.
 * @returns At most 500, in the order of their lines; a specifier is at most 300 characters.
 */
export function importsIn(language: string | null, text: string): ImportSite[] {
  const list = new SiteList(text);
  languageNamed(language)?.scanImports?.(list);
  return list.sites;
}
