import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { archiveOf } from '../../../src/settings/bundles/archive.ts';
import { readFolder } from '../../../src/settings/bundles/files.ts';
import { readSource } from '../../../src/settings/bundles/source.ts';
import { author, bundleIn, guardFiles } from '../../support/bundle.ts';
import { fetchArchive } from '../../../src/settings/bundles/fetch-archive.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const refused = (address: string, message: string, patience?: number) =>
  expect(fetchArchive(address, patience)).rejects.toThrow(message);

test('an archive is fetched only over HTTPS, up to a size limit and within a time limit', async () => {
  const folder = tempFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes'];
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-keyout', key];
  execFileSync('openssl', ['req', '-x509', ...pair, '-out', cert, ...subject], { stdio: 'ignore' });
  const bundle = bundleIn(join(folder, 'bundle'), author());
  const packed = await archiveOf(bundle, Object.keys(guardFiles()), 'guards-1.0.0');
  const zeros = Buffer.alloc(1024 * 1024);
  const paths: Record<string, RequestListener> = {
    '/bundle.tgz': (_, response) => void response.end(packed),
    '/good': (_, response) => void response.end('archive'),
    '/near': (_, response) => void response.writeHead(302, { location: '/good' }).end(),
    '/round': (_, response) => void response.writeHead(302, { location: '/round' }).end(),
    '/file': (_, response) =>
      void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    '/plain': (_, response) => void response.writeHead(302, { location: `${plain}/good` }).end(),
    '/missing': (_, response) => void response.writeHead(404).end('no'),
    '/slow': () => undefined,
    '/endless': (_, response) => {
      const more = (): void => {
        while (response.write(zeros));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    },
    '/broken': (_, response) => {
      response.write('a', () => response.destroy());
    },
  };
  const answer: RequestListener = (request, response) => paths[request.url!]!(request, response);
  const servers = [
    createServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer),
    createPlainServer(answer),
  ];
  onTestFinished(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  const ports = await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  const plain = `http://127.0.0.1:${ports[1]}`;
  const at = (path: string) => `https://127.0.0.1:${ports[0]}${path}`;

  await expect(fetchArchive(at('/good'))).rejects.toThrow('cannot be reached (self-signed');
  // The certificate does not matter: the signature proves who made the archive.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await fetchArchive(at('/good'))).toString()).toBe('archive');
  expect((await fetchArchive(at('/near'))).toString()).toBe('archive');
  expect(await readSource(at('/bundle.tgz'))).toEqual(readFolder(bundle));
  await refused(`${plain}/good`, 'is not fetched over HTTPS');
  await refused(at('/plain'), `is redirected to ${plain}, which is not HTTPS`);
  await refused(at('/file'), 'is redirected to file://, which is not HTTPS');
  await refused(at('/round'), 'is redirected too many times');
  await refused(at('/missing'), 'the server answered 404');
  await refused(at('/endless'), 'is too large');
  await refused(at('/broken'), 'cannot be fetched');
  await refused(at('/slow'), 'did not send it within 0.2 s', 200);
  await refused('https://', 'is not a URL');
  const away = createPlainServer().listen(0, '127.0.0.1');
  await once(away, 'listening');
  const { port } = away.address() as AddressInfo;
  await new Promise((resolve) => away.close(resolve));
  await refused(`https://127.0.0.1:${port}/x`, 'cannot be reached (connect ECONNREFUSED');
});
