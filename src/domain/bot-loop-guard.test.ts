import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { silence } from "./bot-loop-guard.ts";

type Speaker = "relay" | "ann" | "mia" | "bot" | "machine";

/** A thread, told as who spoke how many milliseconds after what was said before. */
function thread(...turns: [Speaker, number][]) {
  let at = 0;
  return turns.map(([author, after]) => ({
    author,
    role: author === "relay" ? ("self" as const) : ("other" as const),
    isBot: author === "bot" || author === "relay",
    timestamp: new Date((at += after)),
  }));
}

const MINUTE = 60_000;
const heeding = { isBot: true, respondToBots: true };

describe("what another bot says (R-IN-4)", () => {
  const asked = thread(["ann", MINUTE], ["relay", MINUTE], ["bot", MINUTE]);

  test("is answered by nobody unless bots are heeded", () => {
    expect(silence(asked, "bot", { isBot: true, respondToBots: false })).toBe("another bot");
    expect(silence(asked, "bot", heeding)).toBeNull();
  });

  test("is answered once, and again only after a person spoke", () => {
    const answered = [
      ["ann", MINUTE],
      ["relay", MINUTE],
      ["bot", MINUTE],
      ["relay", MINUTE],
      ["bot", MINUTE],
    ] as const;
    const turns = answered.map(([who, after]): [Speaker, number] => [who, after]);
    expect(silence(thread(...turns), "bot", heeding)).toBe("bots answering each other");
    expect(silence(thread(...turns, ["mia", MINUTE], ["bot", MINUTE]), "bot", heeding)).toBeNull();
  });

  test("never keeps Relay from answering people", () => {
    const turns = thread(["bot", 1], ["relay", 1], ["bot", 1], ["relay", 1], ["ann", 1]);
    expect(silence(turns, "ann", { isBot: false, respondToBots: true })).toBeNull();
  });
});

describe("an account that answers like a machine", () => {
  const exchange = (ms: number, who: Speaker = "machine"): [Speaker, number][] => [
    ["relay", MINUTE],
    [who, ms],
  ];
  const said = (ms: number, times: number) => Array.from({ length: times }, () => exchange(ms)).flat();
  const person = { isBot: false, respondToBots: false };

  test("is answered five times, and then no more", () => {
    expect(silence(thread(...said(2_000, 5)), "machine", person)).toBeNull();
    expect(silence(thread(...said(2_000, 6)), "machine", person)).toBe("answers like a machine");
    expect(silence(thread(...said(2_000, 6)), "machine", { ...person, respondToBots: true })).toBe(
      "bots answering each other",
    );
  });

  test.each([
    ["takes its time", [...said(6_000, 9)], "machine"],
    ["took its time once", [...said(2_000, 3), ...exchange(MINUTE), ...said(2_000, 3)], "machine"],
    ["is interrupted by somebody else", [...said(2_000, 4), ...exchange(1_000, "mia"), ...said(2_000, 4)], "machine"],
    ["is not the one who speaks now", [...said(2_000, 9), ["ann", 1_000]], "ann"],
  ] satisfies [string, [Speaker, number][], string][])("is none where it %s", (_, turns, author) => {
    expect(silence(thread(...turns), author, person)).toBeNull();
  });

  test("is none where every account is marked as what it is", () => {
    expect(silence(thread(...said(1, 20)), "machine", { ...person, marked: true })).toBeNull();
  });
});

test("two Relays that heed bots fall silent, whatever was said before and whoever is first", () => {
  const names = ["north", "south"];
  const opening = array(
    record({ author: constantFrom("ann", "mia", "north", "south", "ci"), after: integer({ min: 1, max: 100_000 }) }),
    { minLength: 1, maxLength: 12 },
  );
  const pace = array(integer({ min: 1, max: 700_000 }), { minLength: 1, maxLength: 9 });
  assert(
    property(opening, pace, (before, delays) => {
      let at = 0;
      const said: { author: string; at: number }[] = before.map(({ author, after }) => ({ author, at: (at += after) }));
      const seenBy = (name: string) =>
        said.map(({ author, at: time }) => ({
          author,
          role: author === name ? ("self" as const) : ("other" as const),
          isBot: author === "ci" || names.includes(author),
          timestamp: new Date(time),
        }));
      // Each of them answers whatever it may, as long as anything new is there to be answered.
      const read = new Map(names.map((name) => [name, before.length - 1]));
      let answers = 0;
      for (let quiet = 0, turn = 0; quiet < names.length; turn += 1) {
        const name = names[turn % names.length] ?? "";
        const fresh: { author: string }[] = said.slice(read.get(name)).filter(({ author }) => author !== name);
        read.set(name, said.length);
        const last = fresh.at(-1);
        const mute = last && silence(seenBy(name), last.author, { ...heeding, isBot: names.includes(last.author) });
        quiet = last === undefined || mute !== null ? quiet + 1 : 0;
        if (quiet > 0) continue;
        said.push({ author: name, at: (at += delays[turn % delays.length] ?? 1) });
        answers += 1;
        expect(answers).toBeLessThanOrEqual(4);
      }
    }),
    { numRuns: 2_000 },
  );
});
