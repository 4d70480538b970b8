import type { FixPlan } from "../../domain/plan.ts";

/** How a step begins that has something looked at, in the eight languages of plans. */
const CHECKS =
  /^(?:(?:(?:double[- ])?check|verify|review|inspect|confirm|look (?:at|over|through)|see (?:whether|if)|sieh|checar|cheque|checa|revis(?:a|ar|emos))\b|(?:über)?prüfe|kontrollier|vergewisser|comprueb|comprobar|verifi[cq]|vérifi|contrôl|regarde|confir[ae]|провер|убеди|удостовер|посмотр|检查|核对|核实|确认|查看)|(?:を|も|か)?(?:確認|点検|チェック)(?:する|します|してください)?[。.]?$/iu;

/**
 * Whether the plan only has a file looked at: what it says of the change, and each step about the file, begin with such a
 * word. It may need no change, and then nothing is left to do there.
 */
export function isOnlyChecked(path: string, { file_changes: files, plan_steps: steps }: FixPlan): boolean {
  const planned = files.find((file) => file.path === path);
  if (planned?.operation !== "MODIFY") return false;
  const about = steps.filter(({ files_involved: involved }) => involved.includes(path));
  const said = about.length > 0 ? about.map(({ description }) => description) : [planned.change_summary];
  return said.every((text) => CHECKS.test(text.trim().replace(/^[`*_"“]+/, "")));
}
