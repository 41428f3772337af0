import { describe, expect, test } from 'vitest';
import { exchangeNames, fromKodeletTool, toKodeletTool } from '../../../src/hosts/kodelet/calls.ts';

describe('the names of tools and arguments (C-107)', () => {
  test.each([
    ['run_shell_command', 'bash'],
    ['read_file', 'file_read'],
    ['write_file', 'file_write'],
    ['replace', 'file_edit'],
    ['glob', 'glob_tool'],
    ['search_file_content', 'grep_tool'],
    ['my_tool', 'my_tool'],
    ['constructor', 'constructor'],
  ])('our tool %s is called %s in Kodelet, and is read back', (ours, theirs) => {
    expect([toKodeletTool(ours), fromKodeletTool(theirs)]).toEqual([theirs, ours]);
  });

  test.each([
    ['write_file', { content: 'SECRET' }, { text: 'SECRET' }],
    [
      'replace',
      { old_string: 'a', new_string: 'b', file_path: 'f' },
      { old_text: 'a', new_text: 'b', file_path: 'f' },
    ],
    ['read_file', { limit: 5 }, { line_limit: 5 }],
    ['my_tool', { content: 1 }, { content: 1 }],
  ])('arguments of %s are passed and read back: %j as %j', (tool, ours, theirs) => {
    expect(exchangeNames(tool, ours)).toEqual(theirs);
    expect(exchangeNames(tool, theirs)).toEqual(ours);
  });

  test.each([[{ content: 'SECRET', text: 'harmless' }], [{ text: 'harmless', content: 'SECRET' }]])(
    'an argument that nobody asked for hides no other from a guard: %j',
    (input) => {
      expect(exchangeNames('write_file', input)).toEqual({ text: 'SECRET', content: 'harmless' });
      expect(exchangeNames('write_file', exchangeNames('write_file', input))).toEqual(input);
    },
  );
});
