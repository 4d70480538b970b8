import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const ja: Catalogue<typeof en> = {
  read_spec: "仕様書 {{path}} を読む",
  read_spec_files: "仕様書 {{path}} を読み、続けて {{files}} を読む",
  spec_says: "仕様書の内容を行う",
  done_when: "{{text}}。完了条件: {{done}}。",
  and_then: "次に: {{text}}",
  run: "{{command}} を実行し、見つかった問題を直す",
  run_all: "チェックを順に実行し、見つかった問題を直す: {{commands}}",
  reread: "変更全体をもう一度読み、この課題に不要なものを取り除く",
  in_place: "{{place}} で: {{text}}",
  line: "{{from}} 行目",
  lines: "{{from}}～{{to}} 行目",
  names_and: "{{names}} と {{last}}",
  names_more: "{{names}} ほか {{number}} 件",
};
