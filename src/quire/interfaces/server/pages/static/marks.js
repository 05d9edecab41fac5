// The words of a quote within the box where it stands: marked line by line, instead of the whole box.

const SVG = "http://www.w3.org/2000/svg";
const SLACK = 4; // points that a word may stick out of its box
const letters = (text) => text.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** Where a quote begins and ends among words, as [first, last]; null if it is not there, or more than once. */
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
  return places.length === 1 ? places[0] : null;
}

/** Mark the quote's own lines in a drawing of marks, in place of the one box around it. */
export function narrow(marks, quote, words) {
  const boxes = marks.querySelectorAll(".found");
  if (boxes.length !== 1 || !quote) return;
  const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => Number(boxes[0].getAttribute(name)));
  const inside = words.filter(({ box }) => {
    const [across, down] = [box[0] + box[2] / 2, box[1] + box[3] / 2];
    return across > x - SLACK && across < x + w + SLACK && down > y - SLACK && down < y + h + SLACK;
  });
  const place = found(quote, inside);
  if (!place) return;
  const lines = new Map();
  for (const { box: [left, top, wide, tall], line } of inside.slice(place[0], place[1] + 1)) {
    const [x0, y0, x1, y1] = lines.get(line) ?? [Infinity, Infinity, -Infinity, -Infinity];
    lines.set(line, [Math.min(x0, left), Math.min(y0, top), Math.max(x1, left + wide), Math.max(y1, top + tall)]);
  }
  boxes[0].replaceWith(...[...lines.values()].map(([x0, y0, x1, y1]) => {
    const mark = document.createElementNS(SVG, "rect");
    const values = { class: "found line", x: x0 - 2, y: y0 - 1, width: x1 - x0 + 4, height: y1 - y0 + 2, rx: 1 };
    for (const [name, value] of Object.entries(values)) mark.setAttribute(name, value);
    return mark;
  }));
}
