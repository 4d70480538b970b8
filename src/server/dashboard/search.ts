import { Hono } from "hono";
import { html } from "hono/html";
import { fileAddress } from "../../adapters/trackers/addresses.ts";
import type { Repositories } from "../../app/code/repositories.ts";
import { type Viewer, isOperator } from "../../app/people/viewer.ts";
import { searchTerms } from "../../code/search/query.ts";
import {
  type CodeSearch,
  type FoundFile,
  aroundOf,
  groupOf,
  placesShown,
  searchCode,
} from "../../code/search/search-code.ts";
import { shownPath, shownText } from "../../code/tools/sanitize.ts";
import { readForSearch } from "../../domain/issue-text/issue-reading.ts";
import { type Db } from "../../storage/db.ts";
import { listSearchable } from "../../storage/issue-lists.ts";
import { type StoredRepository, findRepositoriesNamed } from "../../storage/repositories.ts";
import type { PageEnv } from "../login.ts";
import { missing, shown } from "./answer.ts";
import type { Markup } from "./document.ts";

export interface CodeSearchDeps {
  db: () => Db;
  /** The code of repositories; opened on first use. */
  code: () => Promise<Pick<Repositories, "withCode" | "indexOf">>;
}

const LONGEST_QUERY = 1_000;
const FILES = 10;
const REASONS_SHOWN = 3;
const HEADINGS = { code: "Code", tests: "Tests", docs: "Docs and examples", other: "Other files" } as const;

/** `/search`: the places in a repository's code that words or an error message are about (R-EXP-2). */
export function searchRoutes({ db, code }: CodeSearchDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/search", async (c) => {
    const viewer = c.get("viewer");
    const query = (c.req.query("q") ?? "").trim().slice(0, LONGEST_QUERY).toWellFormed();
    const names = await listSearchable(db(), viewer);
    const name = c.req.query("repository") ?? (names.length === 1 ? names[0] : undefined) ?? "";
    const about = { title: "Search code", at: null, query } as const;
    if (query === "" || name === "") return await shown(c, about, searchPage({ query, name, names }, null));
    const repository = await seenNamed(db(), name, viewer);
    if (repository === null) return await missing(c, "Relay knows no repository of this name.");
    const { withCode, indexOf } = await code();
    // Made while the code is open: nothing that its protected files hold is shown (R-SAFE-7).
    const main = await withCode(repository, async (open) => {
      const terms = searchTerms(readForSearch({ title: query, body: "", labels: [] }));
      const found = await searchCode(await indexOf(open), { ...terms, asked: "words" }, FILES);
      return searchPage({ query, name, names }, foundPart(found, repository, open.commit));
    });
    return await shown(c, about, main);
  });
  return routes;
}

async function seenNamed(db: Db, name: string, viewer: Viewer): Promise<StoredRepository | null> {
  const named = await findRepositoriesNamed(db, name.replaceAll("\0", ""));
  return named.find(({ id }) => isOperator(viewer) || viewer.repositories?.includes(id) === true) ?? null;
}

interface Asked {
  query: string;
  name: string;
  /** Those that the viewer may search. */
  names: readonly string[];
}

function searchPage({ query, name, names }: Asked, found: Markup | null): Markup {
  return html`<h1>Search code</h1>
    <form class="write" action="/search">
      <label for="words">Words, names as the code spells them, or an error message</label>
      <input id="words" name="q" type="search" value="${query}" maxlength="${LONGEST_QUERY}" required />
      <label for="repository">Repository</label>
      <select id="repository" name="repository">
        ${names.map((one) => html`<option ${one === name ? html`selected` : ""}>${one}</option>`)}
      </select>
      <p class="buttons"><button>Search</button></p>
    </form>
    ${names.length === 0 ? html`<p class="empty">Relay knows no code that you may see yet.</p>` : (found ?? "")}`;
}

function foundPart({ files, apart }: CodeSearch, repository: StoredRepository, commit: string): Markup {
  const all = [...files, ...apart];
  if (all.length === 0) {
    return html`<p class="empty">Nothing found. Try names as the code spells them, or an error message.</p>`;
  }
  return html`<p class="facts">
      <span>at <code>${commit.slice(0, 10)}</code></span>
    </p>
    ${(["code", "tests", "docs", "other"] as const).map((group) => {
      const own = all.filter(({ role }) => groupOf(role) === group);
      if (own.length === 0) return "";
      return html`<h2>${HEADINGS[group]}</h2>
        ${own.map((file) => filePart(file, repository, commit))}`;
    })}`;
}

function filePart(file: FoundFile, repository: StoredRepository, commit: string): Markup {
  const places = placesShown(file);
  const path = shownPath(file.path);
  const linked = (line: number | undefined, text: string) => {
    const lines = line === undefined ? {} : { lines: { start: line, end: line } };
    const address = fileAddress(repository, commit, { path: file.path, ...lines });
    return address === null ? html`<code>${text}</code>` : html`<a href="${address}"><code>${text}</code></a>`;
  };
  return html`<section class="found" data-item>
    <h3>${linked(places[0]?.line, path)}</h3>
    <p class="hint">
      ${file.reasons
        .slice(0, REASONS_SHOWN)
        .map((reason) => shownText(reason))
        .join("; ")}
    </p>
    ${places.map(({ line, text, ...place }) => {
      const around = aroundOf(place, shownText);
      return html`<p class="hint">${linked(line, `line ${line}`)}${around === null ? "" : `, ${around}`}</p>
        ${text === "" ? "" : html`<pre class="code">${shownText(text)}</pre>`}`;
    })}
  </section>`;
}
