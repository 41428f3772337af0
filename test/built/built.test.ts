import { chmodSync, cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { hasEtcOfItsOwn } from '../support/hookmachine.ts';
import { inOwnProcess } from '../support/in-process.ts';
import { installed, main } from '../support/main.ts';
import { sameAnswers } from '../support/same-answers.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';
import { type Case, cases, dialectsOfCases, handlersOfCases, settingsOfCases } from './cases.ts';

const server = createServer((_, response) =>
  response
    .setHeader('cache-control', 'max-age=60')
    .end(JSON.stringify({ decision: 'deny', reason: 'http' })),
);
let url: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A sandbox with the files of a case. */
function boxOf({ files }: Case): Sandbox & { readonly restore: () => void } {
  const box = sandbox();
  const restore = (): void => {
    for (const name of ['project', 'home', 'etc'])
      rmSync(join(box.folder, name), { recursive: true, force: true });
    for (const name of ['project', 'home']) box.write(`${name}/.kept`, '');
    for (const [file, content] of Object.entries(files)) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      const path = box.write(file, text.replaceAll('$URL', url));
      if (text.startsWith('#!')) chmodSync(path, 0o755);
    }
  };
  restore();
  return { ...box, restore };
}

const textOf = (input: unknown): string =>
  typeof input === 'string' ? input : JSON.stringify(input);

const needsEtc = ({ files }: Case): boolean =>
  Object.keys(files).some((file) => file.startsWith('etc/'));

/** `npm run package` tries all cases; otherwise only some are tried. */
const tried = cases.filter((_, at) => installed !== undefined || at % 3 === 0);

describe('the built command answers as the sources do', () => {
  test.for(tried)('%s', async ([, one], { skip }) => {
    if (needsEtc(one) && !hasEtcOfItsOwn) skip('no /etc of its own');
    const { restore, ...box } = boxOf(one);
    const place = { ...box, env: { ...box.env, ...one.env } };
    await sameAnswers(place, one.args, textOf(one.input), restore);
  });
});

describe('every kind of hook is run by the built command', () => {
  test('every dialect has a case in test/built/cases.ts', () => {
    expect(dialectsOfCases).toEqual(knownDialects.map(({ name }) => name));
  });

  test('every type of hook has a case in test/built/cases.ts', () => {
    const types = schema.definitions.hook.oneOf.map(({ properties }) => properties.type.const);
    expect(handlersOfCases.toSorted()).toEqual(types.toSorted());
  });

  test('every key of the settings is in a case of test/built/cases.ts', () => {
    const keys = keysOfCases();
    expect(keysOfSchema().filter((key) => !keys.has(key))).toEqual([]);
  });
});

type Properties = Readonly<Record<string, object>>;

const schema = JSON.parse(
  readFileSync(new URL('../../settings.schema.json', import.meta.url), 'utf8'),
) as {
  readonly properties: Readonly<Record<string, { readonly properties?: Properties }>>;
  readonly definitions: {
    readonly hookGroup: { readonly properties: Properties };
    readonly hook: {
      readonly oneOf: readonly {
        readonly properties: Properties & { readonly type: { readonly const: string } };
      }[];
    };
  };
};

/** Keys that may have any value mean nothing to us. */
const meaningful = (properties: Properties): readonly string[] =>
  Object.keys(properties).filter((key) => Object.keys(properties[key]!).length > 0);

const isEvent = (key: string): boolean =>
  JSON.stringify(schema.properties['hooks']!.properties![key]).includes('hookGroup');

function keysOfSchema(): readonly string[] {
  const { hook, hookGroup } = schema.definitions;
  const ofFile = Object.entries(schema.properties).flatMap(([key, { properties }]) =>
    properties === undefined ? [key] : meaningful(properties).map((inner) => `${key}.${inner}`),
  );
  return [
    ...ofFile.filter(
      (key) => key !== '$schema' && !(key.startsWith('hooks.') && isEvent(key.slice(6))),
    ),
    ...[hookGroup, ...hook.oneOf].flatMap(({ properties }) =>
      meaningful(properties).map((key) => `[].${key}`),
    ),
  ];
}

function keysOfCases(): ReadonlySet<string> {
  const keys = new Set<string>();
  const objects = settingsOfCases.flatMap((file) => Object.entries(file as Properties));
  for (const [key, value] of objects) {
    if (typeof value !== 'object') keys.add(key);
    else for (const inner of Object.keys(value)) keys.add(`${key}.${inner}`);
    if (key !== 'hooks') continue;
    const groups = Object.entries(value).flatMap(([event, found]) =>
      isEvent(event) ? (found as readonly { readonly hooks: readonly object[] }[]) : [],
    );
    for (const one of groups.flatMap((group) => [group, ...group.hooks]))
      for (const inner of Object.keys(one)) keys.add(`[].${inner}`);
  }
  return keys;
}

/** A copy of the command that has stored no code yet, and that others do not use. */
function freshCommand({ folder }: Sandbox): string {
  const dist = join(folder, 'package/dist');
  const built = dirname(main);
  cpSync(join(built, '../package.json'), join(folder, 'package/package.json'));
  for (const name of ['hookmachine.cjs', 'hookmachine-bundle.js'])
    cpSync(join(built, name), join(dist, name));
  symlinkSync(join(built, 'src'), join(dist, 'src'));
  return join(dist, 'hookmachine.cjs');
}

test('stored code loads rare parts, whether a run without a hook or one with a hook stored it', async () => {
  const one = cases.find(([name]) => name === "a word in Codex's settings beside its hooks")![1];
  const { restore: _, ...box } = boxOf(one);
  const command = freshCommand(box);
  const run = (args = one.args, input = textOf(one.input)) =>
    inOwnProcess(box, args, input, command);
  await run(['fire', 'Notification'], '{}');
  for (const stored of ['without a hook', 'with a hook'])
    expect([stored, (await run()).stdout]).toEqual([stored, expect.stringContaining('"deny"')]);
  await run(['fire', 'tool.befor']);
  expect((await run(['fire', 'tool.befor'])).stderr).toContain('tool.before');
});
