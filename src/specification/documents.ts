import { classify } from "../code/classify.ts";
import type { Repository } from "../code/git/repository.ts";
import type { ConversationMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { proseSentences } from "../domain/issue-text/prose-sentences.ts";
import { blocksOf } from "../domain/issue-text/markdown.ts";
import { isQuestion } from "../domain/issue-text/sentences.ts";
import { isForbidden, isNamed } from "../domain/statements/file-names.ts";
import { placesMeant } from "../domain/statements/places-meant.ts";
import { readSentence } from "../domain/statements/sentence.ts";
import { WRITTEN_LANGUAGES } from "../i18n/phrases.ts";
import { stripHiddenText } from "../domain/text/hidden-text.ts";

/** A document that people who decide want to be written or changed. */
export interface WantedDocument {
  path: string;
  /** The repository does not have it yet. */
  isNew: boolean;
}

const READ = 8_000;
/** The documents that go by names in capitals: `SECURITY.md`, and “the README”, if there is one. */
const IN_CAPITALS = /(?<![\w@./\\-])([A-Z][A-Z_-]{3,40})(\.(?:md|rst|txt|adoc))?(?![\w/-])/g;

/**
 * The documents that those who decide name where they say what is to be done, or where others asked for them, as the
 * repository spells them. A name in capitals that it does not have is a new file.
 */
export async function wantedDocuments(
  { body }: Pick<Issue, "body">,
  messages: readonly ConversationMessage[],
  decides: (message: ConversationMessage) => boolean,
  code: Pick<Repository, "files">,
): Promise<WantedDocument[]> {
  const people = messages.filter(({ isBot, role }) => !isBot && role !== "self");
  const named = people.flatMap((message, at) =>
    decides(message)
      ? namedIn(message.content, [body, ...people.slice(0, at).map(({ content }) => content)].flatMap(askedFor))
      : [],
  );
  if (named.length === 0) return [];
  const tree = (await code.files()).map(({ path }) => path).filter((path) => classify(path).role === "docs");
  const found = [...new Set(named)].flatMap((name): WantedDocument[] => {
    const paths = tree.filter((path) => isNamed(path, [name]) || isForbidden(path, [name]) || stemOf(path) === name);
    const [nearest] = paths.toSorted((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
    if (nearest !== undefined) return [{ path: nearest, isNew: false }];
    return isInCapitals(name) && name.includes(".") ? [{ path: name, isNew: true }] : [];
  });
  return found.filter(({ path }, at) => found.findIndex((one) => one.path === path) === at);
}

/** What a message names in sentences that say what is to be done, and in answers to those who asked for it. */
function namedIn(content: string, asked: readonly string[]): string[] {
  const { spared, forbidden } = placesMeant(content);
  const stays = new Set([...spared, ...forbidden]);
  return sentencesOf(content).flatMap((sentence) => {
    if (isQuestion(sentence)) return [];
    const isSaid = readSentence(sentence, WRITTEN_LANGUAGES).kind !== null;
    return documentsIn(sentence).filter((name) => !stays.has(name) && (isSaid || asked.includes(name)));
  });
}

function askedFor(content: string): string[] {
  return sentencesOf(content).flatMap((sentence) => (isQuestion(sentence) ? documentsIn(sentence) : []));
}

function sentencesOf(content: string): string[] {
  const { text } = stripHiddenText(content, { most: READ });
  return proseSentences(blocksOf(text).filter((block) => block.kind !== "paragraph" || !block.quoted)).map(
    (one) => one.text,
  );
}

function documentsIn(sentence: string): string[] {
  const capitals = [...sentence.matchAll(IN_CAPITALS)].map(([name]) => name);
  return [...capitals, ...placesMeant(sentence).paths.filter((name) => classify(name).role === "docs")];
}

function isInCapitals(name: string): boolean {
  return name.replaceAll(IN_CAPITALS, "") === "";
}

/** The name of a file in the root or a folder, without its ending. */
function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}
