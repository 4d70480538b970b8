// The anchor of `bench/explore.ts`: BM25 over whole files, identifiers split at their seams and kept whole, path words
// added. `plain` indexes prose files too and takes title and body alike; `strong` takes code files only, and title words
// eight times. Tests, vendored, minified, binary, lock and generated files are left out, and files over 1 MB.
const K1 = 1.2;
const B = 0.75;
const PATH_TIMES = 3;
const TEST =
  /(^|\/)(tests?|__tests__|__test__|spec|specs|testing|testdata|test-data|fixtures?|__fixtures__|__mocks__|mocks?|e2e|playground|tests_config|cypress|__snapshots__|integration-tests?|tests_integration|tests-integration|test-dts|runtime-tests|tests-[^/]*|test-utils?|testutil|f?tests?|benches|benchmarks?|httpmock)(\/|$)|\.(test|spec|tests|test-d|e2e|bench)\.[a-z]+$|_test\.(go|py|rs|ts)$|(^|\/)test_[^/]*\.py$|[^/]Tests?\.java$|\.snap$|(^|\/)test-?utils?\.[a-z]+$/i;
const VENDORED =
  /(^|\/)(node_modules|vendor|third_party|bower_components|dist|build|\.yarn|deno_dist|\.git)(\/|$)|^deno\/lib\/|\.min\.(js|css)$|\.(map|pb\.go)$|(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|go\.sum|poetry\.lock|composer\.lock|bun\.lockb?)$/i;
const BINARY =
  /\.(png|jpe?g|gif|svg|ico|webp|avif|bmp|woff2?|ttf|otf|eot|pdf|zip|gz|tgz|bz2|xz|jar|war|class|wasm|so|dylib|dll|exe|bin|node|mp[34]|mov|webm|ogg|wav|psd|sketch|lock|po|pot|mo|csv|tsv|parquet|ipynb|keystore|pem|crt|key|p12|snap|golden)$/i;
const DOCS =
  /\.(md|mdx|rst|txt|adoc)$|(^|\/)(CHANGELOG|CHANGES|AUTHORS|CONTRIBUTORS|HISTORY|README|RELEASES?|LICENSE)[^/]*$/i;
const STOP = new Set(
  "the a an and or of to in is it this that for on with as be are was were not but if by at from we you my our your can could should would will do does did has have had no so when what which who how why then than there here its im ve re ll don doesn isn http https www com github io".split(
    " ",
  ),
);
const WORD = /[\p{L}\p{N}_$]+/gu;
const SEAM = /[_$]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

export interface Baseline {
  prose: boolean;
  titleTimes: number;
}

export const PLAIN: Baseline = { prose: true, titleTimes: 0 };
export const STRONG: Baseline = { prose: false, titleTimes: 8 };

/** Whether the anchor looks at a file at all. */
export function isCandidate(path: string, size: number): boolean {
  return size > 0 && size <= 1e6 && !TEST.test(path) && !VENDORED.test(path) && !BINARY.test(path);
}

interface Document {
  path: string;
  length: number;
  prose: boolean;
}

interface Postings {
  documents: number[];
  counts: number[];
}

/** All candidate files of one commit; a baseline searches the part that it takes. */
export class Bm25 {
  readonly #documents: Document[] = [];
  readonly #postings = new Map<string, Postings>();

  add(path: string, content: Buffer): void {
    if (content.subarray(0, 8_000).includes(0)) return;
    const text = content.toString("utf8");
    if (text.length / text.split("\n").length > 400) return;
    const counts = new Map<string, number>();
    let length = 0;
    const count = (word: string, times: number) => {
      counts.set(word, (counts.get(word) ?? 0) + times);
      length += times;
    };
    eachToken(text, (word) => count(word, 1));
    eachToken(path, (word) => count(word, PATH_TIMES));
    const document = this.#documents.length;
    this.#documents.push({ path, length, prose: DOCS.test(path) });
    for (const [word, times] of counts) {
      const postings = this.#postings.get(word) ?? { documents: [], counts: [] };
      postings.documents.push(document);
      postings.counts.push(times);
      this.#postings.set(word, postings);
    }
  }

  /** Paths, the best first. */
  rank(title: string, body: string, { prose, titleTimes }: Baseline): string[] {
    const taken = this.#documents.map((document) => prose || !document.prose);
    const lengths = this.#documents.filter((_, at) => taken[at]).map((document) => document.length);
    const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
    const weights = new Map<string, number>();
    eachToken(`${title}\n${body}`, (word) => weights.set(word, Math.min(3, (weights.get(word) ?? 0) + 1)));
    const titleWords = new Set<string>();
    eachToken(title, (word) => titleWords.add(word));
    for (const word of titleWords) weights.set(word, (weights.get(word) ?? 0) + titleTimes);
    const scores = new Float64Array(this.#documents.length);
    for (const [word, weight] of weights) {
      const postings = this.#postings.get(word);
      if (!postings) continue;
      const frequency = postings.documents.filter((document) => taken[document]).length;
      const rarity = Math.log(1 + (lengths.length - frequency + 0.5) / (frequency + 0.5));
      for (const [at, document] of postings.documents.entries()) {
        const times = postings.counts[at] ?? 0;
        const norm = 1 - B + (B * (this.#documents[document]?.length ?? 0)) / average;
        scores[document] = (scores[document] ?? 0) + (rarity * times * (K1 + 1) * weight) / (times + K1 * norm);
      }
    }
    return [...this.#documents.entries()]
      .filter(([at]) => taken[at])
      .toSorted(([a], [b]) => (scores[b] ?? 0) - (scores[a] ?? 0))
      .map(([, document]) => document.path);
  }
}

function eachToken(text: string, each: (word: string) => void): void {
  for (const [word] of text.matchAll(WORD)) {
    if (word.length > 60) continue;
    const parts = word.split(SEAM);
    const long = parts.filter((part) => part.length > 1).map((part) => part.toLowerCase());
    for (const part of long) if (!STOP.has(part)) each(part);
    const whole = word.toLowerCase();
    if (parts.length > 1 && long.length > 0 && !STOP.has(whole)) each(whole);
  }
}
