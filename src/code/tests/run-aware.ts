/** Signs that code detects running tests, or imitates the output of a runner; data for `runAwareLines`. */
const SIGNS: readonly RegExp[] = [
  // Variables that runners set, and what only test binaries have.
  /\bPYTEST_CURRENT_TEST\b|["'`]pytest["'`] +in +sys\.modules|\bNODE_TEST_CONTEXT\b|\bJEST_WORKER_ID\b|\bVITEST(?:_WORKER_ID|_POOL_ID)?\b/,
  /["'`]unittest["'`] +in +sys\.modules|\bdefined\?\(?\s*(?:::)?(?:Minitest|RSpec|Test::Unit)\b|\bPHPUNIT_COMPOSER_INSTALL\b/,
  /\btesting\.Testing\(\)|flag\.Lookup\("test\.|os\.Args\[0\][^\n]*\.test\b|\.test"\s*\)|\bcfg!\(test\)/,
  // Lines in which runners report passing tests.
  /=== RUN\b|--- (?:PASS|FAIL|SKIP):|\btest result: ok\b|<testsuites?\b|\b\d+ passed in \d|\bRan \d+ tests? in\b|\b\d+ (?:runs|tests), \d+ assertions\b|##teamcity\[test/,
  // Ends the process before the runner can report.
  /\bos\._exit\(|\bprocess\.reallyExit\(|\bsyscall\.Exit\(|\bexit!/,
];
const EXIT_OF_GO = /\b(?:os\.Exit|log\.Fatal\w*|runtime\.Goexit)\(/;

/**
 * New lines of code outside tests that detect running tests, print what runners print, or end the process before its
 * runner can report (R-WORK-12): such code can forge its own results. Empty if the old file already had such a line.
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

/** The lines, from 0, of Go's `init` functions, which also run first in a test binary. */
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
