// Files: the network as JSON, and the picture of its graph.

/** The network in a link, as plain data. */
export async function readLink(link) {
  const text = atob(link.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

export async function saveFile(link) {
  const text = JSON.stringify(await readLink(link), null, 2);
  download(new Blob([text], { type: "application/json" }), "network.json");
}

/** Save the graph with the colours that it has on the screen. */
export async function savePicture(graph, kind) {
  const copy = graph.cloneNode(true);
  const [shown, copied] = [graph.querySelectorAll("*"), copy.querySelectorAll("*")];
  const names = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "opacity"];
  shown.forEach((element, place) => {
    const style = getComputedStyle(element);
    for (const name of names) copied[place].style[name] = style.getPropertyValue(name);
  });
  for (const element of copy.querySelectorAll(".nb-plus, .nb-fold, .nb-hit")) element.remove();
  copy.style.background = getComputedStyle(graph.closest(".nb-canvas")).backgroundColor;
  copy.style.width = copy.style.height = "";
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const text = new XMLSerializer().serializeToString(copy);
  const blob = new Blob([text], { type: "image/svg+xml" });
  if (kind === "svg") return download(blob, "network.svg");
  const image = new Image();
  const url = URL.createObjectURL(blob);
  await new Promise((done, failed) => Object.assign(image, { onload: done, onerror: failed, src: url }));
  const { width, height } = graph.viewBox.baseVal;
  const canvas = Object.assign(document.createElement("canvas"), { width: width * 2, height: height * 2 });
  canvas.getContext("2d").drawImage(image, 0, 0, width * 2, height * 2);
  URL.revokeObjectURL(url);
  canvas.toBlob((made) => download(made, "network.png"));
}

function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
