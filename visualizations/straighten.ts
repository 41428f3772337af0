import type { Point } from './placed.ts';

/** A line that swerves by less than this beside a state can meet the state a little to the side instead. */
const SWERVE = 18;

/** Removes small swerves from both ends of a line, except from the piece that bears its label. */
export const straightened = (points: readonly Point[], labelX?: number): readonly Point[] =>
  withoutSwerve(withoutSwerve(points, labelX).toReversed(), labelX).toReversed();

function withoutSwerve(points: readonly Point[], labelX?: number): readonly Point[] {
  const [end, turn, back, ...rest] = points;
  if (!end || !turn || !back || rest.length === 0) return points;
  const bearsLabel = labelX !== undefined && Math.abs(end.x - labelX) < 1;
  const swerves = Math.abs(turn.x - back.x) < SWERVE;
  return swerves && !bearsLabel ? [{ x: back.x, y: end.y }, ...rest] : points;
}
