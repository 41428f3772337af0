import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSettings } from '../../../src/settings/files/edit-settings.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const fileOf = (text?: string): string => {
  const file = join(tempFolder(), 'settings.json');
  if (text !== undefined) writeFileSync(file, text);
  return file;
};

/** The text after disabling a hook in it. */
const disabled = (text: string, name = 'scan'): string => {
  const file = fileOf(text);
  openSettings(file).disable(name);
  return readFileSync(file, 'utf8');
};

/** The text after enabling hooks in it. */
const enabled = (text: string, ...names: string[]): string => {
  const file = fileOf(text);
  openSettings(file).enable(names);
  return readFileSync(file, 'utf8');
};

describe('disabling a hook in a settings file (C-04)', () => {
  test.each([
    [
      'a short list',
      '{"hooksConfig": {"disabled": ["a"]}}',
      '{"hooksConfig": {"disabled": ["a", "scan"]}}',
    ],
    [
      'an empty list',
      '{ "hooksConfig": { "disabled": [] } }',
      '{ "hooksConfig": { "disabled": ["scan"] } }',
    ],
    [
      'an empty object',
      '{}',
      '{\n  "hooksConfig": {\n    "disabled": [\n      "scan"\n    ]\n  }\n}',
    ],
    [
      'other settings on one line',
      '{"enableHooks":true}',
      '{"enableHooks":true, "hooksConfig": {"disabled":["scan"]}}',
    ],
    [
      'other settings with tabs',
      '{\n\t"enableHooks": true\n}\n',
      '{\n\t"enableHooks": true,\n\t"hooksConfig": {\n\t\t"disabled": [\n\t\t\t"scan"\n\t\t]\n\t}\n}\n',
    ],
    [
      'settings with a gate but no list',
      '{\n    "hooksConfig": {\n        "enabled": true, // on\n    },\n}',
      '{\n    "hooksConfig": {\n        "enabled": true, // on\n        "disabled": [\n            "scan"\n        ],\n    },\n}',
    ],
    [
      'a list with comments and no trailing comma',
      '{\n  "hooksConfig": {\n    "disabled": [\n      // slow:\n      "a", // in CI\n      "b" // too /* much */\n      // the end\n    ]\n  }\n}',
      '{\n  "hooksConfig": {\n    "disabled": [\n      // slow:\n      "a", // in CI\n      "b", // too /* much */\n      "scan"\n      // the end\n    ]\n  }\n}',
    ],
    [
      'a list with a trailing comma',
      '{ "hooksConfig": { "disabled": [\n  "a", /* why */ // really\n] } }',
      '{ "hooksConfig": { "disabled": [\n  "a", /* why */ // really\n  "scan",\n] } }',
    ],
    [
      'a list with a comma on a line of its own',
      '{ "hooksConfig": { "disabled": [\n  "a"\n  , // odd\n] } }',
      '{ "hooksConfig": { "disabled": [\n  "a"\n  , // odd\n  "scan",\n] } }',
    ],
    [
      'a list with a line comment after its only item',
      '{ "hooksConfig": { "disabled": ["a" // why\n] } }',
      '{ "hooksConfig": { "disabled": ["a", // why\n  "scan"\n] } }',
    ],
    [
      'a list of comments only',
      '{\n  "hooksConfig": { "disabled": [ // none yet\n  ] }\n}',
      '{\n  "hooksConfig": { "disabled": [ // none yet\n    "scan"\n  ] }\n}',
    ],
  ])('disabling a hook keeps comments and layout of %s', (_, before, after) => {
    expect(disabled(before)).toBe(after);
  });

  test('disabling a hook keeps the byte order mark and the line ends', () => {
    const before = '\uFEFF{\r\n  // hooks\r\n  "enableHooks": true,\r\n}\r\n';
    expect(disabled(before)).toBe(
      '\uFEFF{\r\n  // hooks\r\n  "enableHooks": true,\r\n  "hooksConfig": {\r\n    "disabled": [\r\n      "scan"\r\n    ]\r\n  },\r\n}\r\n',
    );
  });

  test('any command can be disabled', () => {
    const command = `jq -r '.tool_input."file_path"' | grep "\\.env$"\n# ü`;
    const text = disabled('{ "hooksConfig": { "disabled": ["a"] } }', command);
    expect(JSON.parse(text)).toEqual({ hooksConfig: { disabled: ['a', command] } });
  });

  test('the last of duplicate keys is edited, because it is the one that counts', () => {
    expect(disabled('{"hooksConfig":{"disabled":["a"]},"hooksConfig":{"disabled":[]}}')).toBe(
      '{"hooksConfig":{"disabled":["a"]},"hooksConfig":{"disabled":["scan"]}}',
    );
  });

  test('a missing file is created together with its folder', () => {
    const file = join(tempFolder(), '.llxprt', 'settings.json');
    openSettings(file).disable('scan');
    expect(readFileSync(file, 'utf8')).toBe(
      '{\n  "hooksConfig": {\n    "disabled": [\n      "scan"\n    ]\n  }\n}\n',
    );
    expect(readdirSync(join(file, '..'))).toEqual(['settings.json']);
  });

  test.each([
    [
      '{ "hooks": ',
      ':1:12: not valid JSON (a value is expected); fix it first; nothing was changed',
    ],
    ['', ':1:1: not valid JSON (it is empty); fix it first; nothing was changed'],
    ['[]', ':1:1: is not a JSON object; fix it first; nothing was changed'],
    [
      '{\n "hooksConfig": null }',
      ':2:17 hooksConfig: is null; make it an object first; nothing was changed',
    ],
    [
      '{ "hooksConfig": { "disabled": "a" } }',
      ':1:32 hooksConfig.disabled: is "a"; make it an array first; nothing was changed',
    ],
  ])('a file with %j is refused with the place of the fault, and stays', (text, message) => {
    const file = fileOf(text);
    expect(() => openSettings(file).disable('scan')).toThrow(`${file}${message}`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('a file that is not UTF-8 is refused, because it could not be written back', () => {
    const file = fileOf();
    writeFileSync(file, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect(() => openSettings(file)).toThrow(/cannot be read/);
  });

  test('a folder in place of the settings file is refused', () => {
    const file = fileOf();
    mkdirSync(file);
    expect(() => openSettings(file)).toThrow(`${file}: is not a file`);
  });
});

describe('enabling a hook in a settings file (C-04)', () => {
  test.each([
    ['the only item', '{"hooksConfig":{"disabled":["scan"]}}', '{"hooksConfig":{"disabled":[]}}'],
    [
      'the first item',
      '{"hooksConfig":{"disabled":["scan", "a"]}}',
      '{"hooksConfig":{"disabled":["a"]}}',
    ],
    [
      'an item in the middle',
      '{"hooksConfig":{"disabled":["a", "scan", "b"]}}',
      '{"hooksConfig":{"disabled":["a", "b"]}}',
    ],
    [
      'the last item',
      '{"hooksConfig":{"disabled":["a", "scan"]}}',
      '{"hooksConfig":{"disabled":["a"]}}',
    ],
    [
      'the last item without spaces',
      '{"hooksConfig":{"disabled":["a","scan"]}}',
      '{"hooksConfig":{"disabled":["a"]}}',
    ],
    [
      'an item with a trailing comma',
      '{"hooksConfig":{"disabled":["a", "scan",]}}',
      '{"hooksConfig":{"disabled":["a", ]}}',
    ],
    [
      'a duplicate',
      '{"hooksConfig":{"disabled":["scan", "a", "scan"]}}',
      '{"hooksConfig":{"disabled":["a"]}}',
    ],
    [
      'a line in the middle',
      '{ "hooksConfig": { "disabled": [\n  "a",\n  "scan",\n  "b"\n] } }',
      '{ "hooksConfig": { "disabled": [\n  "a",\n  "b"\n] } }',
    ],
    [
      'the last line without a comma',
      '{ "hooksConfig": { "disabled": [\n  "a", // keep\n  "scan"\n] } }',
      '{ "hooksConfig": { "disabled": [\n  "a" // keep\n] } }',
    ],
    [
      'a line but not its comment',
      '{ "hooksConfig": { "disabled": [\n  // why\n  "scan", // slow\n  "b"\n] } }',
      '{ "hooksConfig": { "disabled": [\n  // why\n  // slow\n  "b"\n] } }',
    ],
    [
      'an item with comments around it',
      '{"hooksConfig":{"disabled":["a" /* 1 */, /* 2 */ "scan" /* 3 */]}}',
      '{"hooksConfig":{"disabled":["a" /* 1 */ /* 2 */  /* 3 */]}}',
    ],
    [
      'an item of the legacy list',
      '{ "hooks": { "disabled": ["scan", "b"], "BeforeTool": [] } }',
      '{ "hooks": { "disabled": ["b"], "BeforeTool": [] } }',
    ],
    [
      'a line with a Windows end',
      '{ "hooksConfig": { "disabled": [\r\n  "a",\r\n  "scan",\r\n] } }',
      '{ "hooksConfig": { "disabled": [\r\n  "a",\r\n] } }',
    ],
  ])('enabling a hook removes %s', (_, before, after) => {
    expect(enabled(before, 'scan')).toBe(after);
  });

  test('enabling removes several names from both lists at once', () => {
    expect(
      enabled(
        '{ "hooks": { "disabled": ["scan"] }, "hooksConfig": { "disabled": ["./scan.sh", 7, "a"] } }',
        'scan',
        './scan.sh',
      ),
    ).toBe('{ "hooks": { "disabled": [] }, "hooksConfig": { "disabled": [7, "a"] } }');
  });

  test('enabling removes what disabling added', () => {
    const text =
      '{\n  // mine\n  "hooksConfig": {\n    "disabled": [\n      "a", // slow\n    ],\n  },\n}\n';
    expect(enabled(disabled(text), 'scan')).toBe(text);
  });
});

describe('writing a settings file', () => {
  test('writing a settings file keeps its mode, whatever the umask', () => {
    const file = fileOf('{}');
    chmodSync(file, 0o666);
    openSettings(file).disable('scan');
    expect(statSync(file).mode & 0o777).toBe(0o666);
  });

  test('a symbolic link to settings stays a link, and its target is written', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'dotfile'), '{}');
    symlinkSync('dotfile', join(folder, 'settings.json'));
    openSettings(join(folder, 'settings.json')).disable('scan');
    expect(lstatSync(join(folder, 'settings.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'dotfile'), 'utf8')).toContain('"scan"');
  });

  test('a symbolic link to a missing settings file is followed too', () => {
    const folder = tempFolder();
    symlinkSync(join('dot', 'file'), join(folder, 'settings.json'));
    openSettings(join(folder, 'settings.json')).disable('scan');
    expect(lstatSync(join(folder, 'settings.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'dot', 'file'), 'utf8')).toContain('"scan"');
  });

  test('a settings file is replaced in one step: a reader that has it open reads the old text to its end', () => {
    const file = fileOf('{}');
    const { ino } = statSync(file);
    openSettings(file).disable('scan');
    expect(statSync(file).ino).not.toBe(ino);
    expect(readdirSync(join(file, '..'))).toEqual(['settings.json']);
  });

  test('a folder that cannot be created is reported, and nothing is left behind', () => {
    const file = fileOf('text');
    expect(() => openSettings(join(file, 'settings.json')).disable('scan')).toThrow(
      /settings\.json: cannot be read \(ENOTDIR\)/,
    );
    expect(existsSync(join(file, 'settings.json'))).toBe(false);
  });
});
