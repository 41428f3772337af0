import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { freePort } from './postgres.ts';

const secret = 'the secret of the hub at its provider';

/** Serves a provider of identities that a hub is registered with, until the test ends. */
export async function serveProvider(redirect: string) {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'hub', client_secret: secret, redirect_uris: [redirect] }],
    cookies: { keys: ['a key of the test'] },
    claims: { email: ['email', 'email_verified'] },
    // The hub reads what the token of the sign-in says.
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true }),
    }),
  });
  const answer = provider.callback();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(Number(new URL(issuer).port), '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  process.env['HOOKMACHINE_OIDC_SECRET'] = secret;
  onTestFinished(() => void delete process.env['HOOKMACHINE_OIDC_SECRET']);
  return {
    options: ['--oidc-issuer', issuer, '--oidc-client', 'hub'],
    /** Signs in on the pages of the provider, and consents. */
    async signIn(page: Page, email: string): Promise<void> {
      await page.locator('input[name=login]').fill(email);
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.locator('button[type=submit]').click();
    },
  };
}
