// Creates elements; a text is never parsed as HTML.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat());
  return made;
}

// Where a text is from, after what is said before: a link if it is a web address, else as it is.
function sourceNodes(source) {
  if (!source) return [];
  const isLink = /^https?:\/\//.test(source);
  return [" · ", isLink ? element("a", { href: source, rel: "noopener noreferrer" }, source) : source];
}

const MATHML = "http://www.w3.org/1998/Math/MathML";

// [element, child, …, attributes?] → MathML. `classOf` may give a leaf a class by its text.
function formula(node, classOf) {
  const [name, ...rest] = node;
  const made = name === "code" ? document.createElement("code") : document.createElementNS(MATHML, name);
  for (const child of rest) {
    if (typeof child === "string") {
      made.append(child);
      const marked = name === "code" ? "" : classOf(leafKey(name, child));
      if (marked) made.setAttribute("class", marked);
    } else if (Array.isArray(child)) made.append(formula(child, classOf));
    else for (const [key, value] of Object.entries(child)) made.setAttribute(key, value);
  }
  return made;
}

// Characters that never start a line.
const CLOSING = /^[.,;:!?)\]’”]+/;
const WORD = /[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu;

// Operators and numbers occur in all formulas.
function leafKey(name, text) {
  return name === "mo" || name === "mn" ? "" : "m:" + text.trim();
}

// Numbers of lemmas and the like carry no meaning.
function wordKey(word) {
  return /^\p{N}+$/u.test(word) ? "" : "t:" + word.toLowerCase();
}

// The words of a text and the identifiers in its formulas, for comparison.
function keysOf(pieces) {
  const keys = new Set();
  const visit = (node) => {
    for (const child of node.slice(1)) {
      if (Array.isArray(child)) visit(child);
      else if (typeof child === "string" && node[0] !== "code") keys.add(leafKey(node[0], child));
    }
  };
  for (const piece of pieces) {
    if (typeof piece === "string") for (const [word] of piece.matchAll(WORD)) keys.add(wordKey(word));
    else visit(piece);
  }
  return keys;
}

// Pieces of a text → nodes. `classOf` gives the class of a mark for a word or leaf, or "" for none.
// A piece is a string or a formula.
function textNodes(pieces, classOf = () => "") {
  const made = document.createDocumentFragment();
  pieces.forEach((piece, place) => {
    const isAfterFormula = place > 0 && pieces[place - 1][0] === "math";
    if (typeof piece === "string") {
      const closing = (isAfterFormula && piece.match(CLOSING)?.[0]) || "";
      if (closing) made.append(element("span", { class: "unbroken" }, made.lastChild, closing));
      made.append(...markedWords(piece.slice(closing.length), classOf));
    } else {
      if (isAfterFormula) made.append(document.createElement("wbr")); // a long formula may be broken here
      made.append(formula(piece, classOf));
    }
  });
  return made;
}

function markedWords(text, classOf) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const marked = classOf(wordKey(match[0]));
    if (!marked) continue;
    nodes.push(text.slice(end, match.index), element("mark", { class: marked }, match[0]));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes;
}
