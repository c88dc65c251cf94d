// Lines, arrows and words that fit: what the painter draws with.

function fitted(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let length = Math.floor((text.length * width) / ctx.measureText(text).width);
  while (length > 2 && ctx.measureText(`${text.slice(0, length)}…`).width > width) length -= 1;
  return length > 2 ? `${text.slice(0, length)}…` : "";
}

// Straight within a column, a curve with level ends between two columns.
function trace(ctx, points) {
  let [x, y] = points;
  ctx.moveTo(x, y);
  if (points.loop) { // round one side of two boxes that stand above each other
    ctx.bezierCurveTo(points[2] + 12, y, points[2] + 12, points[5], points[4], points[5]);
    return;
  }
  for (let at = 2; at < points.length; at += 2) {
    const [nextX, nextY] = [points[at], points[at + 1]];
    if (nextY === y) ctx.lineTo(nextX, nextY);
    else ctx.bezierCurveTo((x + nextX) / 2, y, (x + nextX) / 2, nextY, nextX, nextY);
    [x, y] = [nextX, nextY];
  }
}

function tip(ctx, points, size) {
  const [x, y, before] = [points.at(-2), points.at(-1), points.at(-4)];
  const back = (before > x ? 7 : -7) * size;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + back, y - 3.2 * size);
  ctx.lineTo(x + back, y + 3.2 * size);
  ctx.fill();
}

// A curve between the two sides that face each other.
function flowPoints([x, y, width, height], [toX, toY, toWidth, toHeight]) {
  const [cx, cy] = [x + width / 2, y + Math.min(height / 2, 19)];
  const [tx, ty] = [toX + toWidth / 2, toY + Math.min(toHeight / 2, 19)];
  const aside = Math.max(toX - (x + width), x - (toX + toWidth));
  if (aside > 0) {
    const right = tx > cx ? 1 : -1;
    const [startX, endX] = right > 0 ? [x + width, toX] : [x, toX + toWidth];
    const bow = Math.max(Math.abs(endX - startX) / 2, 20) * right;
    return [startX, cy, startX + bow, cy, endX - bow, ty, endX, ty];
  }
  const down = ty > cy ? 1 : -1;
  const [startY, endY] = down > 0 ? [y + height, toY] : [y, toY + toHeight];
  const bow = Math.max(Math.abs(endY - startY) / 2, 20) * down;
  return [cx, startY, cx, startY + bow, tx, endY - bow, tx, endY];
}

function arrow(ctx, points, size) {
  const [x, y] = [points.at(-2), points.at(-1)];
  const [dx, dy] = [Math.sign(Math.round(x - points.at(-4))), Math.sign(Math.round(y - points.at(-3)))];
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x - 8 * dx * size - 3.6 * dy * size, y - 8 * dy * size - 3.6 * dx * size);
  ctx.lineTo(x - 8 * dx * size + 3.6 * dy * size, y - 8 * dy * size + 3.6 * dx * size);
  ctx.fill();
}
