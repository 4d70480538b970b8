import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const zh: Catalogue<typeof en> = {
  read_spec: "阅读规格说明 {{path}}",
  read_spec_files: "阅读规格说明 {{path}}，然后阅读 {{files}}",
  spec_says: "按规格说明所述进行",
  done_when: "{{text}}。完成标准：{{done}}。",
  and_then: "然后：{{text}}",
  run: "运行 {{command}}，并修复它发现的问题",
  run_all: "逐一运行检查，并修复发现的问题：{{commands}}",
  reread: "再通读一遍全部改动，去掉此问题不需要的内容",
  in_place: "在 {{place}} 中：{{text}}",
  line: "第 {{from}} 行",
  lines: "第 {{from}} 至 {{to}} 行",
  names_and: "{{names}} 和 {{last}}",
  names_more: "{{names}} 以及另外 {{number}} 个",
};
