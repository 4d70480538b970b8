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
  if (log !== null && nextLog !== null && log.dataset.log === nextLog.dataset.log) nextLog.replaceWith(log);
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

let following = false;

/** Appends the lines that came since. */
async function follow() {
  if (following || document.hidden) return;
  following = true;
  await append().finally(() => {
    following = false;
  });
}

async function append() {
  const box = main.querySelector("[data-log]");
  if (box === null) return;
  const answer = await fetch(`${box.dataset.log}&after=${box.dataset.after}`).catch(() => null);
  if (answer === null || !answer.ok) return;
  const { lines } = await answer.json();
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  const added = lines.map(({ seq, kind, text }) => {
    const line = document.createElement("div");
    line.className = kind;
    line.id = `line-${seq}`;
    line.textContent = text;
    return line;
  });
  box.append(...added);
  if (lines.length > 0) box.dataset.after = String(lines.at(-1).seq);
  if (atEnd) box.scrollTop = box.scrollHeight;
}

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
const running = document.querySelector("[data-log]");
if (running !== null) running.scrollTop = running.scrollHeight;
if (document.querySelector("[data-log][data-live]") !== null) {
  setInterval(() => void follow(), 1_000);
}
listen();
