import type { infrastructureRules } from './infrastructure-rules.ts';

export type InfrastructureRule = (typeof infrastructureRules)[number]['id'];

/** Shapes of command lines, as words joined by spaces. */
export interface Shape {
  readonly matches: RegExp;
  readonly unless?: RegExp;
  readonly rule: InfrastructureRule;
  readonly does: string;
}

export const destroys = (matches: RegExp, does: string, unless?: RegExp): Shape => ({
  matches,
  does,
  rule: 'infrastructure/destroy',
  ...(unless && { unless }),
});
export const empties = (matches: RegExp, does: string): Shape => ({
  matches,
  does,
  rule: 'infrastructure/database',
});
export const removes = (matches: RegExp, does: string, unless?: RegExp): Shape => ({
  matches,
  does,
  rule: 'infrastructure/remote-files',
  ...(unless && { unless }),
});
export const prunes = (matches: RegExp, does: string): Shape => ({
  matches,
  does,
  rule: 'infrastructure/containers',
});
export const publishes = (matches: RegExp, does: string): Shape => ({
  matches,
  does,
  rule: 'publishing/publish',
  unless: /(?:^| )--(?:dry-run|help)/,
});
