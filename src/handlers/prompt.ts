import { withCode } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { beginningOf, type Answering } from './handler.ts';
import { quieted } from './quiet-signal.ts';
import { errorOf } from '../base/message-of.ts';

/** What the model receives after every prompt. */
const form =
  'Answer with one JSON object and nothing else: {"ok": true}, or {"ok": false, "reason": "…"} with the reason in one sentence.';

/** Asks a model whether what is about to happen is right; its `ok: false` blocks. */
export const askModel: Answering<'prompt'> = async (
  { ask },
  { command, stdin, signal, started },
) => {
  started();
  const prompt = `${withEvent(command.command, stdin)}\n\n${form}`;
  const answer = await ask(prompt, quieted(signal)).catch((error: unknown) => {
    throw withCode(errorOf(error), 'model-failed');
  });
  const { ok, reason } = read(answer);
  return { stdout: ok ? '' : JSON.stringify({ decision: 'block', reason }) };
};

const placeholder = '$ARGUMENTS';

const withEvent = (prompt: string, stdin: string): string =>
  prompt.includes(placeholder)
    ? prompt.replaceAll(placeholder, () => stdin)
    : `${prompt}\n\n${stdin}`;

/** Reads a model's judgement, which may be in a Markdown code fence. */
function read(answer: string): { readonly ok: boolean; readonly reason: string } {
  const [, fenced] = /```\w*\s*([^]*?)```/.exec(answer) ?? [];
  const judged = [answer, fenced ?? ''].map(parse).find(isRecord);
  const { ok, reason } = judged ?? {};
  if (typeof ok !== 'boolean')
    throw withCode(
      new Error(
        `the model did not answer with {"ok": …, "reason": …} but with: ${beginningOf(answer) || 'nothing'}`,
      ),
      'invalid-answer',
    );
  return { ok, reason: typeof reason === 'string' && reason !== '' ? reason : 'Blocked by hook' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
