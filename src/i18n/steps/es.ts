import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const es: Catalogue<typeof en> = {
  read_spec: "Leer la especificación {{path}}",
  read_spec_files: "Leer la especificación {{path}} y después {{files}}",
  spec_says: "Lo que dice la especificación",
  done_when: "{{text}}. Está hecho cuando: {{done}}.",
  and_then: "Después: {{text}}",
  run: "Ejecutar {{command}} y corregir lo que encuentre",
  run_all: "Ejecutar las comprobaciones una tras otra y corregir lo que encuentren: {{commands}}",
  reread: "Volver a leer todos los cambios y quitar lo que la incidencia no necesita",
  in_place: "En {{place}}: {{text}}",
  line: "línea {{from}}",
  lines: "líneas {{from}} a {{to}}",
  names_and: "{{names}} y {{last}}",
  names_more: "{{names}} y {{number}} más",
};
