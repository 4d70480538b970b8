import { spaced } from "./lexicon.ts";

/** Polish. */
export const pl = spaced({
  affirmative: String.raw`zgadzam się z (planem|tym|tym planem|propozycją)|(plan )?(zatwierdzony|zaakceptowany|jest ok)|plan (jest )?(dobry|super|w porządku)|byłoby (super|świetnie)|brak (uwag|zastrzeżeń)|zróbmy to|zróbmy tak|tak+|pewnie|jasne|oczywiście|ok|okej|okay|zgoda|zgadzam się|w porządku|(wszystko |to |plan )?(jest )?(ok|okej|w porządku|dobrze|super|się zgadza|pasuje|świetnie)|pasuje( mi)?|(wygląda|brzmi) (bardzo )?(dobrze|świetnie|super|ok|rozsądnie|sensownie)|dobrze|dokładnie tak|zatwierdzam|zatwierdzone|akceptuję|zaakceptowane|akceptacja|potwierdzam|potwierdzone|popieram|jestem za|bez uwag|bez zastrzeżeń|nie mam (uwag|zastrzeżeń|obiekcji)|może być|idealnie|perfekcyjnie|jak najbardziej|spoko|lgtm`,
  explicit: String.raw`(tak |ok |to |możesz |możecie |można |proszę |dobra |śmiało )*(działaj|działajcie|działać|rób|róbcie|robić|zrób( to)?|zaczynaj|zaczynajcie|zaczynać|zacząć|zacznij|startuj|startować|dawaj|dawajcie|lecimy|leć|jedziemy|jedź|kontynuuj|kontynuować|do dzieła|naprzód|ruszaj|ruszamy|ruszać|pisz|pisać|napisz|implementuj|wdrażaj|śmiało|bierz się (do roboty|za to)|do roboty|wykonaj|przystąp|przystępuj)( (dalej|to|z tym|specyfikację|spec|plan|według planu|tak|jak proponujesz|z założeniami|z tymi założeniami|do pracy|pracę))*|zielone światło|masz (moją zgodę|zielone światło)`,
  doubtful: String.raw`no tak|no ok|no dobra|no dobrze|niech będzie|chyba( tak)?|może|taa? jasne|jak chcesz`,
  polite: String.raw`podoba mi się( ten plan| plan)?|dokładnie|dobra|proszę|naturalnie|dzięki|dziękuję|super( robota| plan)?|świetnie|świetna robota|ekstra|fajnie|dobra robota|dobry plan|cześć|hej|dzień dobry|rozumiem|jasna sprawa|nie ma problemu|żaden problem|pozdrawiam|brawo|bardzo dobrze`,
  negative: String.raw`nie+|nie .*|jeszcze nie( .*)?|na razie nie( .*)?|czekaj( .*)?|poczekaj( .*)?|zaczekaj( .*)?|stop|stój|zatrzymaj( się| to)?|wstrzymaj( się)?( .*)?|anuluj( .*)?|odrzucam|odrzucone|przeciw|jestem przeciw|nigdy|w żadnym wypadku|absolutnie nie|chwila|moment|lepiej nie|tak nie`,
  stop: String.raw`(proszę )?(stop|stój|czekaj(cie)?|poczekaj(cie)?|zaczekaj(cie)?|zatrzymaj( się| to)?|wstrzymaj( się| to)?|pauza|przerwij|anuluj|chwila|chwileczkę|moment|momencik)( chwilę| proszę| moment)?`,
  start: String.raw`tak|ok|to|dobrze|dobra|dzięki|dziękuję|cześć|hej|super|świetnie|jasne|proszę|dla mnie|z mojej strony|okej|więc|wszystko`,
  end: String.raw`proszę|dzięki|dziękuję|więc|teraz|już|dalej|zespół|relay|dla mnie|z mojej strony|ode mnie|też|tak|śmiało`,
});
