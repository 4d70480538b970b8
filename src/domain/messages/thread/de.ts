import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const de: Catalogue<typeof en> = {
  paused:
    "Ich habe angehalten: die letzten {{count}} Versuche zu diesem Issue sind fehlgeschlagen. Der jüngste Fehler war: {{error}}. Jemand mit Zugang zu Relay kann das Protokoll ansehen und mich fortsetzen.",
  specWritten: "Die Spezifikation ist fertig: {{path}}",
  specUpdated: "Die Spezifikation wurde aktualisiert: {{path}}",
  draftedWithoutModel: "Ohne Modell verfasst, nach Regeln.",
};
