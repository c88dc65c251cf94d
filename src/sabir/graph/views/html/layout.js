// Where boxes stand. Each open box holds a drawing of its parts: what is connected is put into columns by dagre, what is
// not into a grid, and the pieces are packed to the shape of a screen. No box opens to more than a few dozen parts, so that
// the work grows with what is seen and not with the graph.

const GAP = { columns: 70, rows: 14, pieces: 36, padding: 14, head: 40, cell: 14 };

// `shape`: width against height that the drawing should have, which is that of the screen.
function arranged(count, size, edges, shape) {
  const pieces = [];
  const loose = [];
  for (const { nodes, own } of components(count, edges)) {
    if (own.length) pieces.push(layered(nodes, size, own, shape));
    else loose.push(...nodes);
  }
  if (loose.length) pieces.push(grid(loose, size, shape));
  return packed(pieces, shape);
}

function components(count, edges) {
  const near = Array.from({ length: count }, () => []);
  edges.forEach((edge, at) => { near[edge.from].push([edge.to, at]); near[edge.to].push([edge.from, at]); });
  const seen = new Uint8Array(count);
  const found = [];
  for (let start = 0; start < count; start += 1) {
    if (seen[start]) continue;
    seen[start] = 1;
    const nodes = [start];
    const own = new Set();
    for (const node of nodes) {
      for (const [other, at] of near[node]) {
        own.add(at);
        if (!seen[other]) { seen[other] = 1; nodes.push(other); }
      }
    }
    found.push({ nodes, own: [...own].map((at) => edges[at]) });
  }
  return found;
}

function grid(nodes, size, shape) {
  const width = Math.max(...nodes.map((node) => size(node)[0]));
  const height = nodes.reduce((sum, node) => sum + size(node)[1] + GAP.rows, 0) / nodes.length;
  const columns = Math.max(1, Math.round(Math.sqrt((shape * nodes.length * height) / (width + GAP.cell))));
  const rows = Math.ceil(nodes.length / columns);
  const places = new Map();
  const heights = new Array(columns).fill(0);
  nodes.forEach((node, at) => {
    const column = Math.floor(at / rows);
    places.set(node, [column * (width + GAP.cell), heights[column]]);
    heights[column] += size(node)[1] + GAP.rows;
  });
  const used = Math.ceil(nodes.length / rows);
  return { nodes, places, routes: new Map(), width: used * (width + GAP.cell) - GAP.cell, height: Math.max(...heights) - GAP.rows };
}

function layered(nodes, size, edges, shape) {
  const labels = Math.max(0, ...edges.map((edge) => edge.label));
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "LR", ranksep: Math.max(GAP.columns, labels + 40), nodesep: GAP.rows, edgesep: 8, marginx: 0, marginy: 0 });
  for (const node of nodes) graph.setNode(String(node), { width: size(node)[0], height: size(node)[1] });
  for (const edge of edges) if (!graph.hasEdge(String(edge.to), String(edge.from))) graph.setEdge(String(edge.from), String(edge.to), {});
  dagre.layout(graph);
  const piece = { nodes, places: new Map(), routes: new Map(), width: graph.graph().width, height: graph.graph().height };
  for (const node of nodes) {
    const { x, y, width, height } = graph.node(String(node));
    piece.places.set(node, [x - width / 2, y - height / 2]);
  }
  if (refolded(piece, nodes, size, shape)) return piece;
  for (const edge of edges) {
    const there = graph.edge(String(edge.from), String(edge.to));
    const back = there ? null : graph.edge(String(edge.to), String(edge.from));
    const points = (there || back).points.flatMap(({ x, y }) => [x, y]);
    piece.routes.set(`${edge.from} ${edge.to}`, sideways(back ? backwards(points) : points, piece, size, edge));
  }
  return piece;
}

// Links leave and enter boxes at the middle of a side, not where the straight line would meet them.
function sideways(points, piece, size, edge) {
  const side = (node, towards) => {
    const [[x, y], [width, height]] = [piece.places.get(node), size(node)];
    return [towards > x + width / 2 ? x + width : x, y + height / 2];
  };
  const inner = points.slice(2, -2);
  return [...side(edge.from, points[2]), ...inner, ...side(edge.to, points.at(-4))];
}

// A drawing that is far from the shape of the screen is broken: tall columns into several, a long row of columns into lines
// that are read to and fro. Then links go their own ways.
function refolded(piece, nodes, size, shape) {
  const ideal = Math.sqrt((piece.width * piece.height) / shape);
  const tall = piece.height > Math.max(420, ideal * 1.7);
  const wide = piece.width > Math.max(500, ideal * shape * 1.4);
  if (!tall && !wide) return false;
  let columns = columnsOf(piece, nodes, size);
  if (tall) columns = columns.flatMap((column) => broken(column, size, Math.max(400, ideal * 1.2)));
  const whole = columns.reduce((sum, column) => sum + widest(column, size) + GAP.columns, 0);
  const height = Math.max(...columns.map((column) => tallness(column, size)));
  const lines = wide ? Math.max(2, Math.round(Math.sqrt(whole / ((height + GAP.pieces) * shape)))) : 1;
  setInLines(piece, columns, size, whole / lines);
  return true;
}

const widest = (column, size) => Math.max(...column.map((node) => size(node)[0]));
const tallness = (column, size) => column.reduce((sum, node) => sum + size(node)[1] + GAP.rows, -GAP.rows);

function columnsOf(piece, nodes, size) {
  const columns = new Map();
  for (const node of nodes) {
    const middle = Math.round(piece.places.get(node)[0] + size(node)[0] / 2);
    if (!columns.has(middle)) columns.set(middle, []);
    columns.get(middle).push(node);
  }
  const sorted = [...columns].sort((a, b) => a[0] - b[0]).map(([, column]) => column);
  for (const column of sorted) column.sort((a, b) => piece.places.get(a)[1] - piece.places.get(b)[1]);
  return sorted;
}

function broken(column, size, tallest) {
  const parts = Math.ceil(tallness(column, size) / tallest);
  const most = tallness(column, size) / parts + 1;
  const columns = [[]];
  for (const node of column) {
    if (columns.at(-1).length && tallness([...columns.at(-1), node], size) > most) columns.push([]);
    columns.at(-1).push(node);
  }
  return columns;
}

function setInLines(piece, columns, size, room) {
  const lines = [[]];
  let used = 0;
  for (const column of columns) {
    const width = widest(column, size) + GAP.columns;
    if (lines.at(-1).length && used + width / 2 > room) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1).push(column);
    used += width;
  }
  const widths = lines.map((line) => line.reduce((sum, column) => sum + widest(column, size) + GAP.columns, -GAP.columns));
  piece.width = Math.max(...widths);
  let y = 0;
  lines.forEach((line, number) => {
    const height = Math.max(...line.map((column) => tallness(column, size)));
    let x = number % 2 ? piece.width : 0;
    for (const column of line) {
      const width = widest(column, size);
      let top = y + (height - tallness(column, size)) / 2;
      for (const node of column) {
        const left = number % 2 ? x - width : x;
        piece.places.set(node, [left + (width - size(node)[0]) / 2, top]);
        top += size(node)[1] + GAP.rows;
      }
      x += (width + GAP.columns) * (number % 2 ? -1 : 1);
    }
    y += height + GAP.pieces;
  });
  piece.height = y - GAP.pieces;
}

// Shelves, the tallest piece first.
function packed(pieces, shape) {
  const area = pieces.reduce((sum, piece) => sum + (piece.width + GAP.pieces) * (piece.height + GAP.pieces), 0);
  const room = Math.max(Math.sqrt(area * shape) * 1.1, ...pieces.map((piece) => piece.width));
  const places = new Map();
  const routes = new Map();
  let [x, y, shelf, width] = [0, 0, 0, 0];
  for (const piece of [...pieces].sort((a, b) => b.height - a.height)) {
    if (x && x + piece.width > room) {
      [x, y, shelf] = [0, y + shelf + GAP.pieces, 0];
    }
    for (const [node, [left, top]] of piece.places) places.set(node, [left + x, top + y]);
    for (const [key, points] of piece.routes) routes.set(key, points.map((at, place) => at + (place % 2 ? y : x)));
    width = Math.max(width, x + piece.width);
    x += piece.width + GAP.pieces;
    shelf = Math.max(shelf, piece.height);
  }
  return { places, routes, width, height: y + shelf };
}

function backwards(points) {
  const turned = [];
  for (let at = points.length - 2; at >= 0; at -= 2) turned.push(points[at], points[at + 1]);
  return turned;
}
