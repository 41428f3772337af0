import { expect, test } from 'vitest';
import * as agent from '../../src/entries/agent.ts';
import * as dialects from '../../src/entries/dialects.ts';
import * as inspector from '../../src/entries/inspector.ts';
import * as machines from '../../src/entries/machines.ts';
import * as models from '../../src/entries/models.ts';
import * as stately from '../../src/entries/stately.ts';
import * as core from '../../src/index.ts';

const names = (entry: object): readonly string[] => Object.keys(entry).toSorted();

test('the core exports the documented names (HOOK-142, 143, 148, 175, 176)', () => {
  expect(names(core)).toEqual([
    'AfterModelHookOutput',
    'AfterToolHookOutput',
    'BeforeModelHookOutput',
    'BeforeToolHookOutput',
    'BeforeToolSelectionHookOutput',
    'DefaultHookOutput',
    'EXIT_CODE_BLOCKING_ERROR',
    'EXIT_CODE_NON_BLOCKING_ERROR',
    'EXIT_CODE_SUCCESS',
    'HookEventHandler',
    'HookEventName',
    'HookRegistry',
    'HookSystem',
    'HookSystemNotInitializedError',
    'HookmachineError',
    'MessageBusType',
    'buildFailureEnvelope',
    'createConfig',
    'createHookOutput',
    'createSpecificHookOutput',
    'defaultHookTranslator',
    'executeToolWithHooks',
    'fireAfterModelHook',
    'fireAfterToolHook',
    'fireBeforeModelHook',
    'fireBeforeToolHook',
    'fireBeforeToolSelectionHook',
    'hookEventNames',
    'hookPoints',
    'isEventFields',
    'isHookmachineError',
    'processHookResult',
  ]);
});

test('every other part of the package exports its own names', () => {
  expect(names(agent)).toEqual([
    'ChatLoop',
    'ToolScheduler',
    'beginToolCall',
    'builtInTools',
    'runModelCall',
  ]);
  expect(names(models)).toEqual([
    'ModelError',
    'aiSdkModel',
    'createModel',
    'googleModel',
    'modelFromTurns',
    'scriptedModel',
  ]);
  expect(names(inspector)).toEqual([
    'RecordingError',
    'RedactionError',
    'journalTo',
    'observeAll',
    'readRecording',
    'redactSettings',
    'startInspector',
    'startRecording',
  ]);
  expect(names(stately)).toEqual(['StatelyError', 'statelyInspector']);
  expect(names(machines)).toEqual([
    'agentTurnMachine',
    'answerStreamMachine',
    'durableHookMachine',
    'hookEventMachine',
    'hookProcessMachine',
    'modelCallMachine',
    'toolCallMachine',
  ]);
  expect(names(dialects)).toEqual([
    'antigravity',
    'claudeAnswer',
    'claudeCode',
    'cline',
    'codex',
    'copilot',
    'crush',
    'cursor',
    'defaultDialects',
    'entriesBelow',
    'factory',
    'geminiCli',
    'goose',
    'hookmachine',
    'kimi',
    'kodelet',
    'kodeletStrict',
    'llxprt',
    'mergeEffects',
    'openhands',
    'presentDialects',
    'qwenCode',
    'readClaude',
    'tableDialect',
    'tableHost',
  ]);
});
