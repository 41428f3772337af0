import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultOf } from '../../../src/hosts/codex/schema.ts';
import { isRecord } from '../../../src/base/json.ts';
import { inProcess } from '../../support/in-process.ts';
import { guards, relayBox, says, type RelayBox } from '../../support/relay.ts';

/** A patch with these lines. */
const patchOf = (...lines: readonly string[]): string =>
  ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

const add = (path: string) => [`*** Add File: ${path}`, '+one', '+two'];
const update = (path: string) => [`*** Update File: ${path}`, '@@ def f():', ' a', '-b', '+c'];

const callIn = (cwd: string, command: unknown, more: object = {}) => ({
  session_id: 's1',
  transcript_path: null,
  cwd,
  turn_id: 't',
  model: 'm',
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  tool_name: 'apply_patch',
  tool_input: { command },
  tool_use_id: 'u',
  ...more,
});

const after = { hook_event_name: 'PostToolUse', tool_response: 'Success.' };

const specific = (hookEventName: string, fields: object) => ({
  hookSpecificOutput: { hookEventName, ...fields },
});
const denied = (permissionDecisionReason: unknown) =>
  specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason });
const rewrittenTo = (command: string) =>
  specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command } });

const hook = (matcher: string | undefined, command: string) => ({
  matcher,
  hooks: [{ type: 'command', command }],
});

/** A project with one of our hooks at a hook point, for tools that match. */
function guarded(matcher: string | undefined, command: string, point = 'tool.before'): RelayBox {
  const box = relayBox();
  box.write(box.own.project, {
    hooks: { [point]: [hook(matcher, command)] },
  });
  return box;
}

/** A project with a hook of Claude Code. */
function guardedByClaude(matcher: string, command: string, event = 'PreToolUse'): RelayBox {
  const box = relayBox();
  box.write(join(box.project, '.claude/settings.json'), {
    hooks: { [event]: [hook(matcher, command)] },
  });
  return box;
}

async function relayed(box: RelayBox, command: unknown, more?: object) {
  const { answer, stderr, exitCode } = await box.relay('codex', callIn(box.project, command, more));
  expect(exitCode).toBe(0);
  // One field too many would void the whole answer.
  if (isRecord(answer)) {
    const event = isRecord(more) ? 'PostToolUse' : 'PreToolUse';
    expect(faultOf(event, answer)).toBeUndefined();
  }
  return { answer, stderr };
}

/** Appends what a hook receives of a call to a file. */
const notes = 'jq -c "[.tool_name, .tool_input]" >> input';

/** Denies a call that names a certain file. */
const deniesSecret = `jq -e '.tool_input.file_path | endswith("/secret")' > /dev/null || exit 0; echo "not there" >&2; exit 2`;

/** Gives a call other arguments. */
const gives = (change: string): string =>
  `jq -c '{ hookSpecificOutput: { tool_input: (.tool_input | ${change}) } }'`;

const lost = (tools: string): string =>
  `hookmachine: Codex cannot accept this in answer to PreToolUse: other arguments of ${tools}`;

/** What the hooks of a project received, regardless of the order. */
const received = ({ project }: RelayBox): unknown[] =>
  readFileSync(join(project, 'input'), 'utf8')
    .trim()
    .split('\n')
    .toSorted()
    .map((line) => JSON.parse(line) as unknown);

describe('guards of tools that write files, in Codex', () => {
  test.each([
    ['an added file', add('secret')],
    ['a changed file', update('secret')],
    ['a deleted file', ['*** Delete File: secret']],
    ['a file that is moved away', ['*** Update File: secret', '*** Move to: b', '@@', '-a', '+b']],
    [
      'a file that is moved to a guarded path',
      ['*** Update File: a', '*** Move to: secret', '@@', '-a', '+b'],
    ],
    ['a guarded file after another one', [...add('a'), ...add('secret')]],
    ['a path with blanks around it', ['  *** Add File: secret\u0085 ', '+x']],
    ['an absolute path', add('/tmp/../secret')],
  ])('a guard of Claude Code denies a patch of Codex with %s', async (_, lines) => {
    const box = guardedByClaude('Edit|Write', deniesSecret);
    expect(await relayed(box, patchOf(...lines))).toEqual({
      answer: denied('not there'),
      stderr: '',
    });
    expect((await relayed(box, patchOf(...add('public')))).answer).toBeUndefined();
  });

  test('one of our own guards receives absolute paths and what is written', async () => {
    const box = guarded('write_file|replace', notes);
    const patch = patchOf(
      ...add('a'),
      '*** Update File: /b',
      '*** Move to: ~/c',
      '@@',
      ' x',
      '-y',
      '@@ z',
      '+w',
      '*** End of File',
      '*** Delete File: d',
    );
    expect((await relayed(box, patch)).answer).toBeUndefined();
    expect(received(box)).toEqual(
      [
        ['replace', { file_path: '/b', old_string: 'x\ny', new_string: 'x\nw' }],
        ['write_file', { file_path: join(box.home, 'c'), content: 'x\nw' }],
        ['write_file', { file_path: join(box.project, 'a'), content: 'one\ntwo\n' }],
        ['write_file', { file_path: join(box.project, 'd'), content: '' }],
      ].toSorted((one, two) => (JSON.stringify(one) < JSON.stringify(two) ? -1 : 1)),
    );
  });

  test('a hook that matches the patch by name receives it as it is, once', async () => {
    const box = guarded('apply_patch', notes);
    const patch = patchOf(...add('a'), ...add('b'));
    await relayed(box, patch);
    expect(received(box)).toEqual([['apply_patch', { command: patch }]]);
  });

  test('a hook for all tools receives the patch and each file', async () => {
    const box = guarded(undefined, 'jq -c .tool_name >> input');
    await relayed(box, patchOf(...add('a'), ...update('b')));
    expect(received(box)).toEqual(['apply_patch', 'replace', 'write_file']);
  });

  test('all reasons for denying a patch are given, in the order of the files, each once', async () => {
    const box = guarded('write_file', 'jq -r .tool_input.content >&2; exit 2');
    const patch = patchOf(
      ...['b', 'a', 'b'].flatMap((text) => [`*** Add File: ${text}`, `+${text}`]),
    );
    expect((await relayed(box, patch)).answer).toEqual(denied('b\na'));
  });

  test('a stop at one file of a patch stops the call', async () => {
    const box = guarded('replace', guards.stop);
    expect((await relayed(box, patchOf(...add('a'), ...update('b')))).answer).toEqual(
      denied('enough'),
    );
  });

  test('context is given once, whatever the number of files in a patch', async () => {
    const box = guarded('write_file', guards.context);
    expect((await relayed(box, patchOf(...add('a'), ...add('b')))).answer).toEqual(
      specific('PreToolUse', { additionalContext: 'by the way' }),
    );
  });

  test('a hook that approves one file of a patch has not approved the other', async () => {
    const box = guarded('write_file', guards.allow, 'tool.permission');
    const ask = { hook_event_name: 'PermissionRequest' };
    const answerTo = async (...lines: readonly string[]) =>
      (await box.relay('codex', callIn(box.project, patchOf(...lines), ask))).answer;
    expect(await answerTo(...add('a'), ...update('b'))).toBeUndefined();
    expect(await answerTo(...add('a'), ...add('b'))).toEqual(
      specific('PermissionRequest', { decision: { behavior: 'allow' } }),
    );
  });

  test('a recording shows each call of a patch', async () => {
    const box = guarded('apply_patch|write_file', guards.deny);
    const file = join(box.project, 'record');
    await inProcess(
      { project: box.project, env: box.env },
      ['relay', 'codex', '--record', file, '--record-payloads'],
      JSON.stringify(callIn(box.project, patchOf(...add('a')))),
    );
    const recorded = readFileSync(file, 'utf8');
    for (const name of ['apply_patch', 'write_file']) expect(recorded).toContain(name);
  });
});

describe('a patch that cannot be read', () => {
  test.each([
    ['has no end', ['*** Begin Patch', ...add('secret')].join('\n')],
    ['is in a here-document', `<<'EOF'\n${patchOf(...add('secret'))}\nEOF`],
    ['contains another line', patchOf(...add('a'), '', ...add('secret'))],
    ['moves twice', patchOf('*** Update File: a', '*** Move to: b', '*** Move to: secret', '+x')],
    ['deletes in a context line', patchOf(...update('a'), ' *** Delete File: secret')],
    ['is written in another way', patchOf('***ADD FILE:secret', '+x')],
  ])(
    'an unreadable patch that %s is guarded at every line that looks like a header',
    async (_, patch) => {
      const box = guarded('write_file', deniesSecret);
      const { answer, stderr } = await relayed(box, patch);
      expect(answer).toEqual(denied('not there'));
      expect(stderr).toContain('hookmachine: PreToolUse of Codex: the patch cannot be read');
    },
  );

  test('an unreadable patch passes if no guard denies it, and hooks see it whole', async () => {
    const box = guarded('apply_patch|replace', notes);
    const patch = '*** Update File: a';
    expect((await relayed(box, patch)).answer).toBeUndefined();
    const input = { file_path: join(box.project, 'a'), old_string: '', new_string: patch };
    expect(received(box)).toEqual([
      ['apply_patch', { command: patch }],
      ['replace', input],
    ]);
  });

  test('an unreadable patch is not approved by a hook that approves one of its files', async () => {
    const box = guarded('write_file', guards.allow, 'tool.permission');
    const { answer } = await box.relay(
      'codex',
      callIn(box.project, add('a').join('\n'), { hook_event_name: 'PermissionRequest' }),
    );
    expect(answer).toBeUndefined();
  });
});

describe('other arguments', () => {
  test('other arguments for an added file are passed on as a patch', async () => {
    const box = guarded('write_file', gives('.content = "new"'));
    const { answer, stderr } = await relayed(box, patchOf(...add('a'), ...update('b')));
    expect(answer).toEqual(rewrittenTo(patchOf('*** Add File: a', '+new', ...update('b'))));
    expect(stderr).toBe('');
  });

  test('other arguments for a changed file are passed on as a patch of the same place', async () => {
    const box = guarded('replace', gives('.new_string = "d\\ne"'));
    expect((await relayed(box, patchOf(...update('a')))).answer).toEqual(
      rewrittenTo(patchOf('*** Update File: a', '@@ def f():', '-a', '-b', '+d', '+e')),
    );
  });

  test('another path for a file is passed on as a patch', async () => {
    const box = guarded('write_file', gives('.file_path = "/b"'));
    expect((await relayed(box, patchOf(...add('a')))).answer).toEqual(
      rewrittenTo(patchOf(...add('/b'))),
    );
  });

  test.each([
    ['for a deleted file', ['*** Delete File: a'], '.content = "x"', 'write_file'],
    ['for two places', [...update('a'), '@@', '-x'], '.new_string = "x"', 'replace'],
    ['for the end of a file', [...update('a'), '*** End of File'], '.new_string = "x"', 'replace'],
    ['for a file that is moved', ['*** Update File: a', '*** Move to: b', '@@', '-x'], '.new_string = "x"', 'replace'], // prettier-ignore
    ['that a patch cannot express', update('a'), '.expected_replacements = 2', 'replace'],
    ['with another line in the path', add('a'), '.file_path = "/b\\n*** Delete File: /c"', 'write_file'], // prettier-ignore
  ])('other arguments %s are lost, and reported', async (_, lines, change, tool) => {
    const box = guarded(tool, gives(change));
    const { answer, stderr } = await relayed(box, patchOf(...lines));
    expect(answer).toBeUndefined();
    expect(stderr).toBe(lost(tool));
  });

  test('other arguments beside another patch that a hook gave are lost, and reported', async () => {
    const patch = patchOf(...add('b'));
    const other = JSON.stringify({ hookSpecificOutput: { tool_input: { command: patch } } });
    const box = relayBox();
    box.write(box.own.project, {
      hooks: {
        'tool.before': [
          hook('apply_patch', `printf '%s' '${other}'`),
          hook('write_file', gives('.content = "x"')),
        ],
      },
    });
    const { answer, stderr } = await relayed(box, patchOf(...add('a')));
    expect(answer).toEqual(rewrittenTo(patch));
    expect(stderr).toBe(lost('write_file'));
  });

  test('other arguments for a call that is denied are not reported as lost', async () => {
    const box = guarded('write_file', gives('.content = "x"'));
    box.write(join(box.project, '.claude/settings.json'), {
      hooks: {
        PreToolUse: [hook('Edit', guards.deny)],
      },
    });
    expect(await relayed(box, patchOf('*** Delete File: b', ...update('a')))).toEqual({
      answer: denied('not here'),
      stderr: '',
    });
  });
});

describe('after a patch', () => {
  test('context of a hook for a file is passed on after a patch', async () => {
    const context = specific('PostToolUse', { additionalContext: 'format it' });
    const box = guardedByClaude('Edit|Write', says(context), 'PostToolUse');
    const { answer } = await relayed(box, patchOf(...add('a'), ...update('b')), after);
    expect(answer).toEqual(context);
  });

  test('a hook for a file receives the result of a patch', async () => {
    const box = guarded('replace', 'jq -c "[.tool_input, .tool_response.llmContent]" > input', 'tool.after'); // prettier-ignore
    await relayed(box, patchOf(...update('b')), after);
    const input = { file_path: join(box.project, 'b'), old_string: 'a\nb', new_string: 'a\nc' };
    expect(received(box)).toEqual([[input, 'Success.']]);
  });

  test('the last of two other results of a patch is passed on, and the loss is reported', async () => {
    const box = relayBox();
    const file = box.write(
      join(box.project, '.kodelet/hooks/redact'),
      `#!/bin/sh
if [ "$1" = hook ]; then echo after_tool_call; else jq -c '{ output: { metadata: { output: (.tool_name | tostring) } } }'; fi
`,
    );
    chmodSync(file, 0o755);
    const { answer, stderr } = await relayed(box, patchOf(...add('a'), ...update('b')), after);
    expect(answer).toEqual({ decision: 'block', reason: 'file_edit' });
    expect(stderr).toBe(
      'hookmachine: Codex cannot accept this in answer to PostToolUse: all replaced results except the last',
    );
  });
});
