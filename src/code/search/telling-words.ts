/** Words that every text contains: on their own they do not distinguish a file or function. */
const EVERYDAY = new Set(
  (
    "such thing things since because always never every each many much maybe really quite rather actually already again " +
    "now today later often another others able first last next new old good bad better best wrong right correct " +
    "correctly proper properly different same support supports supported supporting add adds added adding get gets set " +
    "sets setting make makes made run runs running call calls called calling create creates created creating update " +
    "updates updated remove removes removed change changes changed changing return returns returned check checks fix " +
    "fixes fixed allow allows allowed handle handles handled show shows shown give gives given take takes taken goes " +
    "going come comes try tries tried trying put start starts stop stops find finds found look looks looking see seen " +
    "say says said know need needed wants wanted happen happens cause causes caused seem provide provides provided " +
    "implement implements implemented keep keeps let lets lead leads think believe help helps point points without " +
    "within between through where whether both own few lot easy simple simply nice great fine"
  ).split(" "),
);
/** Folders named after the kind of their files, not after a topic. */
const COMMON_FOLDERS = new Set(
  "packages package src source lib libs core common shared main index utils util helpers modules module app apps internal pkg cmd test tests spec docs dist build".split(
    " ",
  ),
);

export function isEveryday(word: string): boolean {
  return EVERYDAY.has(word);
}

/** Whether a folder is named after a topic, and not after the kind of its files. */
export function namesTopic(folder: string): boolean {
  return !COMMON_FOLDERS.has(folder);
}

/** Whether a word in a path is distinctive. `holders` of `all` paths contain it. */
export function tellsOnPath(word: string, holders: number, all: number): boolean {
  return !EVERYDAY.has(word) && !COMMON_FOLDERS.has(word) && holders <= Math.max(FEW, all * PART);
}

/** Whether so many of all files have a word that it leads to none of them. */
export function isCommonWord(holders: number, all: number): boolean {
  return holders > Math.max(COMMON, all * COMMON_PART);
}

const COMMON = 4;
const COMMON_PART = 0.2;
const FEW = 8;
const PART = 0.05;

/**
 * The first few words, in their order. Leaves out everyday words, unless there are no others, and words that are parts
 * of others.
 */
export function tellingWords(words: readonly string[], most: number): string[] {
  const telling = words.filter((word) => !isEveryday(word));
  const from = telling.length > 0 ? telling : words;
  const shown: string[] = [];
  for (const word of from) {
    if (shown.some((other) => other.includes(word))) continue;
    const parts = shown.findIndex((other) => word.includes(other));
    // The longer word takes the place of its first part.
    if (parts !== -1) {
      shown[parts] = word;
      for (let at = shown.length - 1; at > parts; at -= 1) if (word.includes(shown[at] ?? "")) shown.splice(at, 1);
    } else if (shown.length < most) shown.push(word);
  }
  return shown;
}
