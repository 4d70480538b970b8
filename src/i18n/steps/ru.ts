import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const ru: Catalogue<typeof en> = {
  read_spec: "Прочитать спецификацию {{path}}",
  read_spec_files: "Прочитать спецификацию {{path}}, затем {{files}}",
  spec_says: "Сделать то, что сказано в спецификации",
  done_when: "{{text}}. Готово, когда: {{done}}.",
  and_then: "Затем: {{text}}",
  run: "Запустить {{command}} и исправить то, что она найдёт",
  run_all: "Запустить проверки одну за другой и исправить то, что они найдут: {{commands}}",
  reread: "Ещё раз прочитать все изменения и убрать то, что не нужно для этой задачи",
  in_place: "В {{place}}: {{text}}",
  line: "строка {{from}}",
  lines: "строки {{from}}–{{to}}",
  names_and: "{{names}} и {{last}}",
  names_more: "{{names}} и ещё {{number}}",
};
