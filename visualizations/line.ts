import type { Point } from './placed.ts';

const CORNER = 7;
const HEAD = 8;

/** Rounds to a tenth, to hide the differences between platforms in the last digit. */
export const rounded = (value: number): string => String(Math.round(value * 10) / 10);

const at = ({ x, y }: Point): string => `${rounded(x)} ${rounded(y)}`;

/** Joins points by straight lines with rounded corners, as SVG path data. */
export function lineThrough(points: readonly Point[]): string {
  const pieces = points.map((point, index) => {
    const before = points[index - 1];
    const after = points[index + 1];
    if (!before) return `M${at(point)}`;
    if (!after) return `L${at(point)}`;
    const [start, end] = [towards(point, before, CORNER), towards(point, after, CORNER)];
    return `L${at(start)}Q${at(point)} ${at(end)}`;
  });
  return pieces.join('');
}

/** The arrowhead at the end of a line. */
export function headOf(points: readonly Point[]): string {
  const [before, tip] = points.slice(-2) as [Point, Point];
  const neck = towards(tip, before, HEAD);
  const [dx, dy] = [(tip.y - neck.y) / 2, (neck.x - tip.x) / 2];
  const [left, right] = [1, -1].map((side) => ({ x: neck.x + side * dx, y: neck.y + side * dy }));
  return `M${at(tip)}L${at(left!)}L${at(right!)}Z`;
}

function towards(from: Point, to: Point, most: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(most, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
