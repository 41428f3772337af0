import { describe, expect, test } from 'vitest';
import { straightened } from '../../visualizations/straighten.ts';

/** Down, 10 across, and down again. */
const swerving = [
  { x: 0, y: 0 },
  { x: 0, y: 20 },
  { x: 10, y: 20 },
  { x: 10, y: 40 },
];

describe('a line', () => {
  test('a line loses a small swerve', () => {
    expect(straightened(swerving)).toEqual([
      { x: 10, y: 0 },
      { x: 10, y: 40 },
    ]);
  });

  test('a line stays where its label is', () => {
    expect(straightened(swerving, 0)).toEqual([
      { x: 0, y: 0 },
      { x: 0, y: 40 },
    ]);
  });

  test('a line keeps a real turn', () => {
    const turning = swerving.map(({ x, y }) => ({ x: x * 10, y }));
    expect(straightened(turning)).toEqual(turning);
  });

  test('a straight line stays as it is', () => {
    const straight = [
      { x: 0, y: 0 },
      { x: 0, y: 40 },
    ];
    expect(straightened(straight)).toEqual(straight);
  });
});
