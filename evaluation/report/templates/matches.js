// The list of wrong matches, and the match that is shown. Everything that is selected is in the address.
const PAGE = 50;
const common = new Set(settings.common.map(wordKey));
const byId = (id) => document.getElementById(id);
const controls = ["search", "category", "rank", "order", "outcome", "chosen", ...settings.classes].map(byId).filter(Boolean);
const state = { index: null, found: [], places: new Map(), haystack: [], waiting: 0 };

function chosen() {
  return new URLSearchParams(location.hash.slice(1));
}

function address(match) {
  const parts = new URLSearchParams();
  for (const control of controls) if (control.value && !isDefault(control)) parts.set(control.id, control.value);
  if (match) parts.set("match", match);
  return "#" + parts;
}

function isDefault(control) {
  return control.tagName === "SELECT" && control.selectedIndex === 0;
}

function isWithin(rank, range) {
  if (!range) return true;
  if (range === "none") return rank === null;
  const [low, high] = range.split("-").map(Number);
  return rank !== null && rank >= low && (!high || rank <= high);
}

const orders = {
  near: (at) => state.index.rank[at] ?? Infinity,
  far: (at) => -(state.index.rank[at] ?? Infinity),
  sure: (at) => -(state.index.margin[at] ?? -Infinity),
  short: (at) => state.index.plain[at].length,
};

function narrow() {
  const value = Object.fromEntries(controls.map((control) => [control.id, control.value]));
  const words = value.search.toLowerCase().split(/\s+/).filter(Boolean);
  const { rank, category, outcome, chosen, classes } = state.index;
  const wanted = settings.classes.map((id) => value[id]);
  const found = [];
  state.all = 0;
  for (let at = 0; at < rank.length; at++) {
    // Right matches are shown only to those who ask for them.
    if ((outcome[at] === "broken") !== (value.outcome === "broken")) continue;
    state.all += 1;
    if (value.category && category[at] !== value.category) continue;
    if (!isWithin(rank[at], value.rank)) continue;
    if (value.outcome && outcome[at] !== value.outcome) continue;
    if (!isWithin(chosen[at], value.chosen)) continue;
    if (!wanted.every((one, place) => !one || classes[at][place] === Number(one))) continue;
    if (!words.every((word) => state.haystack[at].includes(word))) continue;
    found.push(at);
  }
  const key = orders[value.order] ?? orders.near;
  const keys = new Map(found.map((at) => [at, key(at)]));
  found.sort((one, other) => keys.get(one) - keys.get(other) || one - other);
  state.found = found;
  state.places = new Map(found.map((at, place) => [at, place]));
}

function sayPlace(current) {
  const [found, all] = [state.found.length, state.all].map((number) => number.toLocaleString("en"));
  const place = state.places.get(current);
  const of = found === all ? `${all} matches` : `${found} of ${all} matches`;
  byId("count").textContent = place === undefined ? of : `${of}, showing number ${(place + 1).toLocaleString("en")}`;
}

function rankText(at) {
  const rank = state.index.rank[at];
  return rank === null ? "right proof not listed" : `right proof at rank ${rank.toLocaleString("en")}`;
}

function pageOf(at) {
  return Math.floor((state.places.get(at) ?? 0) / PAGE);
}

function showList(page) {
  state.page = page;
  const shown = state.found.slice(page * PAGE, (page + 1) * PAGE);
  const hadFocus = byId("list").contains(document.activeElement);
  byId("list").replaceChildren(...shown.map((at) => element("li", {},
    element("a", { href: address(state.index.id[at]), "aria-current": at === state.current ? "true" : null },
      element("span", { class: "faint" }, `${rankText(at)} · ${state.index.category[at]}`),
      element("span", { class: "snippet" }, drawable(state.index.plain[at].slice(0, 160)))))));
  const pages = Math.max(1, Math.ceil(state.found.length / PAGE));
  byId("page").textContent = `page ${page + 1} of ${pages}`;
  byId("earlier").disabled = page === 0;
  byId("later").disabled = page + 1 >= pages;
  const link = byId("list").querySelector("[aria-current]");
  // Scroll the list only, not the page.
  byId("list").scrollTop = link ? Math.max(0, link.offsetTop - byId("list").offsetTop - 80) : 0;
  if (hadFocus) link?.focus({ preventScroll: true });
}

function marker(statement, gold, rival, isProof) {
  return (key) => {
    if (!key || common.has(key) || (isProof && !statement.has(key))) return "";
    if (gold.has(key)) return rival.has(key) ? "orange-mark" : "blue-mark";
    return rival.has(key) ? "purple-mark" : "";
  };
}

function panel(kind, heading, about, pieces, classOf, ...more) {
  return element("section", { class: `text ${kind}` }, element("h3", {}, heading),
    element("p", { class: "faint" }, [about].flat(2)),
    element("p", { class: "words" }, textNodes(pieces, classOf)), ...more);
}

async function showMatch(at) {
  const { index } = state;
  const [statement, gold, rival, proves] = await Promise.all(index.texts[at].map(textOf));
  if (state.current !== at) return; // another match was selected meanwhile
  const keys = [statement, gold, rival].map(keysOf);
  const place = state.places.get(at);
  const badges = [rankText(at)];
  if (index.margin[at] === 0) badges.push("same score as the predicted one");
  else if (index.margin[at] !== null) badges.push(`score ${index.margin[at]} below the predicted one`);
  const isBroken = index.outcome[at] === "broken";
  if (index.outcome[at] === "fixed") badges.push("one-to-one matching fixes it");
  if (isBroken) badges.push("one-to-one matching breaks it");
  if (index.same[at]) badges.push("both proofs have the same text");
  const button = (title, to) => element("button", { type: "button", disabled: !(to in state.found), "data-step": title,
    onclick: () => open(state.found[to]) }, title);
  const pressed = document.activeElement?.dataset?.step;
  const hadFocus = byId("match").contains(document.activeElement);
  const isOpen = Boolean(byId("match").querySelector("details")?.open); // stays open for the next match
  const what = proves ? [element("details", { open: isOpen }, element("summary", {}, isBroken ? "What the matched proof proves" : "What the predicted proof proves"),
    element("p", { class: "words" }, textNodes(proves)))] : [];
  byId("match").replaceChildren(
    element("p", { class: "steps" }, button("Previous", place - 1), button("Next", place + 1),
      ...badges.map((badge) => element("span", { class: "badge" }, badge))),
    panel("statement", "Statement", [`${index.kind[at]} in “${index.title[at]}”, ${index.category[at]}, `, idNode(index.id[at]), sourceNodes(index.source[at])],
      statement, marker(...keys, false)),
    element("div", { class: "proofs" },
      panel("gold", "Right proof", ["its own, ", idNode(index.proofs[at][0])], gold, marker(...keys, true)),
      panel("rival", isBroken ? "Proof in the one-to-one matching" : "Predicted proof", [`${index.rival_title[at] ? `of a ${index.rival_kind[at]} in “${index.rival_title[at]}”, ` : ""}`, idNode(index.proofs[at][1]), sourceNodes(index.rival_source[at])],
        rival, marker(...keys, true), ...what)));
  if (pressed) {
    const steps = [...byId("match").querySelectorAll("[data-step]:enabled")];
    (steps.find((button) => button.dataset.step === pressed) ?? steps[0])?.focus({ preventScroll: true });
  } else if (hadFocus) byId("match").focus({ preventScroll: true });
  // After the end of one match, start at the top of the next.
  if (byId("match").getBoundingClientRect().top < 0) byId("match").scrollIntoView({ behavior: "instant" });
}

function isNarrow() {
  return matchMedia("(max-width: 60rem)").matches;
}

// At once, not in an event: the next key may be pressed before that.
function open(at) {
  history.pushState(null, "", address(state.index.id[at]));
  follow();
}

function step(by) {
  const to = (state.places.get(state.current) ?? -1) + by;
  if (to in state.found) open(state.found[to]);
}

function say(...words) {
  state.current = null;
  byId("match").replaceChildren(element("p", {}, ...words));
}

// The address decides what is shown, so links, bookmarks and the back button all work.
function follow() {
  const parts = chosen();
  for (const control of controls) {
    const value = parts.get(control.id);
    if (control.tagName === "SELECT" && ![...control.options].some((option) => option.value === value)) control.selectedIndex = 0;
    else control.value = value ?? "";
  }
  const more = document.querySelector(".more");
  if (["chosen", ...settings.classes].some((id) => parts.get(id))) more.open = true;
  narrow();
  const wanted = parts.get("match");
  const at = wanted ? state.index.id.indexOf(wanted) : state.found[0] ?? -1;
  state.current = at;
  showList(pageOf(at));
  sayPlace(at);
  let shown;
  if (at >= 0) shown = showMatch(at);
  else if (wanted) say(`${wanted} is not listed here: it may have its right proof, or was left out.`);
  else say("Nothing fits. ", element("button", { type: "button", onclick: clear }, "Show all"));
  if (wanted && !state.isReading) scrollTo(byId(isNarrow() ? "match" : "browser"), shown);
  state.isReading = true;
}

// Scroll once the element exists.
async function scrollTo(target, shown) {
  await shown;
  target.scrollIntoView({ behavior: "instant" });
}

function narrowed() {
  history.replaceState(null, "", address());
  follow();
}

function clear() {
  for (const control of controls) if (control.tagName === "SELECT") control.selectedIndex = 0; else control.value = "";
  narrowed();
}

function turn(pages) {
  showList(state.page + pages); // the match stays
  const [pressed, other] = pages < 0 ? ["earlier", "later"] : ["later", "earlier"];
  byId(byId(pressed).disabled ? other : pressed).focus();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.closest?.("input, select, textarea");
  if (event.key === "Escape" && isTyping) {
    event.preventDefault(); // browsers would clear the search
    byId("match").focus();
  } else if (isTyping) {
    return;
  } else if (event.key === "/") {
    event.preventDefault();
    byId("search").focus();
  } else if (["j", "k"].includes(event.key.toLowerCase())) {
    const by = event.key.toLowerCase() === "j" ? 1 : -1;
    if (state.index) step(by);
    else state.waiting += by; // the list is still being unpacked
  }
}

async function start() {
  if (!document.getElementById("index")) return;
  byId("browser").hidden = false;
  addEventListener("keydown", onKey);
  if (typeof DecompressionStream === "undefined") {
    say("This browser is too old to unpack the matches; any of the last three years can.");
    return;
  }
  state.index = await unpacked("index");
  const { plain, title, id, article, source, proofs } = state.index;
  state.haystack = plain.map((text, at) => [text, text.normalize("NFKC").replace(/[_^{}]/g, ""), title[at], id[at], article[at], source[at], ...proofs[at]].join(" ").toLowerCase());
  let waiting;
  for (const control of controls) {
    control.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(narrowed, control.id === "search" ? 150 : 0);
    });
  }
  byId("browser").querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", clear);
  byId("earlier").addEventListener("click", () => turn(-1));
  byId("later").addEventListener("click", () => turn(1));
  addEventListener("hashchange", () => { if (!location.hash || location.hash.includes("=")) follow(); });
  byId("list").addEventListener("click", () => {
    // On small screens the match is below the list: scroll to it.
    if (isNarrow()) byId("match").scrollIntoView();
  });
  for (const link of document.querySelectorAll("a.behind")) {
    link.addEventListener("click", () => setTimeout(() => byId("browser").scrollIntoView()));
  }
  state.isReading = !chosen().has("match");
  follow();
  for (; state.waiting > 0; state.waiting--) step(1);
  for (; state.waiting < 0; state.waiting++) step(-1);
}

start();
