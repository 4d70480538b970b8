type Piece = { kind: "text"; text: string } | { kind: "one"; test: (character: string) => boolean } | { kind: "any" };

/** Whether a name fits `*`, `?` and `[…]`, in steps in proportion to both lengths multiplied. */
export function nameTest(name: string): (name: string) => boolean {
  const pieces = piecesOf(name);
  if (pieces.every((piece) => piece.kind === "text")) return (part) => part === name;
  // Most names differ at their plain beginning or end already.
  const beginning = /^[^*?[]*/.exec(name)?.[0] ?? "";
  const end = name.includes("[") ? "" : (/[^*?]*$/.exec(name)?.[0] ?? "");
  return (part) => part.startsWith(beginning) && part.endsWith(end) && matchesName(pieces, part);
}

/** Going back to the last star only is enough within one name. */
function matchesName(pieces: readonly Piece[], name: string): boolean {
  const characters = Array.from(name);
  let at = 0;
  let piece = 0;
  let star = -1;
  let starAt = 0;
  while (at < characters.length) {
    const wanted = pieces[piece];
    const character = characters[at] ?? "";
    if (wanted?.kind === "any") {
      star = piece;
      starAt = at;
      piece += 1;
    } else if (wanted && (wanted.kind === "text" ? wanted.text === character : wanted.test(character))) {
      piece += 1;
      at += 1;
    } else if (star !== -1) {
      piece = star + 1;
      starAt += 1;
      at = starAt;
    } else return false;
  }
  while (pieces[piece]?.kind === "any") piece += 1;
  return piece === pieces.length;
}

function piecesOf(name: string): Piece[] {
  const pieces: Piece[] = [];
  const characters = Array.from(name);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const close = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "*") {
      if (pieces.at(-1)?.kind !== "any") pieces.push({ kind: "any" });
    } else if (character === "?") {
      pieces.push({ kind: "one", test: () => true });
    } else if (close !== -1) {
      pieces.push({ kind: "one", test: oneOf(characters.slice(at + 1, close)) });
      at = close;
    } else {
      pieces.push({ kind: "text", text: character });
    }
  }
  return pieces;
}

function oneOf(members: readonly string[]): (character: string) => boolean {
  const negated = members[0] === "!" || members[0] === "^";
  const listed = negated ? members.slice(1) : members;
  const inside = (character: string) =>
    listed.some((member, index) => {
      const last = listed[index + 2];
      if (listed[index + 1] === "-" && last !== undefined) return character >= member && character <= last;
      return member === character;
    });
  return (character) => inside(character) !== negated;
}
