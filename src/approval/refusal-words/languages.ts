import ar from "./ar.json" with { type: "json" };
import cs from "./cs.json" with { type: "json" };
import de from "./de.json" with { type: "json" };
import el from "./el.json" with { type: "json" };
import en from "./en.json" with { type: "json" };
import es from "./es.json" with { type: "json" };
import fa from "./fa.json" with { type: "json" };
import fi from "./fi.json" with { type: "json" };
import fr from "./fr.json" with { type: "json" };
import he from "./he.json" with { type: "json" };
import hi from "./hi.json" with { type: "json" };
import hu from "./hu.json" with { type: "json" };
import id from "./id.json" with { type: "json" };
import it from "./it.json" with { type: "json" };
import ja from "./ja.json" with { type: "json" };
import ko from "./ko.json" with { type: "json" };
import nl from "./nl.json" with { type: "json" };
import no from "./no.json" with { type: "json" };
import pl from "./pl.json" with { type: "json" };
import pt from "./pt.json" with { type: "json" };
import ro from "./ro.json" with { type: "json" };
import ru from "./ru.json" with { type: "json" };
import sv from "./sv.json" with { type: "json" };
import tr from "./tr.json" with { type: "json" };
import uk from "./uk.json" with { type: "json" };
import vi from "./vi.json" with { type: "json" };
import zh from "./zh.json" with { type: "json" };

/**
 * Words of one language that refuse, searched for in each clause of a message by somebody with a say; sources of
 * regular expressions in small letters. `{name}` is any of the `parts` with that name, `~` the rest of a word, ` …` up
 * to four words between, `^` the beginning of a clause or what follows a lead-in, `$` its end.
 */
export interface RefusalPhrases {
  /** Whether the language puts spaces between words; Korean is read without. */
  spaced: boolean;
  /** Whether words that differ in their diacritics alone differ in meaning. */
  marked?: boolean;
  /** Words after which a command may begin: “please”, “we should”. */
  leadIns: readonly string[];
  /** Words that look like a refusal and are none: “no problem”, “don't forget”. */
  harmless: readonly string[];
  clear: readonly string[];
  doubtful: readonly string[];
  /** Doubtful in a question alone: “doesn't this break the client?” */
  asked: readonly string[];
  parts: Readonly<Record<string, readonly string[]>>;
}

export const LANGUAGES: readonly RefusalPhrases[] = [
  ar,
  cs,
  de,
  el,
  en,
  es,
  fa,
  fi,
  fr,
  he,
  hi,
  hu,
  id,
  it,
  ja,
  ko,
  nl,
  no,
  pl,
  pt,
  ro,
  ru,
  sv,
  tr,
  uk,
  vi,
  zh,
];
