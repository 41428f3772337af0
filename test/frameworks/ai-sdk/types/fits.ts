/** Checked against the real types of each version of the SDK. */
import {
  convertToModelMessages,
  generateText,
  type InferUITools,
  streamText,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { z } from 'zod';
import { guardTool, hooksMiddleware, withHooks } from '../../../../src/entries/ai-sdk.ts';
import type { RealModel } from 'real-model';

type Equal<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const isTrue = <_Claim extends true>(): void => undefined;

declare const real: RealModel;

const own = {
  write: tool({
    description: 'Writes a file',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => ({ path, bytes: 3 }),
  }),
  ask: tool({ inputSchema: z.object({ question: z.string() }) }),
};

export async function run(): Promise<void> {
  const { model, tools, hooks } = withHooks({ model: real, tools: own, cwd: process.cwd() });
  isTrue<Equal<typeof tools, typeof own>>();
  isTrue<Equal<typeof model, RealModel>>();
  type Shown = UIMessage<never, never, InferUITools<typeof tools>>;
  const { toolResults } = await generateText({ model, tools, prompt: 'Go' });
  for (const result of toolResults)
    if (result.toolName === 'write') result.output satisfies unknown;
  const { fullStream } = streamText({ model, tools, messages: [] });
  for await (const part of fullStream) if (part.type === 'error') throw part.error;
  const shown: Shown[] = [];
  await convertToModelMessages(shown, { tools });
  const guarded = guardTool(own.write, { name: 'write', cwd: '.' });
  isTrue<Equal<typeof guarded, typeof own.write>>();
  const alone = withHooks({ model: real });
  await generateText({ model: alone.model, prompt: 'Go' });
  const wrapped = wrapLanguageModel({ model: real, middleware: hooksMiddleware({ cwd: '.' }) });
  await generateText({ model: wrapped, tools: { write: guarded }, prompt: 'Go' });
  await hooks.end();
}
