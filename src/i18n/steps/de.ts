import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const de: Catalogue<typeof en> = {
  read_spec: "Die Spezifikation {{path}} lesen",
  read_spec_files: "Die Spezifikation {{path}} lesen, dann {{files}}",
  spec_says: "Was die Spezifikation sagt",
  done_when: "{{text}}. Fertig, wenn: {{done}}.",
  and_then: "Dann: {{text}}",
  run: "{{command}} ausführen und beheben, was dabei auffällt",
  run_all: "Die Prüfungen nacheinander ausführen und beheben, was dabei auffällt: {{commands}}",
  reread: "Alle Änderungen noch einmal lesen und entfernen, was das Issue nicht braucht",
  in_place: "In {{place}}: {{text}}",
  line: "Zeile {{from}}",
  lines: "Zeilen {{from}} bis {{to}}",
  names_and: "{{names}} und {{last}}",
  names_more: "{{names}} und {{number}} weitere",
};
