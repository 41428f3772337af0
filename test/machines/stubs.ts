import type { AgentTurnInput } from '../../machines/agent-turn.ts';
import type { AnswerStreamInput } from '../../machines/answer-stream.ts';
import type { HookEventInput } from '../../machines/hook-event.ts';
import type { HookProcessInput } from '../../machines/hook-process.ts';
import type { ModelCallInput } from '../../machines/model-call.ts';
import type { ToolCallInput } from '../../machines/tool-call.ts';

const nothing = (): undefined => undefined;
const never = (): Promise<never> => new Promise(nothing);

const hookProcess: HookProcessInput = {
  name: 'some-hook',
  timeout: 60_000,
  command: { command: '', cwd: '', env: {}, stdin: () => '' },
};

const hookEvent: HookEventInput = {
  event: 'BeforeTool',
  hooks: [{ name: 'some-hook' }, { name: 'another' }],
  lanes: [{ dialect: 'llxprt', mode: 'sequential', positions: [0, 1] }],
  payload: {},
  rules: {
    prepare: () => hookProcess,
    read: () => ({ decision: undefined, stop: false, status: 'ok' }),
    merge: () => ({ blocked: false, stop: false }),
  },
  reports: { answered: nothing, decided: nothing },
};

const toolCall: ToolCallInput = {
  id: '1',
  toolName: 'some_tool',
  toolInput: {},
  ports: {
    hooksBefore: () => hookEvent,
    hooksOnPermission: () => hookEvent,
    hooksOnFailure: () => hookEvent,
    hooksAfter: () => hookEvent,
    hasFailed: () => true,
    rewrite: (toolInput) => toolInput,
    ask: nothing,
    execute: never,
    takeQuestion: nothing,
    failure: () => ({}),
  },
};

const answerStream: AnswerStreamInput = {
  event: 'AfterModel',
  hooks: [{ name: 'some-hook' }, { name: 'another' }],
  rules: {
    prepare: () => hookProcess,
    read: (_, __, { text }) => ({
      text,
      held: '',
      answer: { decision: undefined, stop: false, status: 'ok' },
    }),
    merge: () => ({ blocked: false, stop: false }),
  },
  reports: { shown: nothing, answered: nothing, decided: nothing },
};

const modelCall: ModelCallInput = {
  id: '1',
  request: {},
  ports: {
    hooksOnSelection: () => hookEvent,
    hooksBefore: () => hookEvent,
    hooksOnText: () => answerStream,
    hooksAfter: () => hookEvent,
    selectTools: (request) => request,
    rewrite: (request) => request,
    synthetic: nothing,
    call: never,
    streamed: (response) => response ?? {},
    revise: (response) => response,
  },
};

const agentTurn: AgentTurnInput = {
  maxSteps: 2,
  maxRejections: 1,
  toolLimit: 2,
  ports: {
    planHooks: () => Promise.resolve({ before: () => hookEvent, after: () => hookEvent }),
    acceptPrompt: nothing,
    sendOn: nothing,
    stopOf: () => ({ reason: '' }),
    modelCall: () => modelCall,
    readAnswer: () => ({ status: 'answered', calls: [] }),
    takeAnswer: nothing,
    reportCalls: nothing,
    toolCall: () => toolCall,
    readResult: () => ({}),
    reportResults: nothing,
    takeResults: nothing,
  },
};

/** Input for machines that are only inspected, by the names of their files. */
export const stubs: Readonly<Record<string, object>> = {
  'agent-turn': agentTurn,
  'answer-stream': answerStream,
  'durable-hook': { ...hookProcess, effect: '' },
  'hook-event': hookEvent,
  'hook-process': hookProcess,
  'model-call': modelCall,
  'tool-call': toolCall,
};
