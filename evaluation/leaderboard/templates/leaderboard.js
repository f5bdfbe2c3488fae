// Sorts and filters the tables of the page. The view is in the address, so a link restores it.
const sections = [...document.querySelectorAll("section.board")];
const links = [...document.querySelectorAll("nav.boards a")];
const fields = Object.fromEntries(["find", "input", "kind", "sort", "order", "ablations", "board"].map((id) => [id, document.getElementById(id)]));
const status = document.getElementById("status");
const EMPTY = { board: sections[0].id, sort: "", order: "", find: "", input: "", kind: "", ablations: "" };
const collator = new Intl.Collator("en", { numeric: true });
let state = { ...EMPTY };

// "#board&sort=mrr&order=up&find=…" → what to show; null if the address points elsewhere on the page.
function parsed(hash) {
  const [board, ...rest] = hash.replace(/^#/, "").split("&");
  if (board && !sections.some((section) => section.id === board)) return null;
  const given = Object.fromEntries(new URLSearchParams(rest.join("&")));
  const known = { ...EMPTY, board: board || EMPTY.board };
  for (const key of ["find", "input", "kind", "sort", "order"]) {
    if (given[key] && (key === "find" || key === "sort" || isOption(fields[key], given[key]))) known[key] = given[key];
  }
  if (given.ablations === "yes" && fields.ablations) known.ablations = "yes";
  return known;
}

function isOption(select, value) {
  return select !== null && [...select.options].some((option) => option.value === value);
}

function address(shown) {
  const rest = new URLSearchParams();
  for (const key of ["sort", "order", "find", "input", "kind", "ablations"]) if (shown[key]) rest.set(key, shown[key]);
  return "#" + shown.board + (rest.size ? "&" + rest : "");
}

function tables(section) {
  return [...section.querySelectorAll("table.results")];
}

function heads(table) {
  return [...table.querySelectorAll("thead th[data-key]")];
}

// The column to sort by and the direction: those requested, if the table has them.
function sorting(table) {
  const own = heads(table).find((head) => head.dataset.key === state.sort);
  const head = own ?? heads(table).find((one) => one.dataset.key === table.dataset.sorted);
  const usual = "ascending" in head.dataset ? "up" : "down";
  return { head, order: own && state.order ? state.order : usual };
}

function sort(table) {
  const { head, order } = sorting(table);
  const column = [...head.parentNode.children].indexOf(head);
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, place) => ({ row, place: Number(row.dataset.place ?? (row.dataset.place = place)), value: row.cells[column].dataset.value }));
  const sign = order === "up" ? 1 : -1;
  rows.sort((one, other) => {
    if (one.value === undefined || other.value === undefined) {
      return (one.value === undefined) - (other.value === undefined) || one.place - other.place;
    }
    return sign * collate(one.value, other.value) || one.place - other.place;
  });
  body.append(...rows.map(({ row }) => row));
  for (const one of heads(table)) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order === "up" ? "ascending" : "descending");
  const ranked = "score" in head.dataset ? column : heads(table).findIndex((one) => "score" in one.dataset) + 1;
  for (const { row } of rows) row.cells[0].textContent = row.cells[ranked].dataset.rank ?? "–";
}

function collate(one, other) {
  const difference = Number(one) - Number(other);
  return Number.isNaN(difference) ? collator.compare(one, other) : difference;
}

function filter(section) {
  const words = state.find.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  let total = 0;
  for (const table of tables(section)) {
    let left = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.cells[1].textContent.toLocaleLowerCase();
      const fits =
        (!state.input || row.dataset.input === state.input) &&
        (state.kind ? row.dataset.kind === state.kind : state.ablations || row.dataset.kind !== "ablation") &&
        words.every((word) => text.includes(word));
      row.hidden = !fits;
      left += fits;
      total += 1;
    }
    (table.closest(".apart") ?? table).hidden = left === 0;
    shown += left;
  }
  section.querySelector(".empty").hidden = shown > 0;
  return `${shown} of ${total} rows`;
}

function show() {
  for (const section of sections) section.hidden = section.id !== state.board;
  const section = document.getElementById(state.board);
  for (const table of tables(section)) sort(table);
  const first = tables(section)[0];
  const { head, order } = sorting(first);
  status.textContent = `${filter(section)}, sorted by ${head.dataset.title}, ${order === "up" ? "ascending" : "descending"}`;
  for (const link of links) {
    link.setAttribute("href", address({ ...state, board: link.dataset.board }));
    if (link.dataset.board === state.board) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  fields.sort.replaceChildren(...heads(first).map((one) => element("option", { value: one.dataset.key }, one.dataset.title)));
  fields.sort.value = head.dataset.key;
  fields.order.value = order;
  for (const key of ["find", "input", "kind"]) if (fields[key] && fields[key].value !== state[key]) fields[key].value = state[key];
  if (fields.ablations) fields.ablations.checked = Boolean(state.ablations);
  fields.board.value = state.board;
  document.getElementById("view").setAttribute("href", address(state));
}

function change(changes) {
  state = { ...state, ...changes };
  history.replaceState(null, "", address(state));
  show();
}

function follow() {
  const asked = parsed(location.hash);
  if (asked === null) return;
  state = asked;
  show();
}

for (const section of sections) {
  for (const table of tables(section)) {
    for (const head of heads(table)) {
      const turn = () => {
        const now = sorting(table);
        const usual = "ascending" in head.dataset ? "up" : "down";
        const again = now.head === head;
        change({ sort: head.dataset.key, order: again ? (now.order === "up" ? "down" : "up") : usual });
      };
      head.replaceChildren(element("button", { type: "button", onclick: turn }, head.dataset.title));
    }
  }
  section.querySelector(".reset").addEventListener("click", () => change({ find: "", input: "", kind: "", ablations: fields.ablations ? "yes" : "" }));
}
fields.find.addEventListener("input", () => change({ find: fields.find.value }));
for (const key of ["input", "kind", "order"]) fields[key]?.addEventListener("change", () => change({ sort: fields.sort.value, [key]: fields[key].value }));
fields.ablations?.addEventListener("change", () => change({ ablations: fields.ablations.checked ? "yes" : "" }));
fields.board.addEventListener("change", () => { location.hash = address({ ...state, board: fields.board.value }); });
// On a small screen results come first.
const small = matchMedia("(max-width: 48rem)");
const fold = () => { document.getElementById("filters").open = !small.matches; };
small.addEventListener("change", fold);
fold();
fields.sort.addEventListener("change", () => change({ sort: fields.sort.value, order: "" }));
addEventListener("hashchange", follow);
document.getElementById("controls").hidden = false;
status.hidden = false;
show();
follow();
