import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { neededApprovals, readHubSettings } from '../../src/hub/hub-settings.ts';
import { blockWith } from '../support/blocks.ts';
import { sandbox } from '../support/sandbox.ts';

const variables = ['SLACK_WEBHOOK', 'BOT_SECRET', 'SMTP_URL'];

/** Reads the settings of a hub from a text. */
function settingsIn(text: string) {
  const file = join(sandbox().project, 'hub.jsonc');
  writeFileSync(file, text);
  return readHubSettings(file);
}

test('the settings of a hub that the page shows can be read, with what their variables hold', () => {
  vi.stubEnv('SLACK_WEBHOOK', 'https://hooks.example/T1');
  vi.stubEnv('BOT_SECRET', 'whsec_c2VjcmV0');
  vi.stubEnv('SMTP_URL', 'smtps://mail.example');
  const { approvers, notify, recordings } = settingsIn(
    blockWith('docs/operations.md', 'jsonc', 'approvers'),
  );
  expect(approvers).toEqual([
    { workspaces: ['prod*'], tools: ['run_shell_command'], needs: 2 },
    { risks: ['high'], needs: 2 },
  ]);
  expect(recordings).toEqual({ keep: 30 * 86_400_000, payloads: ['shop'] });
  expect(notify).toMatchObject([
    { name: 'team', url: 'https://hooks.example/T1' },
    { name: 'chief', after: 1_800_000 },
    { name: 'ours', secret: 'whsec_c2VjcmV0' },
    { name: 'mail', smtp: 'smtps://mail.example', recipients: ['ops@example.com'] },
  ]);
  vi.unstubAllEnvs();
});

test.each(variables)('a variable that the settings of a hub name must be set: %s', (variable) => {
  for (const name of variables)
    if (name !== variable) vi.stubEnv(name, 'smtps://or.https.example'.replace('smtps', name === 'SLACK_WEBHOOK' ? 'https' : 'smtps')); // prettier-ignore
  expect(() => settingsIn(blockWith('docs/operations.md', 'jsonc', 'approvers'))).toThrow(`the variable ${variable} is not set`); // prettier-ignore
  vi.unstubAllEnvs();
});

test('as many people have to approve a question as the strictest rule about it says', () => {
  const settings = settingsIn(
    '{"approvers":[{"needs":2},{"workspaces":["prod*"],"needs":3},{"tools":["read_file"],"needs":5}]}',
  );
  const needed = (workspace: string, tool: string) =>
    neededApprovals(settings, { workspace, tool });
  expect([needed('shop', 'x'), needed('prod-1', 'x'), needed('prod-1', 'read_file')]).toEqual([2, 3, 5]); // prettier-ignore
  expect(neededApprovals(settingsIn('{}'), { workspace: 'shop', tool: 'x' })).toBe(1);
});
