// The words of a quote on its page: marked line by line, instead of the whole box, or where there is no box.

const SVG = "http://www.w3.org/2000/svg";
const SLACK = 4; // points that a word may stick out of its box
const letters = (text) => text.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** All places where a quote begins and ends among words, as [first, last]. */
export function found(quote, words) {
  const sought = letters(quote);
  const starts = new Map();
  const ends = new Map();
  let text = "";
  words.forEach(({ text: word }, i) => {
    if (letters(word)) starts.set(text.length, i);
    text += letters(word);
    ends.set(text.length, ends.get(text.length) ?? i);
  });
  const places = [];
  for (let at = text.indexOf(sought); sought && at >= 0; at = text.indexOf(sought, at + 1)) {
    if (starts.has(at) && ends.has(at + sought.length)) places.push([starts.get(at), ends.get(at + sought.length)]);
  }
  return places;
}

function within(box) {
  const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)));
  return ({ box: [left, top, wide, tall] }) => {
    const [across, down] = [left + wide / 2, top + tall / 2];
    return across > x - SLACK && across < x + w + SLACK && down > y - SLACK && down < y + h + SLACK;
  };
}

function drawn([x0, y0, x1, y1]) {
  const mark = document.createElementNS(SVG, "rect");
  const values = { class: "found line", x: x0 - 2, y: y0 - 1, width: x1 - x0 + 4, height: y1 - y0 + 2, rx: 1 };
  for (const [name, value] of Object.entries(values)) mark.setAttribute(name, value);
  return mark;
}

/** Mark the quote's own lines in a drawing of marks. In a box it must stand once, else the box stays as it is. */
export function narrow(marks, quote, words) {
  const boxes = marks.querySelectorAll(".found");
  if (boxes.length > 1 || !quote) return;
  const inside = boxes.length ? words.filter(within(boxes[0])) : words;
  const places = found(quote, inside);
  if (!places.length || (boxes.length && places.length > 1)) return;
  const lines = new Map();
  for (const { box: [left, top, wide, tall], line } of inside.slice(places[0][0], places[0][1] + 1)) {
    const [x0, y0, x1, y1] = lines.get(line) ?? [Infinity, Infinity, -Infinity, -Infinity];
    lines.set(line, [Math.min(x0, left), Math.min(y0, top), Math.max(x1, left + wide), Math.max(y1, top + tall)]);
  }
  marks.replaceChildren(...[...lines.values()].map(drawn));
}
