// Search results as elements.
const SVG = "http://www.w3.org/2000/svg";

function resultNodes(answer, measure) {
  const most = Math.max(1e-9, ...answer.hits.flatMap((hit) => (hit.shown.parts || []).map(([, value]) => Math.abs(value))));
  return answer.hits.map((hit) => element("li", {}, resultNode(hit, measure, most)));
}

function resultNode(hit, measure, most) {
  const heading = `hit-${hit.rank}`;
  const article = element(
    "article",
    { "aria-labelledby": heading },
    element(
      "header",
      {},
      element("h3", { id: heading }, element("span", { class: "rank" }, `${hit.rank}. `), hit.title || hit.article_id),
      hit.certainty
        ? element("span", { class: `certainty ${hit.certainty}` }, element("strong", {}, percent(hit.confidence)), ` ${hit.certainty}`)
        : [],
      element("span", { class: "score" }, `${measure} `, element("strong", {}, hit.score.toFixed(2))),
      element("span", { class: "ids" }, hit.kind, sourceNodes(hit.source), " · ", idNode(hit.proof_id)),
    ),
    element("div", { class: "texts" }, textBlock("Statement", hit.shown.statement, "statement"), textBlock("Proof", hit.shown.proof, "proof", hit.shown.marks)),
  );
  if (hit.others.length) {
    const places = hit.others.map((other) => element("li", {}, other.title || "", sourceNodes(other.source || other.proof_id)));
    const count = places.length === 1 ? "another place" : `${places.length} other places`;
    article.append(element("details", { class: "others" }, element("summary", {}, `The same text in ${count}`), element("ul", {}, places)));
  }
  if (hit.shown.parts) {
    article.append(element("div", { class: "why" }, reasonLists(hit, article), partsTable(hit.shown.parts, most)));
  }
  return article;
}

const percent = (share) => `${Math.round(100 * share)}%`;

function textBlock(title, pieces, name, marks = {}) {
  const text = element("div", { class: "text" });
  const classes = new Map(Object.entries(marks));
  text.append(textNodes(pieces, (key) => classes.get(key) || ""));
  return element("div", { class: name }, element("h4", {}, title), text);
}

function reasonLists(hit, article) {
  const lists = element("div");
  for (const [kind, title] of [["shared", "In your statement and in the proof"], ["associated", "In your statement ~ in the proof: associated by the model"]]) {
    const items = hit.reasons.flatMap((reason, number) =>
      reason.kind === kind ? [element("li", {}, reasonButton(reason, number, article))] : [],
    );
    if (items.length) lists.append(element("h4", {}, title), element("ul", { class: "reasons" }, items));
  }
  if (!lists.childElementCount) lists.append(element("p", { class: "faint" }, "No single word or symbol stands out."));
  return lists;
}

// Pointing at a reason, or choosing it by keyboard, shows its places; a click keeps them shown and goes there.
function reasonButton(reason, number, article) {
  const mark = reason.kind === "shared" ? "orange-mark" : "blue-mark";
  const word = (text) => element("span", { class: mark }, drawable(text));
  const names = reason.kind === "shared" ? [word(reason.statement)] : [word(reason.statement), " ~ ", word(reason.proof)];
  const show = (shown) => {
    for (const place of article.querySelectorAll(`.reason-${number}`)) place.classList.toggle("chosen", shown);
  };
  const isKept = () => button.getAttribute("aria-pressed") === "true";
  const button = element(
    "button",
    {
      type: "button",
      class: "reason",
      "aria-pressed": "false",
      onmouseenter: () => show(true),
      onmouseleave: () => show(isKept()),
      onfocus: () => show(true),
      onblur: () => show(isKept()),
      onclick: () => {
        const kept = !isKept();
        for (const other of article.querySelectorAll(".reason")) other.setAttribute("aria-pressed", "false");
        for (const place of article.querySelectorAll(".chosen")) place.classList.remove("chosen");
        button.setAttribute("aria-pressed", String(kept));
        show(true);
        if (kept) goTo(article.querySelector(`.proof .reason-${number}`));
      },
    },
    ...names,
    element("span", { class: "figure" }, reason.contribution.toFixed(2)),
  );
  return button;
}

function goTo(place) {
  const text = place?.closest(".text");
  if (!text) return;
  const isBelowFold = place.getBoundingClientRect().bottom > text.getBoundingClientRect().bottom;
  if (text.classList.contains("folded") && isBelowFold) text.nextElementSibling.click();
  place.scrollIntoView({ block: "nearest" });
}

function partsTable(parts, most) {
  const rows = parts.map(([name, value]) => {
    const bar = document.createElementNS(SVG, "svg");
    const length = document.createElementNS(SVG, "rect");
    const colour = { shared: "orange", associated: "blue", encoder: "green" }[name] || "grey";
    bar.setAttribute("class", `bar ${colour}`);
    bar.setAttribute("aria-hidden", "true");
    length.setAttribute("width", `${((100 * Math.abs(value)) / most).toFixed(2)}%`);
    length.setAttribute("height", "100%");
    bar.append(length);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      element("td", {}, bar),
      element("td", {}, value.toFixed(2).replace("-", "−")),
    );
  });
  return element("div", {}, element("h4", {}, "Parts of the score"), element("table", { class: "bars parts" }, element("tbody", {}, rows)));
}

// Long texts are folded; their height is known only once they are on the page.
function foldLongTexts(list) {
  for (const text of list.querySelectorAll(".text")) {
    text.classList.add("folded");
    if (text.scrollHeight <= text.clientHeight * 1.25) {
      text.classList.remove("folded");
      continue;
    }
    const button = element("button", {
      type: "button",
      class: "unfold no-print",
      "aria-expanded": "false",
      onclick: () => {
        const folded = text.classList.toggle("folded");
        button.textContent = folded ? "Show all" : "Show less";
        button.setAttribute("aria-expanded", String(!folded));
      },
    }, "Show all");
    text.after(button);
  }
}
