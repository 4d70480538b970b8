/** One scenario of a spec. */
export interface Scenario {
  name: string;
  /** Its steps, as written. */
  steps: string;
}

/** Scenarios that are read. */
const MOST = 200;
const READ = 250_000;
const LONGEST_STEPS = 4_000;

/** The `#### Scenario:` blocks of a spec, in order; code blocks are skipped. */
export function scenariosOf(spec: string): Scenario[] {
  const found: Scenario[] = [];
  let open: Scenario | null = null;
  for (const line of proseLines(spec)) {
    const name = /^#{4}[ \t]+Scenario:[ \t]*(\S.{0,499})/i.exec(line)?.[1];
    if (name !== undefined) {
      if (found.length === MOST) break;
      open = { name: name.trim(), steps: "" };
      found.push(open);
    } else if (/^#{1,4}[ \t]/.test(line)) open = null;
    else if (open && open.steps.length < LONGEST_STEPS) open.steps += `${line.slice(0, 1_000)}\n`;
  }
  return found;
}

/** The points of a spec's TL;DR, without their bullets. */
export function tldrOf(spec: string): string[] {
  const points: string[] = [];
  let within = false;
  for (const line of proseLines(spec)) {
    if (/^#{1,6}[ \t]/.test(line)) {
      if (within) break;
      within = /^##[ \t]+TL;?DR\b/i.test(line);
    } else if (within && line.trim() !== "") {
      const point = /^[ \t]{0,3}[-*+][ \t]+(.*)/.exec(line)?.[1];
      if (point !== undefined || points.length === 0) points.push(point ?? line.trim());
      else points.push(`${points.pop() ?? ""} ${line.trim()}`);
    }
    if (points.length > MOST) break;
  }
  return points;
}

function proseLines(text: string): string[] {
  let fence = "";
  return text
    .slice(0, READ)
    .split(/\r?\n/)
    .filter((line) => {
      const mark = /^[ \t]*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
      if (fence === "") {
        fence = mark;
        return mark === "";
      }
      if (mark !== "" && mark.startsWith(fence)) fence = "";
      return false;
    });
}
