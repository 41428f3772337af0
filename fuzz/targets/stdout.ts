import type { HookExit } from '../../machines/hook-process.ts';
import { knownDialects } from '../../src/dialects/index.ts';
import { mergeAnswers } from '../../src/dialects/merge/merge-answers.ts';
import { hookEventNames } from '../../src/protocol/events.ts';
import { createSpecificHookOutput } from '../../src/translate/model-outputs.ts';
import { promise, type Target } from '../target.ts';

const payload = { tool_name: 'write_file', tool_input: { file_path: 'a.txt' }, prompt: 'Hi' };
const guard = { exitCode: 2, stdout: '', stderr: 'no' };

/** What hooks print, in every dialect and for every event. */
export const stdout: Target = {
  name: 'stdout',
  words: [
    'decision',
    'deny',
    'block',
    'continue',
    'reason',
    'hookSpecificOutput',
    'tool_input',
    'llm_request',
    'llm_response',
    'toolConfig',
    'permissionDecision',
    'candidates',
    'messages',
    'blocked',
    'input',
    'output',
    'follow_up_messages',
    'additionalContext',
    'allowedFunctionNames',
    'parts',
    'Decision',
    'descision',
    'permission',
    'toolInput',
    'updatedInput',
    'checking...\n',
    '```json\n',
  ],
  run(text) {
    for (const dialect of knownDialects)
      for (const event of hookEventNames) {
        if (!Object.values(dialect.events).includes(event)) continue;
        const read = (exit: Partial<HookExit>) =>
          dialect.read(
            event,
            {
              status: 'exited',
              leftBackground: false,
              exit: {
                exitCode: 0,
                signal: null,
                stdout: text,
                stderr: '',
                truncated: [],
                durationMs: 1,
                ...exit,
              },
            },
            payload,
          );
        const answer = read({});
        promise(answer.status === 'ok' || answer.error !== undefined, 'a failure has a name');
        if (text.trimStart().startsWith('{') && answer.output?.decision === 'deny') {
          const { notes, error } = read({ stdout: `checking...\n${text}` });
          promise(
            [...notes, error?.message].some((line) => line?.includes('NOT read')),
            `a denial behind a line of a log is reported in ${event}`,
          );
        }
        JSON.stringify(dialect.stdin(event, dialect.chain(event, payload, answer), {}));
        const denies = knownDialects[0]!.read(
          event,
          {
            status: 'exited',
            leftBackground: false,
            exit: { ...guard, signal: null, truncated: [], durationMs: 1 },
          },
          payload,
        );
        const standing = dialect.standing([answer]);
        for (const answers of [
          [denies, ...standing],
          [...standing, denies],
        ]) {
          const { output } = mergeAnswers(
            event,
            answers.map((one) => ({ hook: 'hook', answer: one })),
          );
          const verdict = createSpecificHookOutput(output ?? {}, event);
          promise(
            verdict.isBlockingDecision(),
            `the denial stands in ${event} beside ${dialect.name}`,
          );
          JSON.stringify(verdict);
        }
      }
    promise(Object.keys(Object.prototype).length === 0, 'no prototype is changed');
  },
};
