// Keys, times, and what changed: pages work without it.
const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];
const main = document.querySelector("#main");

function span(ms) {
  for (const [one, name] of UNITS) if (ms >= one) return `${Math.floor(ms / one)} ${name}`;
  return `${Math.max(0, Math.floor(ms / 1000))} s`;
}

/** `3:12`, or `1:03:12`. */
function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, at) => (at === 0 ? part : String(part).padStart(2, "0"))).join(":");
}

function tellTimes() {
  const now = Date.now();
  for (const time of document.querySelectorAll("time[data-ago], time[data-for]")) {
    const ms = now - Date.parse(time.dateTime);
    if (ms < 0) continue;
    const text = "for" in time.dataset ? span(ms) : ms < 60_000 ? "just now" : `${span(ms)} ago`;
    if (time.textContent !== text) time.textContent = text;
  }
}

/** The newest version of this page takes the place of the old one; what was opened or scrolled stays so. */
async function refresh() {
  const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  if (answer === null || !answer.ok || answer.redirected) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#main");
  if (next === null || (main.contains(getSelection()?.anchorNode ?? null) && !getSelection()?.isCollapsed)) return;
  if (main.querySelector("form :focus") !== null) return;
  for (const [at, one] of [...main.querySelectorAll("details")].entries()) {
    const same = next.querySelectorAll("details")[at];
    if (same !== undefined && one.open) same.open = true;
  }
  const source = main.querySelector(".beside")?.dataset.source;
  const log = main.querySelector("[data-log]");
  const at = items().indexOf(main.querySelector("[data-item].at"));
  const focused = main.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  main.replaceChildren(...next.childNodes);
  const nextLog = main.querySelector("[data-log]");
  if (log !== null && nextLog !== null && log.dataset.log === nextLog.dataset.log) {
    // The last lines of a run may come with its end.
    if (nextLog.dataset.live === undefined) void follow();
    const top = log.scrollTop;
    nextLog.replaceWith(log);
    log.toggleAttribute("data-live", nextLog.dataset.live !== undefined);
    log.scrollTop = top;
  }
  if (at >= 0) items()[at]?.classList.add("at");
  if (focused !== null) main.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  if (source !== undefined) showSource(source);
  tellTimes();
}

/** A source beside the text that cites it; the link alone leads to it at the end of the text. */
function showSource(id) {
  closeSource();
  const source = document.getElementById(id);
  const columns = source?.closest(".columns");
  if (!columns) return null;
  const beside = document.createElement("aside");
  beside.className = "beside";
  beside.dataset.source = id;
  beside.tabIndex = -1;
  beside.setAttribute("aria-label", "Source");
  const close = document.createElement("button");
  close.className = "quiet close";
  close.textContent = "Close";
  close.addEventListener("click", closeSource);
  beside.append(close, ...[...source.childNodes].map((node) => node.cloneNode(true)));
  columns.append(beside);
  columns.classList.add("reading");
  for (const link of main.querySelectorAll(`[data-sources] a[href="#${CSS.escape(id)}"]`)) link.classList.add("open");
  return beside;
}

let cited = null;
function closeSource() {
  const beside = main.querySelector(".beside");
  if (beside === null) return;
  beside.closest(".columns").classList.remove("reading");
  const hadFocus = beside.contains(document.activeElement);
  beside.remove();
  for (const link of main.querySelectorAll("[data-sources] a.open")) link.classList.remove("open");
  if (hadFocus) cited?.focus({ preventScroll: true });
}
main?.addEventListener("click", (event) => {
  const link = event.target.closest('[data-sources] a[href^="#source-"]');
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const beside = showSource(link.hash.slice(1));
  if (beside === null) return;
  event.preventDefault();
  cited = link;
  beside.focus({ preventScroll: true });
  link.scrollIntoView({ block: "nearest" });
});

// The log of a run: lines come in batches, a frame each, and what is read stays where it is.
const LINES_A_FRAME = 400;
let following = false;
let waiting = [];

function logBox() {
  return main?.querySelector("[data-log]") ?? null;
}

function lineOf({ seq, kind, text }, name = "div") {
  const line = document.createElement(name);
  line.className = kind;
  line.id = `line-${seq}`;
  line.textContent = text;
  return line;
}

function isAtEnd(box) {
  return box.scrollHeight - box.scrollTop - box.clientHeight < 40;
}

/** Twice: what comes into view gets its true height only then. */
function toEnd(box) {
  box.scrollTop = box.scrollHeight;
  requestAnimationFrame(() => {
    box.scrollTop = box.scrollHeight;
  });
}

/** Asks for the lines that came since. */
async function follow() {
  const box = logBox();
  if (following || document.hidden || box === null) return;
  following = true;
  const answer = await fetch(`${box.dataset.log}&after=${box.dataset.after}`).catch(() => null);
  if (answer !== null && answer.ok) {
    const { lines } = await answer.json();
    if (lines.length > 0) {
      box.dataset.after = String(lines.at(-1).seq);
      if (waiting.length === 0) requestAnimationFrame(appendSome);
      waiting.push(...lines);
    }
  }
  following = false;
}

function appendSome() {
  const box = logBox();
  if (box === null) waiting = [];
  if (waiting.length === 0) return;
  const atEnd = isAtEnd(box);
  const batch = waiting.splice(0, LINES_A_FRAME);
  for (const line of batch) {
    if (line.kind === "step") box.append(newStep(line));
    else linesAtEnd(box).append(lineOf(line));
  }
  if (atEnd) toEnd(box);
  else tellNew(box, batch.length);
  if (waiting.length > 0) requestAnimationFrame(appendSome);
}

/** A step that is over folds, unless somebody reads in it. */
function newStep(line) {
  const step = document.createElement("details");
  step.open = true;
  step.append(lineOf(line, "summary"));
  const lines = document.createElement("div");
  lines.className = "lines";
  step.append(lines);
  return step;
}

function linesAtEnd(box) {
  const found = [...box.querySelectorAll(":scope > .lines, :scope > details > .lines")].at(-1);
  if (found !== undefined) return found;
  const lines = document.createElement("div");
  lines.className = "lines";
  box.append(lines);
  return lines;
}

/** A quiet mark for who reads further up; it leads to the end. */
function tellNew(box, count) {
  let mark = document.querySelector(".more");
  if (mark === null) {
    mark = document.createElement("button");
    mark.className = "more quiet";
    box.after(mark);
  }
  mark.dataset.count = String(Number(mark.dataset.count ?? 0) + count);
  mark.textContent = `${mark.dataset.count} new lines ↓`;
}

/** Lines from before, above those that are there; these do not move. */
async function older(box, link) {
  link.setAttribute("aria-busy", "true");
  const answer = await fetch(`${box.dataset.log}&before=${box.dataset.before}`).catch(() => null);
  link.removeAttribute("aria-busy");
  if (answer === null || !answer.ok) return;
  const { lines } = await answer.json();
  const height = box.scrollHeight - box.scrollTop;
  const group = document.createElement("div");
  group.className = "lines";
  group.append(...lines.map((line) => lineOf(line)));
  link.parentElement.after(group);
  box.dataset.before = String(lines[0]?.seq ?? 1);
  if (lines.length === 0 || lines[0].seq <= 1) link.parentElement.remove();
  box.scrollTop = box.scrollHeight - height;
}
main?.addEventListener("click", (event) => {
  const link = event.target.closest("[data-log] .older a");
  if (link !== null) {
    event.preventDefault();
    void older(link.closest("[data-log]"), link);
  }
  const mark = event.target.closest(".more");
  const box = mark && logBox();
  if (box) {
    toEnd(box);
    mark.remove();
  }
  // A line of a diff is commented on where its number is clicked.
  const number = event.target.closest(".lines td:nth-child(2)")?.textContent;
  const comment = number ? event.target.closest("details.file")?.querySelector("details.comment") : null;
  if (comment) {
    comment.open = true;
    comment.querySelector("[name=line]").value = number;
    comment.querySelector("textarea").focus();
  }
});
main?.addEventListener(
  "scroll",
  ({ target }) => {
    if (target.matches?.("[data-log]") && isAtEnd(target)) document.querySelector(".more")?.remove();
  },
  true,
);

// What cannot be taken back asks first.
document.addEventListener("submit", (event) => {
  const ask = event.submitter?.dataset.ask;
  if (ask !== undefined && !confirm(ask)) event.preventDefault();
});

// A browser has few connections to one server: a page that nobody sees gives its own back.
let stream = null;
let pending = null;
function listen() {
  if (main === null) return;
  stream?.close();
  stream = null;
  if (document.hidden) return;
  stream = new EventSource("/live");
  stream.addEventListener("changed", () => {
    pending ??= setTimeout(() => {
      pending = null;
      void refresh();
    }, 300);
  });
}
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) void refresh();
  listen();
});

function items() {
  return [...document.querySelectorAll("[data-item]")];
}

function move(by) {
  const all = items();
  if (all.length === 0) return;
  const now = all.findIndex((one) => one.classList.contains("at"));
  const next = all[Math.min(all.length - 1, Math.max(0, now < 0 ? 0 : now + by))];
  for (const one of all) one.classList.toggle("at", one === next);
  next.querySelector("a")?.focus();
  next.scrollIntoView({ block: "nearest" });
}

let first = "";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") closeSource();
  if (event.target.closest("input, textarea, select, dialog") !== null) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const keys = first === "" ? event.key : `${first} ${event.key}`;
  first = event.key === "g" ? "g" : "";
  const place = document.querySelector(`[data-keys="${CSS.escape(keys)}"]`);
  if (place !== null) place.click();
  else if (event.key === "a" || event.key === "s") document.querySelector(`[data-key="${event.key}"]`)?.click();
  else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "?") document.querySelector("#keys")?.showModal();
  else if (event.key === "/") {
    event.preventDefault();
    document.querySelector("#search")?.focus();
  }
});

tellTimes();
setInterval(tellTimes, 10_000);
setInterval(() => {
  for (const time of document.querySelectorAll("time[data-clock]"))
    time.textContent = clock(Date.now() - Date.parse(time.dateTime));
}, 1_000);
const running = logBox();
if (running !== null) toEnd(running);
setInterval(() => {
  if (logBox()?.dataset.live !== undefined) void follow();
}, 1_000);
// What is found out meanwhile is there soon.
setInterval(() => {
  if (!document.hidden && main?.querySelector("[data-soon]")) void refresh();
}, 2_000);
listen();
