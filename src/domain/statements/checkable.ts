import { isFeeling } from "../issue-text/stop-words.ts";
import { anyOf } from "../issue-text/phrases.ts";
import { shared, significantWords } from "../text/significant-words.ts";

/** Code, a path, a file, a name as programs have them, a setting with its value. */
const NAMES_CODE =
  /`[^`\n]+`|(?<![\w/.])[\w.-]+\/[\w./-]+|(?<!\w)[\w-]+\.[A-Za-z]{1,5}(?!\w)|[\p{L}\d]_[\p{L}\d]|\p{Ll}\p{Lu}|\w\(\)|::|(?<!\S)--?[a-z][\w-]*|(?<!\p{L})[\w.-]+=\S/u;
/** A version, or a number with what it counts. */
const MEASURES =
  /(?<![\p{L}\d])v?\d+(?:[.,:]\d+)+|(?<![\p{L}\d#])\d+\s?(?:%|[kmgt]?i?b|[mµn]?s|min|h|px|°|€|\$|\p{L}{3,})(?!\p{L})|\d+\s?[\p{Script=Han}\p{Script=Katakana}]/iu;
/** Where it runs. */
const SETUP = anyOf(
  "windows|linux|mac(?: ?os)?|macos|android|ios|ubuntu|debian|fedora|alpine|arch|wsl|docker|podman|kubernetes|k8s|firefox|chrom(?:e|ium)|safari|edge|opera|node|python|java|php|ruby|go|rust|deno|bun|postgres(?:ql)?|mysql|mariadb|sqlite|redis|nginx|apache|proxy|vpn|arm|x86|amd64",
  "代理|服务器|数据库|浏览器|ブラウザ|サーバー|プロキシ",
);
/** Of something else than this software. */
const ELSEWHERE = anyOf(
  "(?:an|in an|my|our) ?other (?:projects?|tools?|programs?|apps?)|another (?:project|tool|program|app)|(?:anderen?|andere[mrs]) (?:projekt\\p{L}*|tools?|programm\\p{L}*)|(?:un )?autres? (?:projets?|outils?)|otr[oa]s? (?:proyectos?|herramientas?)|outr[oa]s? (?:projetos?|ferramentas?)|друг(?:ом|ой|их|ими?) (?:проект\\p{L}*|программ\\p{L}*)",
  "别的项目|其他项目|另一个项目|(?:別|他)のプロジェクト",
);
/** Words of the issue's text that a statement about its case shares; one of its title is enough. */
const FEWEST = 2;

/**
 * Whether somebody can check a statement in the code or a setup: it names something of them, or speaks of what the issue is
 * about. “Same here, very annoying”, “rewrite it all in Cobol” say nothing of this software.
 */
export function isCheckable(text: string, issue: { title: string; body: string }): boolean {
  if (isFeeling(text) || ELSEWHERE.test(text)) return false;
  if ([NAMES_CODE, MEASURES, SETUP].some((one) => one.test(text))) return true;
  const words = significantWords(text);
  return shared(words, significantWords(issue.title)) > 0 || shared(words, significantWords(issue.body)) >= FEWEST;
}
