/** Splits a command into words as a shell would, without expansions; null if a quote is not closed. */
export function shellWords(command: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < command.length; at += 1) {
    const char = command[at] ?? "";
    if (char === "'" || char === '"') {
      const end = command.indexOf(char, at + 1);
      if (end === -1) return null;
      word = (word ?? "") + command.slice(at + 1, end);
      at = end;
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (char === "\\" && at + 1 < command.length) {
      at += 1;
      word = (word ?? "") + (command[at] ?? "");
    } else {
      word = (word ?? "") + char;
    }
  }
  return word === null ? words : [...words, word];
}

/** The words as a shell command that passes them on unchanged. */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
