import type { ImportSite } from "../code-index.ts";
import { scanEcmascript } from "./scan/ecmascript.ts";
import { scanGo } from "./scan/go.ts";
import { LINE_FORMS } from "./scan/line-forms.ts";
import { scanLines } from "./scan/lines.ts";
import { scanAstro, scanMarkup } from "./scan/markup.ts";
import { scanPython } from "./scan/python.ts";
import { scanRust } from "./scan/rust.ts";
import { scanStyles } from "./scan/styles.ts";
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
  switch (language) {
    case null:
      break;
    case "javascript":
    case "typescript":
      scanEcmascript(list);
      break;
    case "python":
      scanPython(list);
      break;
    case "rust":
      scanRust(list);
      break;
    case "go":
      scanGo(list);
      break;
    case "css":
      scanStyles(list);
      break;
    case "html":
    case "vue":
    case "svelte":
      scanMarkup(list);
      break;
    case "astro":
      scanAstro(list);
      break;
    default: {
      const form = LINE_FORMS.get(language);
      if (form) scanLines(list, form);
    }
  }
  return list.sites;
}
