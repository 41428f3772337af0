import { describe, expect, test } from 'vitest';
import { callsOf } from '../../../src/hosts/patch/patch-calls.ts';

const patchOf = (...lines: readonly string[]): string =>
  ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

const pathsIn = (patch: string) =>
  callsOf(patch, '/p').calls.map(({ tool_name, tool_input }) => [
    tool_name,
    tool_input['file_path'],
  ]);

describe('a patch as calls of our tools', () => {
  test.each([
    ['added lines that look like headers', patchOf('*** Add File: a', '+*** Delete File: b')],
    [
      'changed lines that look like headers',
      patchOf('*** Add File: a', '*** Update File: c', '-*** Delete File: b', '+*** Move to: b'),
    ],
    ['blanks around the patch', `\n  ${patchOf('*** Add File: a', '+x')}\n \n`],
    ['Windows line endings', patchOf('*** Add File: a', '+x').replaceAll('\n', '\r\n')],
    ['a path through a parent folder', patchOf('*** Add File: x/../a')],
  ])('a patch with %s names no other file', (_, patch) => {
    const { calls, note } = callsOf(patch, '/p');
    expect(note).toBeUndefined();
    expect(calls[0]?.tool_input).toMatchObject({ file_path: '/p/a' });
    expect(JSON.stringify(calls)).not.toContain('"/p/b"');
  });

  test('a file that is only moved counts as two files', () => {
    expect(pathsIn(patchOf('*** Update File: a', '*** Move to: b'))).toEqual([
      ['replace', '/p/a'],
      ['write_file', '/p/b'],
    ]);
  });

  test('an empty patch makes no call', () => {
    expect(callsOf(patchOf(), '/p')).toMatchObject({ calls: [] });
    expect(callsOf(patchOf(), '/p').note).toBeUndefined();
  });

  test.each([
    ['text that is not a patch', 'echo', []],
    [
      'another line after the end of the patch',
      `${patchOf('*** Delete File: a')}\n*** Delete File: b`,
      ['/p/a', '/p/b'],
    ],
    [
      'a move that some versions take for context',
      patchOf('*** Update File: a', ' *** Move to: b'),
      ['/p/a', '/p/b'],
    ],
    [
      'a move with blanks, which some versions keep',
      patchOf('*** Update File: a', '*** Move to: b '),
      ['/p/a', '/p/b'],
    ],
  ])('%s is reported, with all files that it may be meant for', (_, patch, paths) => {
    const { calls, note } = callsOf(patch, '/p');
    expect(note).toContain('cannot be read');
    expect(calls.map(({ tool_input }) => tool_input['file_path'])).toEqual(paths);
  });
});
