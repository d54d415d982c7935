// The contrast of each text that a selector finds with what is behind it; its colour is a property of its style.
([selector, property]) => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (colour) => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => below.map((value, i) => value + (top[i] - value) * top[3] / 255);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((value) => value / 255).map((value) =>
      value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    const own = parse(getComputedStyle(element).backgroundColor);
    const { parentElement } = element;
    return over(own, parentElement ? groundOf(parentElement) : [255, 255, 255, 255]);
  };
  const ratio = (element) => {
    const ground = groundOf(element);
    const ink = parse(getComputedStyle(element)[property]);
    for (let part = element; part; part = part.parentElement) ink[3] *= getComputedStyle(part).opacity;
    const [light, dark] = [luminance(over(ink, ground)), luminance(ground)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const all = [...document.querySelectorAll(selector)].filter((element) =>
    element.checkVisibility() && (element.matches("select, input") ||
      [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue.trim())));
  return all.map((element) => [`${element.getAttribute("class")} ${element.textContent}`, ratio(element)]);
}
