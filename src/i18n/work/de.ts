import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const de: Catalogue<typeof en> = {
  question: "Um weiterzumachen, muss ich wissen:",
  answer: "Nach einer Antwort hier geht die Arbeit an derselben Stelle weiter.",
  opened: "Die Änderung steht in {{request}}.",
  no_progress: "Das ist nicht fertig geworden: zwei Versuche nacheinander kamen nicht weiter.",
  limit_iterations: "Das ist in der erlaubten Zahl von Versuchen nicht fertig geworden.",
  limit_minutes: "Das ist in der erlaubten Zeit nicht fertig geworden.",
  limit_money: "Das ist mit dem erlaubten Geld nicht fertig geworden.",
  failing: "Was noch fehlschlägt:",
  nothing_opened: "Es wurde kein Pull Request geöffnet. Nach einem Hinweis hier versuche ich es noch einmal.",
  unusable:
    "Der Coding-Agent kann zurzeit nicht arbeiten, deshalb wurde nichts geändert. Wer Relay betreibt, muss nachsehen; danach kann die Aufgabe noch einmal versucht werden.",
  failed:
    "Die Arbeit an dieser Aufgabe ist abgebrochen, es wurde nichts geöffnet. Wer Relay betreibt, muss nachsehen; danach kann die Aufgabe noch einmal versucht werden.",
  setup: "Das Repository ließ sich für die Arbeit nicht einrichten:",
  network:
    "Dabei sollte {{hosts}} erreicht werden, was hier nicht erlaubt ist. Wer Relay betreibt, kann es in `work.network` erlauben.",
  request_closed:
    "{{request}} wurde geschlossen, ohne übernommen zu werden; damit ist das für mich beendet. Wer mich wieder zuweist, beginnt es neu.",
  still_red:
    "Die Prüfungen von {{request}} sind weiter rot, und ich habe es zweimal versucht. Jetzt muss ein Mensch nachsehen.",
  said_elsewhere: "Die Änderung ist im Review; bitte dort sagen, was anders sein soll: {{request}}.",
  conflict:
    "{{request}} steht im Konflikt mit {{base}}, und ich konnte beides nicht zusammenführen. Auf beiden Seiten geändert:",
  conflict_left:
    "Es wurde nichts gepusht. Bitte {{base}} in {{branch}} mergen und pushen; ich mache von dort weiter. Solange diese Dateien so bleiben, versuche ich es nicht noch einmal.",
};
