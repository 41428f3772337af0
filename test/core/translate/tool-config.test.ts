import { FunctionCallingConfigMode } from '@google/genai';
import { expect, test } from 'vitest';
import {
  defaultHookTranslator,
  normalizeHookToolConfig,
} from '../../../src/core/translate/genai-v1.ts';
import { frozen } from './conversation.ts';

const { fromHookToolConfig, toHookToolConfig } = defaultHookTranslator;
const { ANY, VALIDATED } = FunctionCallingConfigMode;

test('HOOK-074: mode and names are translated both ways', () => {
  const sdk = { functionCallingConfig: { mode: ANY, allowedFunctionNames: ['a'] } };
  expect(toHookToolConfig(sdk)).toStrictEqual({ mode: 'ANY', allowedFunctionNames: ['a'] });
  expect(fromHookToolConfig({ mode: 'ANY', allowedFunctionNames: ['a'] })).toStrictEqual(sdk);
});

test('C-49: an empty tool config changes nothing', () => {
  const base = frozen({ functionCallingConfig: { mode: ANY } });
  expect(fromHookToolConfig({}, base)).toStrictEqual(base);
  expect(fromHookToolConfig({})).toStrictEqual({});
});

test('HOOK-167: only the fields of a tool config that the hook gave change', () => {
  const base = frozen({
    functionCallingConfig: { mode: VALIDATED, streamFunctionCallArguments: true },
    retrievalConfig: { languageCode: 'en' },
  });
  expect(fromHookToolConfig({ allowedFunctionNames: ['a'] }, base)).toStrictEqual({
    functionCallingConfig: {
      mode: 'VALIDATED',
      streamFunctionCallArguments: true,
      allowedFunctionNames: ['a'],
    },
    retrievalConfig: { languageCode: 'en' },
  });
});

test('HOOK-101: mode NONE empties an existing list', () => {
  const base = frozen({ functionCallingConfig: { mode: ANY, allowedFunctionNames: ['a'] } });
  expect(fromHookToolConfig({ mode: 'NONE' }, base)).toStrictEqual({
    functionCallingConfig: { mode: 'NONE', allowedFunctionNames: [] },
  });
});

test('a tool config is made valid, with a note for each value that is left out', () => {
  expect(normalizeHookToolConfig({ mode: 'any', allowedFunctionNames: ['a', 7] })).toEqual({
    toolConfig: { allowedFunctionNames: ['a'] },
    notes: [
      'toolConfig.mode is "any" and was ignored: it must be exactly AUTO, ANY or NONE',
      'toolConfig.allowedFunctionNames[1] is 7 and was ignored: it must be a string',
    ],
  });
  expect(normalizeHookToolConfig({ mode: null, allowedFunctionNames: 'a' })).toEqual({
    toolConfig: {},
    notes: ['toolConfig.allowedFunctionNames is "a" and was ignored: it must be a list of strings'],
  });
  expect(normalizeHookToolConfig('NONE').notes).toHaveLength(1);
  expect(normalizeHookToolConfig(undefined)).toEqual({ toolConfig: {}, notes: [] });
});

test.each([undefined, null, 7, 'x', [], { functionCallingConfig: 'x' }])(
  'the translator never throws at an odd tool config: %j',
  (odd) => {
    expect(toHookToolConfig(odd as never)).toEqual({});
    expect(fromHookToolConfig({ mode: 'ANY' }, odd as never)).toEqual({
      functionCallingConfig: { mode: 'ANY' },
    });
  },
);
