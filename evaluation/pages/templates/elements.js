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

// An id stays in one line: a browser would break it after its first hyphen.
const idNode = (id) => element("span", { class: "id" }, id);

const MATHML = "http://www.w3.org/1998/Math/MathML";

// The styles of Unicode's mathematical letters, by the code point after the last of each.
const STYLES = [[0x1d434, "bold"], [0x1d468, "italic"], [0x1d49c, "bold italic"], [0x1d4d0, "script"], [0x1d504, "script bold"],
  [0x1d538, "fraktur"], [0x1d56c, "double"], [0x1d5a0, "fraktur bold"], [0x1d5d4, "sans"], [0x1d608, "sans bold"],
  [0x1d63c, "sans italic"], [0x1d670, "sans bold italic"], [0x1d6a4, "mono"], [0x1d6a8, "italic"], [0x1d6e2, "bold"],
  [0x1d71c, "italic"], [0x1d756, "bold italic"], [0x1d790, "sans bold"], [0x1d7ca, "sans bold italic"], [0x1d7d8, "bold"],
  [0x1d7e2, "double"], [0x1d7ec, "sans"], [0x1d7f6, "sans bold"], [0x1d800, "mono"]];
const OTHER_STYLES = { double: "ℂℍℕℙℚℝℤ", script: "ℬℰℱℋℐℒℳℛℯℊℴ", fraktur: "ℭℌℑℜℨ", italic: "ℎ" };

const canvas = element("canvas", { width: 40, height: 40 }).getContext("2d", { willReadFrequently: true });

function drawn(text) {
  canvas.clearRect(0, 0, 40, 40);
  canvas.font = "24px serif";
  canvas.fillText(text, 4, 30);
  return canvas.getImageData(0, 0, 40, 40).data.join();
}

const MISSING = drawn("\u{1d455}"); // a code point that is not assigned, so no font has it
const drawables = new Map();

// Whether a font of this machine has a letter. Many fonts have 𝐴, but neither 𝒪 nor 𝔭.
function canDraw(letter) {
  if (!drawables.has(letter)) drawables.set(letter, drawn(letter) !== MISSING);
  return drawables.get(letter);
}

const MATH_LETTERS = canDraw("\u{1d434}");
if (!MATH_LETTERS) document.documentElement.classList.add("no-math-letters");

function styleOf(letter) {
  const code = letter.codePointAt(0);
  if (code >= 0x1d400 && code < 0x1d800) return STYLES.find(([end]) => code < end)[1];
  return Object.keys(OTHER_STYLES).find((style) => OTHER_STYLES[style].includes(letter)) ?? "";
}

// A text without the mathematical letters that this machine cannot draw.
function drawable(text) {
  return text.replace(/[\u2102-\u2134\u{1d400}-\u{1d7ff}]/gu, (letter) => canDraw(letter) ? letter : letter.normalize("NFKC"));
}

// The classes that give a leaf of a formula its style where the letters have none.
function letterClasses(name, text) {
  const letters = [...text.trim()];
  const style = letters.length ? styleOf(letters[0]) : "";
  if (style && canDraw(letters[0])) return "";
  const isVariable = !MATH_LETTERS && !style && name === "mi" && letters.length === 1 && /\p{L}/u.test(text);
  return (isVariable ? "italic" : style).split(" ").filter(Boolean).map((one) => `letters-${one}`).join(" ");
}

// [element, child, …, attributes?] → MathML. `classOf` may give a leaf a class by its text.
function formula(node, classOf) {
  const [name, ...rest] = node;
  const made = name === "code" ? document.createElement("code") : document.createElementNS(MATHML, name);
  for (const child of rest) {
    if (typeof child === "string") {
      made.append(name === "code" ? child : drawable(child));
      const classes = name === "code" ? "" : [classOf(leafKey(name, child)), letterClasses(name, child)].filter(Boolean).join(" ");
      if (classes) made.setAttribute("class", classes);
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
