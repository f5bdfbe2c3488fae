// The data of the page are compressed; the browser decompresses them.
async function unpacked(id) {
  const letters = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

const settings = JSON.parse(document.getElementById("settings").textContent);
const opened = new Map();

async function textOf(number) {
  const piece = Math.floor(number / settings.textsInPiece);
  if (!opened.has(piece)) opened.set(piece, unpacked(`texts-${piece}`));
  return (await opened.get(piece))[number % settings.textsInPiece];
}
