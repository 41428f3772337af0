import type { HookExit } from '../../machines/hook-process.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import type { Answer } from '../../src/core/answers/answer.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { mergeEffects, passChanges } from '../../src/core/answers/merge-effects.ts';
import { outputOf } from '../../src/core/views/outputs.ts';
import { mergeLanes } from '../../src/core/answers/merge-lanes.ts';
import { hookEventNames } from '../../src/core/protocol/events.ts';
import { createSpecificHookOutput } from '../../src/core/translate/model-outputs.ts';
import { definition } from '../../test/support/definition.ts';
import { lookedFor } from '../../test/support/looked-for.ts';
import { promise, type Target } from '../target.ts';

const payload = { tool_name: 'write_file', tool_input: { file_path: 'a.txt' }, prompt: 'Hi' };
const guard = { exitCode: 2, stdout: '', stderr: 'no' };

await Promise.all(knownDialects.map(lookedFor));

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
        const [nativeEvent] =
          Object.entries(dialect.events).find(([, ours]) => ours === event) ?? [];
        if (nativeEvent === undefined) continue;
        const hook = definition(event, { nativeEvent });
        const read = (exit: Partial<HookExit>) =>
          dialect.read(
            hook,
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
          const { decision, notes, error } = read({ stdout: `checking...\n${text}` });
          promise(
            decision === 'deny' ||
              [...notes, error?.message].some((line) => line?.includes('NOT read')),
            `a denial after a log line counts or is reported in ${event} of ${dialect.name}`,
          );
        }
        const passed = (dialect.chain ?? passChanges)(event, payload, answer);
        JSON.stringify(dialect.stdin(hook, passed, {}));
        const denies = knownDialects[0]!.read(
          definition(event),
          {
            status: 'exited',
            leftBackground: false,
            exit: { ...guard, signal: null, truncated: [], durationMs: 1 },
          },
          payload,
        );
        const laneOf = (merge: Dialect['merge'], said: Answer) => ({
          verdict: (merge ?? mergeEffects)(event, [{ hook: 'hook', answer: said }], payload),
          answers: [{ hook: 'hook', answer: said, position: 0 }],
        });
        const guards = laneOf(knownDialects[0]!.merge, denies);
        const others = laneOf(dialect.merge, answer);
        for (const lanes of [
          [guards, others],
          [others, guards],
        ]) {
          const verdict = mergeLanes(lanes, payload);
          promise(
            createSpecificHookOutput(outputOf(verdict) ?? {}, event).isBlockingDecision(),
            `the denial counts in ${event} next to ${dialect.name}`,
          );
          JSON.stringify(verdict);
        }
      }
    promise(Object.keys(Object.prototype).length === 0, 'no prototype is changed');
  },
};
