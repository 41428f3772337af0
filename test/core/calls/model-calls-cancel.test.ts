import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { callModel } from '../../support/call-model.ts';
import { inParallel, inSequence, print } from '../../support/session.ts';
import { saying, silent } from '../../support/some-model.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { isAlive, untilWritten } from '../../support/until.ts';

let abort: AbortController;
let cwd: string;
beforeEach(() => {
  abort = new AbortController();
});
const inFolder = () => {
  cwd = tempFolder();
  return { signal: abort.signal, config: { cwd } };
};

/** A hook that writes its pid and then runs for a long time. */
const working = 'echo $$ >pid; sleep 30';
const running = async (): Promise<number> => Number(await untilWritten(join(cwd, 'pid')));

describe('a model call that is cancelled', () => {
  test.each([
    ['with hooks', { BeforeModel: inParallel('touch before-ran') }],
    ['without hooks', {}],
  ])('a call that is cancelled before it begins does not reach the model, %s', async (_, hooks) => {
    abort.abort('too late');
    const { outcome, sent, response } = await callModel(hooks, inFolder());
    expect(outcome).toMatchObject({ status: 'cancelled', reason: 'too late' });
    expect(sent).toEqual([]);
    expect(response).toBeUndefined();
    expect(existsSync(join(cwd, 'before-ran'))).toBe(false);
  });

  test.each(['BeforeToolSelection', 'BeforeModel'] as const)(
    'cancelling a call kills its running %s hooks and never calls the model (G-02)',
    async (event) => {
      const hooks = {
        [event]: inParallel(print({ continue: false, systemMessage: 'Ignored.' }), working),
        AfterModel: inParallel('touch after-ran'),
      };
      const call = callModel(hooks, inFolder());
      const pid = await running();
      abort.abort('user');
      const { outcome, sent, stop, blockedReason, systemMessage, session } = await call;
      expect(outcome).toMatchObject({ status: 'cancelled', reason: 'user' });
      expect(sent).toEqual([]);
      expect([stop, blockedReason, systemMessage]).toEqual([undefined, undefined, undefined]);
      expect(isAlive(pid)).toBe(false);
      expect(existsSync(join(cwd, 'after-ran'))).toBe(false);
      expect(session.warnings).toEqual([]);
    },
  );

  test('cancelling a call in the middle of a sequence starts no further hook', async () => {
    const call = callModel({ BeforeModel: inSequence(working, 'touch second-ran') }, inFolder());
    await running();
    abort.abort();
    expect((await call).outcome.status).toBe('cancelled');
    expect(existsSync(join(cwd, 'second-ran'))).toBe(false);
  });

  test.each([
    ['with hooks', { AfterModel: inParallel('touch after-ran') }],
    ['without hooks', {}],
  ])(
    'cancelling a call aborts the model’s signal, waits for nothing and fires no AfterModel, %s (HOOK-207, C-84)',
    async (_, hooks) => {
      let modelSignal: AbortSignal | undefined;
      const { outcome, response } = await callModel(hooks, {
        ...inFolder(),
        model: (_request, signal) => {
          modelSignal = signal;
          setTimeout(() => abort.abort('user'), 20);
          return silent();
        },
      });
      expect(outcome).toMatchObject({ status: 'cancelled', reason: 'user' });
      expect(response).toBeUndefined();
      expect(modelSignal?.aborted).toBe(true);
      expect(existsSync(join(cwd, 'after-ran'))).toBe(false);
    },
  );

  test.each([
    ['with hooks', { BeforeModel: inParallel('true') }],
    ['without hooks', {}],
  ])(
    'a cancelled call is cancelled even if the model rejects on the signal, %s',
    async (_, hooks) => {
      const { outcome } = await callModel(hooks, {
        ...inFolder(),
        model: (_request, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('ended')));
            setTimeout(() => abort.abort('user'), 20);
          }),
      });
      expect(outcome.status).toBe('cancelled');
    },
  );

  test('cancelling a call while its AfterModel hooks run kills them and gives no response, which they might have redacted', async () => {
    const call = callModel(
      { AfterModel: inParallel(working, print({ systemMessage: 'Ignored.' })) },
      { ...inFolder(), model: () => Promise.resolve(saying('secret')) },
    );
    const pid = await running();
    abort.abort('user');
    const { outcome, response, stop, systemMessage } = await call;
    expect(outcome).toMatchObject({ status: 'cancelled', reason: 'user' });
    expect([response, stop, systemMessage]).toEqual([undefined, undefined, undefined]);
    expect(isAlive(pid)).toBe(false);
  });

  test('cancelling a model call after its end has no effect', async () => {
    const { outcome } = await callModel({ AfterModel: inParallel('true') }, inFolder());
    abort.abort();
    expect(outcome.status).toBe('done');
  });
});
