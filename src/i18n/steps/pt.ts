import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const pt: Catalogue<typeof en> = {
  read_spec: "Ler a especificação {{path}}",
  read_spec_files: "Ler a especificação {{path}} e depois {{files}}",
  spec_says: "O que a especificação diz",
  done_when: "{{text}}. Está pronto quando: {{done}}.",
  and_then: "Depois: {{text}}",
  run: "Executar {{command}} e corrigir o que encontrar",
  run_all: "Executar as verificações uma após a outra e corrigir o que encontrarem: {{commands}}",
  reread: "Ler de novo todas as mudanças e tirar o que a issue não precisa",
  in_place: "Em {{place}}: {{text}}",
  line: "linha {{from}}",
  lines: "linhas {{from}} a {{to}}",
  names_and: "{{names}} e {{last}}",
  names_more: "{{names}} e mais {{number}}",
};
