import type { TreeCursor } from "web-tree-sitter";
import type { GrammarName } from "../languages/language.ts";
import { deadline, isGrammarCrash, isParsable, loadedGrammar, parsed } from "./parser.ts";

/** A node of a concrete syntax tree, tokens included, as plain data. */
export interface SyntaxNode {
  type: string;
  /** The field of its parent that it fills, as the grammar names it; null for most tokens. */
  field: string | null;
  /** False for tokens such as `(` and `!=`. */
  named: boolean;
  text: string;
  /** The line where it starts, from 1. */
  line: number;
  children: readonly SyntaxNode[];
}

/** Milliseconds. */
const LONGEST_READING = 3_000;
const MOST_NODES = 500_000;
/** Nodes at this depth have no children here. */
const DEEPEST = 300;

/**
 * The syntax tree of a text, even one with errors; null if the text is too long, takes too long, or breaks the grammar.
 */
export async function syntaxTree(grammar: GrammarName, text: string): Promise<SyntaxNode | null> {
  if (!isParsable(text)) return null;
  const { parser } = await loadedGrammar(grammar);
  const late = deadline(LONGEST_READING);
  try {
    const tree = parsed(parser, text, late);
    if (!tree) return null;
    const cursor = tree.walk();
    try {
      const room = { left: MOST_NODES, late };
      const root = plain(cursor, text, 0, room);
      return room.left > 0 ? root : null;
    } finally {
      cursor.delete();
      tree.delete();
    }
  } catch (error) {
    if (isGrammarCrash(error)) return null;
    throw error;
  }
}

function plain(
  cursor: TreeCursor,
  text: string,
  depth: number,
  room: { left: number; late: () => boolean },
): SyntaxNode {
  const children: SyntaxNode[] = [];
  const node: SyntaxNode = {
    type: cursor.nodeType,
    field: cursor.currentFieldName,
    named: cursor.nodeIsNamed,
    text: text.slice(cursor.startIndex, cursor.endIndex),
    line: cursor.startPosition.row + 1,
    children,
  };
  room.left -= 1;
  if (room.left % 1_000 === 0 && room.late()) room.left = 0;
  if (room.left > 0 && depth < DEEPEST && cursor.gotoFirstChild()) {
    do children.push(plain(cursor, text, depth + 1, room));
    while (room.left > 0 && cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return node;
}
