import { cline } from '../cline/index.ts';
import { claudeCode } from '../claude-code/index.ts';
import { codex } from '../codex/index.ts';
import { copilot } from '../copilot/index.ts';
import { cursor } from '../cursor/index.ts';
import { addFamily, defaultDialects } from './defaults.ts';
import { antigravity } from '../antigravity/index.ts';
import { crush } from '../crush/index.ts';
import { factory } from '../factory/index.ts';
import { goose } from '../goose/index.ts';
import { kimi } from '../kimi/index.ts';
import { openhands } from '../openhands/index.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { geminiCli } from '../gemini-cli/index.ts';
import { hookmachine } from '../hookmachine/index.ts';
import { kodelet, kodeletStrict } from '../kodelet/index.ts';
import { llxprt } from '../llxprt/index.ts';
import { qwenCode } from '../qwen-code/index.ts';

/** The dialects of hosts whose hooks run wherever there are any. */
const ofHosts: readonly Dialect[] = [
  claudeCode,
  geminiCli,
  qwenCode,
  codex,
  copilot,
  cursor,
  factory,
  kimi,
  cline,
  crush,
  goose,
  openhands,
  antigravity,
];

const all: Dialect[] = [hookmachine, llxprt, kodelet, kodeletStrict, ...ofHosts];
const present: Dialect[] = [...defaultDialects, ...ofHosts];

/** Every dialect that we speak; the first is the default. */
export const knownDialects: readonly Dialect[] = all;

/** The dialects whose hooks run on the command line, wherever there are any. */
export const presentDialects: readonly Dialect[] = present;

/** Adds the dialect of an agent that is not one of ours, before anyone reads the lists. */
export function addDialect(dialect: Dialect): void {
  all.push(dialect);
  present.push(dialect);
  addFamily(dialect);
}

/** Returns the same dialects, with this one in place of the one that finds the same hooks. */
export const presentDialectsWith = (dialect: Dialect): readonly Dialect[] =>
  presentDialects.map((known) => (findSame(known, dialect) ? dialect : known));

/** Whether two dialects find the same hooks, so that only one of them may be used. */
export const findSame = (one: Pick<Dialect, 'family'>, other: Pick<Dialect, 'family'>): boolean =>
  one.family === other.family;
