import { readFileSync } from "node:fs";

/*
 * Loaded into a program before it starts (`--import`), this moves its clock by as many milliseconds as the file says
 * that RELAY_TEST_CLOCK names, whenever that changes.
 */
const Real = Date;
let moved = 0;

function look(): void {
  try {
    moved = Number(readFileSync(process.env["RELAY_TEST_CLOCK"] ?? "", "utf8")) || 0;
  } catch {
    // Not moved yet.
  }
}

const now = () => Real.now() + moved;
look();
setInterval(look, 100).unref();
globalThis.Date = new Proxy(Real, {
  construct: (target, given: unknown[]) => {
    const made: unknown = Reflect.construct(target, given.length === 0 ? [now()] : given);
    if (made instanceof Real) return made;
    throw new TypeError("no date was made");
  },
  get: (target, name): unknown => (name === "now" ? now : Reflect.get(target, name)),
});
