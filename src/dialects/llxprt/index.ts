import type { Dialect } from '../dialect.ts';
import { readAnswer } from './answer.ts';
import { chainPayload } from './chain.ts';
import { mergeAnswers } from './merge.ts';

/** LLxprt's protocol, which Gemini CLI's hooks speak too (seed 000). */
export const llxprt: Dialect = {
  name: 'llxprt',
  environment: ({ cwd }) => ({
    LLXPRT_PROJECT_DIR: cwd,
    GEMINI_PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
  }),
  read: readAnswer,
  chain: chainPayload,
  merge: mergeAnswers,
};
