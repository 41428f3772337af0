import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { builtInTools } from '../../../src/agent/tools/index.ts';
import { complaints, schemaOf } from './call.ts';

const rest: Record<string, object> = {
  read_file: {},
  write_file: { content: '' },
  replace: { old_string: 'a', new_string: 'b' },
};

test('the tools have the names that LLxprt and Gemini CLI use', () => {
  expect([...builtInTools().keys()]).toEqual([
    'read_file',
    'write_file',
    'replace',
    'list_directory',
    'glob',
    'search_file_content',
    'run_shell_command',
  ]);
});

test('every tool describes itself and each of its arguments as a JSON schema', () => {
  for (const { name, description } of builtInTools().values()) {
    expect(description, name).not.toBe('');
    const schema = z.toJSONSchema(schemaOf(name), { io: 'input' });
    for (const [argument, said] of Object.entries(schema.properties ?? {})) {
      expect(said, `${name}.${argument}`).toHaveProperty('description');
    }
  }
});

describe.each(Object.keys(rest))('%s', (tool) => {
  test.each(['file_path', 'absolute_path', 'path'])('a file tool takes its path as %s', (name) => {
    expect(complaints(tool, { [name]: 'a.txt', ...rest[tool] })).toEqual([]);
  });

  test('a missing or empty path is an error that says how to give one', () => {
    const message = `${tool} needs file_path (or absolute_path, path)`;
    expect(complaints(tool, rest[tool]!)).toEqual([message]);
    expect(complaints(tool, { path: '', ...rest[tool] })).toEqual([message]);
  });

  test('two different paths are refused, because a hook may have checked the other one', () => {
    const both = { file_path: 'a.txt', path: 'b.txt', ...rest[tool] };
    expect(complaints(tool, both)).toEqual([
      `${tool} got different paths under different names: give one`,
    ]);
    expect(complaints(tool, { ...both, path: 'a.txt' })).toEqual([]);
  });

  test('a file tool tolerates unknown arguments', () => {
    expect(complaints(tool, { path: 'a.txt', ...rest[tool], instruction: 'why' })).toEqual([]);
  });
});

test('a missing path is reported together with the other missing arguments', () => {
  expect(complaints('write_file', {})).toContain(
    'write_file needs file_path (or absolute_path, path)',
  );
  expect(complaints('write_file', {})).toHaveLength(2);
});

test.each(['list_directory', 'glob', 'search_file_content', 'run_shell_command'])(
  '%s refuses two different folders',
  (tool) => {
    const folder = tool === 'run_shell_command' ? 'directory' : 'path';
    const args = { pattern: 'x', command: 'x', dir_path: 'a' };
    expect(complaints(tool, { ...args, [folder]: 'b' })).toEqual([
      `${tool} got different paths under different names: give one`,
    ]);
    expect(complaints(tool, { ...args, [folder]: 'a' })).toEqual([]);
  },
);

test('a command that no shell can run is refused', () => {
  expect(complaints('run_shell_command', { command: '  ' })).toEqual([
    'run_shell_command needs a command',
  ]);
  expect(complaints('run_shell_command', { command: 'echo \0' })).toEqual([
    'run_shell_command needs a command without NUL characters',
  ]);
});
