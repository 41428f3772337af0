import type { Suite } from './agent.ts';
import { approvals } from './approvals.ts';
import { attacks } from './attacks.ts';
import { answers } from './answers.ts';
import { parts } from './parts.ts';
import { results } from './results.ts';
import { stops } from './stops.ts';
import { streams } from './streams.ts';
import { suite } from './suite.ts';
import { turns } from './turns.ts';
import type { Version } from './sdk.ts';

const others: readonly ((one: Suite) => void)[] = [
  results,
  stops,
  answers,
  streams,
  turns,
  approvals,
  parts,
  attacks,
];

export const all = (version: Version): void => suite(version, others);
