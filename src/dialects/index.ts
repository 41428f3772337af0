import { claudeCode } from './claude-code/index.ts';
import { codex } from './codex/index.ts';
import { copilot } from './copilot/index.ts';
import { cursor } from './cursor/index.ts';
import { defaultDialects } from './defaults.ts';
import type { Dialect } from './dialect.ts';
import { geminiCli } from './gemini-cli/index.ts';
import { hookmachine } from './hookmachine/index.ts';
import { kodelet, kodeletStrict } from './kodelet/index.ts';
import { llxprt } from './llxprt/index.ts';
import { qwenCode } from './qwen-code/index.ts';

/** Every dialect that we speak; the first is what is spoken unless another one is named. */
export const knownDialects: readonly Dialect[] = [
  hookmachine,
  llxprt,
  kodelet,
  kodeletStrict,
  claudeCode,
  geminiCli,
  qwenCode,
  codex,
  copilot,
  cursor,
];

/** Those whose hooks run on the command line, wherever there are any (S-14). */
export const presentDialects: readonly Dialect[] = [
  ...defaultDialects,
  claudeCode,
  geminiCli,
  qwenCode,
  codex,
  copilot,
  cursor,
];

/** Of those: this one in the place of that which finds the same hooks. */
export const presentDialectsWith = (dialect: Dialect): readonly Dialect[] =>
  presentDialects.map((known) => (findSame(known, dialect) ? dialect : known));

/** Whether two dialects read the same hooks, so that only one of them may. */
export const findSame = (one: Pick<Dialect, 'family'>, other: Pick<Dialect, 'family'>): boolean =>
  one.family === other.family;
