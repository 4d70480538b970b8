import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const fr: Catalogue<typeof en> = {
  read_spec: "Lire la spécification {{path}}",
  read_spec_files: "Lire la spécification {{path}}, puis {{files}}",
  spec_says: "Ce que dit la spécification",
  done_when: "{{text}}. C’est fait quand : {{done}}.",
  and_then: "Ensuite : {{text}}",
  run: "Lancer {{command}} et corriger ce que cela révèle",
  run_all: "Lancer les vérifications l’une après l’autre et corriger ce qu’elles révèlent : {{commands}}",
  reread: "Relire toutes les modifications et retirer ce dont le ticket n’a pas besoin",
  in_place: "Dans {{place}} : {{text}}",
  line: "ligne {{from}}",
  lines: "lignes {{from}} à {{to}}",
  names_and: "{{names}} et {{last}}",
  names_more: "{{names}} et {{number}} de plus",
};
