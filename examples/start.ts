/**
 * `npm start`: an agent session in a copy of `examples/guarded-project`. The model is scripted, everything
 * else is real: hooks, tools, files. For each call it shows the states that the call went through, its hooks,
 * what the model was asked, and the result.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { builtInTools, ChatLoop, type ChatEvent } from '../src/entries/agent.ts';
import { scriptedModel, type Model } from '../src/entries/models.ts';
import { createConfig } from '../src/index.ts';
import { callStates } from './call-states.ts';

const prompts = [
  'Put our AWS key into src/config.js.',
  'Tidy up.',
  'What are the house rules?',
  'Deploy.',
];

const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
  process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;
const show = (label: string, text: string): void => {
  process.stdout.write(`${paint('dim', label.padEnd(23))}${text}\n`);
};

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const scripted = await scriptedModel(here('session.yaml'));

/** Shows what the model is really asked after the hooks. */
const model: Model = {
  name: scripted.name,
  generate(request, options) {
    const { temperature, toolConfig } = request.config ?? {};
    const allowed = toolConfig?.functionCallingConfig?.allowedFunctionNames?.join(', ');
    show(
      'model asked',
      `temperature ${temperature}, tools ${allowed ?? 'all'}, system: ${JSON.stringify(request.config?.systemInstruction)}`,
    );
    return scripted.generate(request, options);
  },
};

const project = mkdtempSync(join(tmpdir(), 'guarded-project-'));
const { inspect, onEnd } = callStates();
onEnd((machine, states) => show(`  ${machine}`, paint('cyan', states.join(' → '))));
try {
  cpSync(here('guarded-project'), project, { recursive: true });
  const config = createConfig({ cwd: project, inspect });
  const chat = new ChatLoop({ config, model, tools: builtInTools(), toolLimit: 1 });
  for (const prompt of prompts) {
    process.stdout.write(`\n${paint('bold', `You: ${prompt}`)}\n`);
    for await (const event of chat.run(prompt)) print(event);
  }
} finally {
  rmSync(project, { recursive: true });
}

function print(event: ChatEvent): void {
  switch (event.type) {
    case 'text':
      return show('model says', event.text);
    case 'toolCall':
      return show('tool wanted', `${event.name} ${JSON.stringify(event.input)}`);
    case 'hookDecision':
      for (const { name, exitCode, signal, durationMs, error } of event.hooks)
        show(
          `  ${event.event}`,
          `${name.padEnd(14)} exit ${String(signal ?? exitCode ?? 'none').padEnd(8)}${String(durationMs).padStart(5)} ms${error === undefined ? '' : paint('yellow', `  ${error}`)}`,
        );
      if (event.blocked) show('  blocked', paint('red', event.reason ?? ''));
      return;
    case 'toolResult':
      show(`  ${event.status}`, `the model reads ${JSON.stringify(event.llmContent)}`);
      return show(
        '',
        `the user sees ${event.display === null ? 'nothing (suppressOutput)' : JSON.stringify(event.display)}`,
      );
    case 'stop':
      return show('stopped', paint('yellow', event.reason));
    case 'modelBlocked':
    case 'promptBlocked':
    case 'answerRejected':
    case 'cancelled':
      return show(event.type, event.reason);
    case 'error':
      return show('error', paint('red', event.message));
    case 'notice':
    case 'followUp':
      return show(event.type, event.text);
    case 'finalAnswer':
    case 'suspended':
      return;
  }
}
