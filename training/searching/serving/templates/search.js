// The form and the address: a search is `#q=…&among=…&k=…&split=…`, so links and the browser's history work.
const byId = (id) => document.getElementById(id);
const [form, statement, go, status, results] = ["form", "statement", "go", "status", "results"].map(byId);
const choices = ["among", "k", "split"].map(byId).filter(Boolean);
const title = document.title;
const defaults = Object.fromEntries(choices.map((choice) => [choice.id, choice.value]));
let latest = 0;

function addressOfForm() {
  const fields = new URLSearchParams({ q: statement.value });
  for (const choice of choices) if (choice.value !== defaults[choice.id]) fields.set(choice.id, choice.value);
  return "#" + fields;
}

function fillForm() {
  const fields = new URLSearchParams(location.hash.slice(1));
  statement.value = fields.get("q") || "";
  for (const choice of choices) {
    choice.value = fields.get(choice.id) ?? defaults[choice.id];
    if (choice.selectedIndex < 0) choice.value = defaults[choice.id];
  }
}

function say(text, isError = false) {
  status.textContent = text;
  status.classList.toggle("error", isError);
  statement.toggleAttribute("aria-invalid", isError);
}

async function ask(fields) {
  let answer;
  try {
    answer = await fetch("search", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(fields),
    });
  } catch {
    throw new Error("the server does not answer; is it still running?");
  }
  const found = await answer.json().catch(() => ({ error: "the answer cannot be read" }));
  if (!answer.ok) throw new Error(found.error);
  return found;
}

async function search(takesFocus) {
  const turn = ++latest;
  const fields = { statement: statement.value, k: Number(byId("k").value), why: true, shown: true };
  for (const name of ["among", "split"]) if (byId(name)?.value) fields[name] = byId(name).value;
  go.disabled = true;
  results.classList.add("busy");
  say("Searching…");
  try {
    const answer = await ask(fields);
    if (turn !== latest) return; // the user has started another search in the meantime
    show(answer);
    if (takesFocus) byId("found").focus();
  } catch (error) {
    if (turn !== latest) return;
    results.hidden = true;
    say(error.message.charAt(0).toUpperCase() + error.message.slice(1) + ".", true);
    if (takesFocus) statement.focus();
  } finally {
    if (turn === latest) {
      go.disabled = false;
      results.classList.remove("busy");
    }
  }
}

function show(answer) {
  const noun = byId("among")?.value === "statements" ? "statement" : "proof";
  const hits = answer.hits.length === 1 ? `1 ${noun}` : `${answer.hits.length} ${noun}s`;
  byId("found").textContent = noun === "proof" ? `The best ${hits}` : `The most similar ${hits}`;
  fill("verdict", answer.verdict);
  fill("faults", answer.not_understood.length ? `Not understood: ${answer.not_understood.join(", ")}` : "");
  const read = byId("read");
  read.open = answer.not_understood.length > 0;
  read.querySelector(".text").replaceChildren(textNodes(answer.shown));
  byId("hits").replaceChildren(...resultNodes(answer, noun === "proof" ? "score" : "similarity"));
  results.hidden = false;
  document.querySelector(".legend").hidden = !document.querySelector("#hits mark, #hits math [class]");
  byId("placeholders").hidden = ![...document.querySelectorAll(".reason")].some((one) => /[□△○◇☆]/.test(one.textContent));
  foldLongTexts(byId("hits"));
  say(`${hits} of ${answer.searched.toLocaleString("en")} in ${answer.seconds.toFixed(2)} s`);
  document.title = `${statement.value.replace(/\s+/g, " ").slice(0, 60)} · ${title}`;
}

function fill(id, text) {
  byId(id).textContent = text ? text.charAt(0).toUpperCase() + text.slice(1) + "." : "";
  byId(id).hidden = !text;
}

function submit() {
  if (!statement.value.trim()) {
    say("Write or paste a statement first.", true);
    statement.focus();
    return;
  }
  const address = addressOfForm();
  if (address !== location.hash) history.pushState(null, "", address);
  search(true);
}

// Opened from a link, or from the browser's history.
function open() {
  fillForm();
  if (statement.value) return search(false);
  latest++;
  results.hidden = true;
  go.disabled = false;
  document.title = title;
  say("");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
statement.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    submit();
  }
});
for (const example of document.querySelectorAll(".example")) {
  example.addEventListener("click", () => {
    statement.value = example.dataset.statement;
    submit();
  });
}
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address describes the search
  byId("main").focus();
});
addEventListener("popstate", open);
open();
