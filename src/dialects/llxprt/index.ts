import type { Dialect } from '../dialect.ts';
import { readAnswer } from './answer.ts';
import { chainPayload } from './chain.ts';
import { llxprtOutline } from './outline.ts';

/** LLxprt's protocol, which Gemini CLI's hooks speak too (seed 000). */
export const llxprt: Dialect = {
  ...llxprtOutline,
  environment: ({ cwd }) => ({
    LLXPRT_PROJECT_DIR: cwd,
    GEMINI_PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
  }),
  stdin: (_, payload) => payload,
  read: readAnswer,
  chain: chainPayload,
  standing: (answers) => answers,
};
