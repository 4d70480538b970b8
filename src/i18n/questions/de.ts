import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const de: Catalogue<typeof en> = {
  greeting:
    "@{{login}}, ich habe die Diskussion gelesen und den Code angesehen. Bevor eine Spezifikation entstehen kann:",
  closing:
    "Antworte nach Nummern, in eigenen Worten. Es geschieht nichts, bis du antwortest oder jemand sagt, dass ich mit den Annahmen weitermachen soll.",
  severity_blocking: "blockierend",
  severity_high: "wichtig",
  severity_medium: "gut zu wissen",
  severity_low: "nebensächlich",
  why: "Warum das zählt: {{text}}",
  default: "Wenn niemand widerspricht, nehme ich an: {{text}}",
  q_reproduction:
    "Wie lässt sich das reproduzieren? Die kleinste Eingabe oder die Schritte, die es zeigen, und die Version.",
  w_reproduction:
    "die Meldung enthält keine Schritte, keine Eingabe und keinen Stacktrace, die zu einer Stelle im Code führen.",
  d_reproduction: "es passiert auf dem Weg, auf den die Codesuche zeigt, mit Standardeinstellungen.",
  q_expected: "Was soll stattdessen passieren?",
  w_expected: "die Meldung sagt, was schiefgeht, aber nicht, was richtig wäre.",
  d_expected: "der Vorgang gelingt ohne den gemeldeten Fehler, alles andere bleibt, wie es ist.",
  q_actual: "Was genau passiert jetzt: die falsche Ausgabe oder die vollständige Fehlermeldung?",
  w_actual: "die Meldung nennt weder Ausgabe noch Fehler, nach denen man suchen könnte.",
  d_actual: "das Symptom ist genau das, was der Titel sagt.",
  q_acceptance: "Woran erkennst du, dass es fertig ist? Ein oder zwei Prüfungen, die bestehen müssen.",
  w_acceptance: "ohne sie lässt sich der Wunsch verschieden lesen und abschließen.",
  d_acceptance: "fertig ist es, wenn der Fall aus dem Titel funktioniert und die vorhandenen Tests bestehen.",
  q_scope: "Was gehört dazu, und was soll unberührt bleiben?",
  w_scope: "der Wunsch berührt mehrere Stellen: {{text}}.",
  d_scope: "nur das, was der Titel verlangt; alles andere bleibt, wie es ist.",
  d_scope_here: "nur {{text}} wird geändert; alles andere bleibt, wie es ist.",
  q_compatibility: "Müssen vorhandene Aufrufer, Daten oder Einstellungen unverändert weiter funktionieren?",
  w_compatibility: "{{text}} wird aus anderen Dateien benutzt.",
  d_compatibility: "ja: das bisherige Verhalten bleibt kompatibel.",
  gate: "Alles, was das Ergebnis ändern könnte, ist geklärt. Soll ich die Spezifikation schreiben? Antworte „leg los“, dann tue ich es; bis dahin warte ich.",
  gate_found:
    "Alles, was das Ergebnis ändern könnte, ist geklärt; die Stelle im Code ist {{text}}. Soll ich die Spezifikation schreiben? Antworte „leg los“, dann tue ich es; bis dahin warte ich.",
  gate_revision:
    "Ich habe deinen Kommentar gelesen. Soll ich die Spezifikation entsprechend ändern? Antworte „leg los“, dann tue ich es; bis dahin bleibt sie, wie sie ist.",
  assumptions: "Ich mache weiter. Diese Fragen blieben offen, deshalb nehme ich an:",
  assumption: "Frage {{number}}: {{question}} Ich nehme an: {{text}}",
  found_frame: "{{place}} steht im Stacktrace der Meldung.",
  found_named: "{{place}} wird in der Meldung als `{{text}}` genannt.",
  found_module: "{{place}} gehört zum Modul `{{text}}`, das die Meldung nennt.",
  found_message: "{{place}} enthält die Meldung „{{text}}“ aus dem Bericht.",
  found_defines: "{{place}} definiert `{{text}}`, das die Meldung nennt.",
  found_words: "In {{place}} spricht der Code von dem, was die Meldung beschreibt ({{text}}).",
  found_history: "{{place}} wurde zuletzt in Commits zum selben Thema geändert.",
  found_near: "{{place}} arbeitet mit {{text}} zusammen.",
  found_test: "Die Tests zu {{text}} sind in {{place}}.",
};
