/**
 * The names of `a.{b, c => d}`, which are `a.b` and `a.c`, or of a plain list; what a thing is called here (`as`, `=>`)
 * falls away.
 */
export function braced(written: string, separator: string): string[] {
  const open = written.indexOf("{");
  if (open === -1) return written.split(",").map(asDefined);
  const before = written.slice(0, open).trim();
  const stem = before.endsWith(separator) ? before : before + separator;
  const close = written.indexOf("}", open);
  return written
    .slice(open + 1, close === -1 ? written.length : close)
    .split(",")
    .map(asDefined)
    .filter((name) => name !== "")
    .map((name) => stem + name);
}

function asDefined(name: string): string {
  return (name.split(/\sas\s|=>/, 1)[0] ?? "").trim();
}
