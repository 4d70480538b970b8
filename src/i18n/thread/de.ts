import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const de: Catalogue<typeof en> = {
  paused:
    "Ich habe angehalten: die letzten {{count}} Versuche zu diesem Issue sind fehlgeschlagen. Der jüngste Fehler war: {{error}}. Jemand mit Zugang zu Relay kann das Protokoll ansehen und mich fortsetzen.",
  budgetOfIssue:
    "Ich habe angehalten: das Budget für dieses Issue ist aufgebraucht. Jemand mit Zugang zu Relay kann mich fortsetzen.",
  budgetOfDay:
    "Ich habe angehalten: das heutige Budget für dieses Repository ist aufgebraucht. Nach {{until}} mache ich von selbst weiter.",
  budgetOfMonth:
    "Ich habe angehalten: das Budget dieses Monats ist aufgebraucht. Nach {{until}} mache ich von selbst weiter.",
  specWritten: "Die Spezifikation ist fertig: {{path}}",
  specUpdated: "Die Spezifikation wurde aktualisiert: {{path}}",
  draftedWithoutModel: "Ohne Modell verfasst, nach Regeln.",
};
