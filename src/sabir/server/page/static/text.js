// Text files in an editor that knows only "\\n": bytes that were not edited stay as they are.

// The text of a file with its byte order mark, or null when it is binary.
export function decode(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

// The lines of a text, and how each one ends.
function split(text) {
  const parts = text.split(/(\r\n|\r|\n)/);
  return { lines: parts.filter((_, at) => at % 2 === 0), ends: parts.filter((_, at) => at % 2 === 1) };
}

function usual(ends) {
  const counts = new Map();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0] ?? "\n";
}

// The edited text with the byte order mark of the original, and the line endings of every line that is not changed.
export function restore(original, edited) {
  const mark = original.startsWith("\ufeff") ? "\ufeff" : "";
  const before = split(original.slice(mark.length));
  const after = edited.split("\n");
  const most = Math.min(before.lines.length, after.length);
  let first = 0;
  while (first < most && before.lines[first] === after[first]) first += 1;
  let last = 0;
  while (last < most - first && before.lines.at(-1 - last) === after.at(-1 - last)) last += 1;
  const shift = before.lines.length - after.length;
  const other = usual(before.ends);
  const kept = (at) => (at >= after.length - last ? at + shift : at < before.lines.length - last ? at : -1);
  const end = (at) => before.ends[kept(at)] ?? other;
  return mark + after.map((line, at) => (at === after.length - 1 ? line : line + end(at))).join("");
}
