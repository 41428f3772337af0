import { expect, test } from 'vitest';
import { beginToolCall } from '../../src/core/calls/open-tool-call.ts';
import { ChatLoop } from '../../src/agent/loop/chat-loop.ts';
import { runModelCall } from '../../src/core/calls/run-model-call.ts';
import { ToolScheduler } from '../../src/agent/loop/tool-scheduler.ts';
import { Approvals } from '../../src/durable/approvals.ts';
import { connectDurable } from '../../src/durable/connect.ts';
import { Policies } from '../../src/durable/policies.ts';
import { DurableRecords, openRecords } from '../../src/durable/records.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import { someModel } from '../support/some-model.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Whatever is not valid is refused before the database is asked. */
const database = {
  query: () => Promise.reject(new Error('the database was asked')),
  transaction: () => Promise.reject(new Error('the database was asked')),
} as never;

const approvals = new Approvals(database);
const policies = new Policies(database);
const records = new DurableRecords(database);
const config = createConfig({
  cwd: tempFolder(),
  settings: { tools: { enableHooks: true }, hooks: {} },
});
const model = someModel('a');
const url = 'postgres://localhost/none';
const answer = (options: object) => approvals.answer('ap-1', options as never);
const chat = (options: object) => new ChatLoop({ config, model, ...options });
const scheduler = new ToolScheduler({ config, tools: new Map() });
const request = { id: 'c-1', name: 'write_file', input: {} };
const begun = () => beginToolCall(config, request);

test.each<[field: string, fix: RegExp, work: () => unknown]>([
  ['decision', /pass one of "approve", "deny", "withdraw"/, () => answer({ decision: 'approved', by: 'ann' })], // prettier-ignore
  ['decision', /is missing/, () => answer({ by: 'ann' })],
  ['decision', /is "toString"/, () => answer({ decision: 'toString', by: 'ann' })],
  ['by', /is missing/, () => answer({ decision: 'approve' })],
  ['by', /not empty/, () => answer({ decision: 'approve', by: ' ' })],
  ['note', /leave it out/, () => answer({ decision: 'deny', by: 'ann', note: 1 })],
  ['digest', /first twelve characters/, () => answer({ decision: 'deny', by: 'ann', digest: 'abc' })], // prettier-ignore
  ['digest', /first twelve characters/, () => answer({ decision: 'deny', by: 'ann', digest: null })], // prettier-ignore
  ['', /pass an object/, () => answer(undefined as never)],
  ['', /the id of an approval is 7/, () => approvals.show(7 as never)],
  ['all', /true or false/, () => approvals.list({ all: 'no' } as never)],
  ['workspace', /string/, () => approvals.list({ workspace: 1 } as never)],
  ['', /the id of a call/, () => records.outcome(undefined as never)],
  ['', /the id of a call/, () => records.audit({} as never)],
  ['name', /string/, () => policies.use(undefined as never, '1.0.0')],
  ['version', /string/, () => policies.use('acme', 1 as never)],
  ['files', /Map/, () => policies.push({ manifest: {}, signer: {} } as never, {} as never)],
  ['', /policy/, () => policies.uses(1 as never)],
  ['database', /either "database" or "hub"/, () => connectDurable({ config, workspace: 'w' })],
  ['workspace', /string/, () => connectDurable({ config, database: url, workspace: '' })],
  ['config', /createConfig/, () => connectDurable({ database: url, workspace: 'w' } as never)],
  ['tools', /Map/, () => connectDurable({ config, database: url, workspace: 'w', tools: ['read'] as never })], // prettier-ignore
  ['expiresAfter', /above 0/, () => connectDurable({ config, database: url, workspace: 'w', expiresAfter: '7d' as never })], // prettier-ignore
  ['allowGuardWrites', /true or false/, () => connectDurable({ config, database: url, workspace: 'w', allowGuardWrites: 'false' as never })], // prettier-ignore
  ['cwd', /project folder/, () => createConfig({} as never)],
  ['cwd', /project folder/, () => createConfig(undefined as never)],
  ['config', /createConfig/, () => chat({ config: {} })],
  ['model', /createModel/, () => chat({ model: 'gemini' })],
  ['tools', /array of tools/, () => chat({ tools: [{}] })],
  ['tools', /name of its own/, () => chat({ tools: [{ name: 'a' }, { name: 'a' }] })],
  ['maxSteps', /above 0/, () => chat({ maxSteps: Number.NaN })],
  ['toolLimit', /whole number/, () => chat({ toolLimit: Number.NaN })],
  ['confirm', /function/, () => chat({ confirm: true })],
  ['display', /"held", "live"/, () => chat({ display: 'hold' })],
  ['allowGuardWrites', /true or false/, () => chat({ allowGuardWrites: 'false' })],
  ['history', /array/, () => chat({ history: 'Hi' })],
  ['', /prompt/, () => chat({}).run(['Hi'] as never)],
  ['tools', /Map/, () => new ToolScheduler({ config, tools: {} as never })],
  ['limit', /whole number/, () => new ToolScheduler({ config, tools: new Map(), limit: Number.NaN })], // prettier-ignore
  ['', /array/, () => scheduler.schedule(request as never)],
  ['id', /string/, () => scheduler.schedule([{ name: 'a', input: {} }] as never)],
  ['name', /string/, () => beginToolCall(config, { id: 'c-1', input: {} } as never)],
  ['input', /object/, () => beginToolCall(config, { ...request, input: '{}' as never })],
  ['', /true, false, or the reason/, () => begun().answer({ approved: true } as never)],
  ['messages', /array/, () => runModelCall(config, { model: 'm' } as never, () => undefined as never)], // prettier-ignore
  ['callModel', /function/, () => runModelCall(config, { model: 'm', messages: [] }, {} as never)],
])('what a program passes as %j is refused if it does not fit: %s', async (field, fix, work) => {
  const error: unknown = await (async () => work())().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'ARGUMENT_INVALID', message: expect.stringMatching(fix) });
  if (field !== '') expect(String(error)).toContain(`"${field}"`);
});

test('a URL that is not that of a database is refused whatever it is', async () => {
  await expect(openRecords(undefined as never)).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
  });
});
