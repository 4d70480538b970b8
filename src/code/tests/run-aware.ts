/** What tells code that tests run, or stands for the output of a runner; data for `runAwareLines`. */
const SIGNS: readonly RegExp[] = [
  // What runners set, and what only a test binary has.
  /\bPYTEST_CURRENT_TEST\b|["'`]pytest["'`] +in +sys\.modules|\bNODE_TEST_CONTEXT\b|\bJEST_WORKER_ID\b|\bVITEST(?:_WORKER_ID|_POOL_ID)?\b/,
  /["'`]unittest["'`] +in +sys\.modules|\bdefined\?\(?\s*(?:::)?(?:Minitest|RSpec|Test::Unit)\b|\bPHPUNIT_COMPOSER_INSTALL\b/,
  /\btesting\.Testing\(\)|flag\.Lookup\("test\.|os\.Args\[0\][^\n]*\.test\b|\.test"\s*\)|\bcfg!\(test\)/,
  // Lines by which runners tell what passed.
  /=== RUN\b|--- (?:PASS|FAIL|SKIP):|\btest result: ok\b|<testsuites?\b|\b\d+ passed in \d|\bRan \d+ tests? in\b|\b\d+ (?:runs|tests), \d+ assertions\b|##teamcity\[test/,
  // Ends the process, whatever the runner had to say.
  /\bos\._exit\(|\bprocess\.reallyExit\(|\bsyscall\.Exit\(|\bexit!/,
];
const EXIT_OF_GO = /\b(?:os\.Exit|log\.Fatal\w*|runtime\.Goexit)\(/;

/**
 * New lines of code outside of tests that look whether tests run, print what runners print, or end the process past its runner
 * (R-WORK-12): code that answers for itself. Empty where the file did so before.
 */
export function runAwareLines({ before, after }: { before: string | null; after: string | null }): string[] {
  const had = new Set((before ?? "").split("\n"));
  if ([...had].some(isSign)) return [];
  const inits = initsOfGo(after ?? "");
  return (after ?? "")
    .split("\n")
    .filter((line, at) => !had.has(line) && (isSign(line) || (inits.has(at) && EXIT_OF_GO.test(line))))
    .map((line) => line.trim());
}

function isSign(line: string): boolean {
  return SIGNS.some((sign) => sign.test(line));
}

/** The lines, from 0, of functions that Go calls before anything else: a test binary, too. */
function initsOfGo(text: string): Set<number> {
  const lines = new Set<number>();
  let isInside = false;
  for (const [at, line] of text.split("\n").entries()) {
    if (line.startsWith("func init()")) isInside = true;
    if (isInside) lines.add(at);
    if (line.startsWith("}") || /^func init\(\).*\}\s*$/.test(line)) isInside = false;
  }
  return lines;
}
