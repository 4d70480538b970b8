const FEWEST = 32;
const MOST = 40;
const LONGEST = 32 * 1024;
const RUN = /[A-Za-z0-9+/_-]{32,}={0,2}/g;
/** A line of a blob that is broken into lines. */
const LINE = /^\s*[A-Za-z0-9+/]{40,}={0,2}\s*$/;

/** What the base64 blobs of a text say, as far as they are text. Linear. */
export function blobsIn(text: string): string[] {
  if (text.length < FEWEST) return [];
  const lines = text.split("\n");
  const joined = lines.map((line, at) => {
    const goesOn = LINE.test(line) && /^\s*[A-Za-z0-9+/]+={0,2}\s*$/.test(lines[at + 1] ?? "");
    return goesOn ? line.trim() : `${line}\n`;
  });
  const said: string[] = [];
  for (const [run] of joined.join("").matchAll(RUN)) {
    const own = decoded(run.slice(0, LONGEST));
    if (own !== null) said.push(own);
    if (said.length >= MOST) break;
  }
  return said;
}

/** Null for what is no text: most bytes at random are none. */
function decoded(run: string): string | null {
  const text = Buffer.from(run, "base64").toString("utf8");
  // eslint-disable-next-line no-control-regex
  return /[\uFFFD\u0000-\u0008\u000e-\u001f]/.test(text.slice(0, -1)) ? null : text;
}
