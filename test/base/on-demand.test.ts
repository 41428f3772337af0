import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** What runs hooks, and what finds them. */
const engine = ['agent', 'core', 'handlers', 'hosts', 'settings'];

/** Modules that only commands load, and those that are loaded before any event. */
const free = /\/(?:call|caller-watch|install|speak|tool-names|write)\.ts$/;

test('a module that the engine loads on demand can still be loaded after a shortage of descriptors', () => {
  const found = engine.flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/^(?:install|models|relay|serve)\//.test(file))
      .flatMap((file) =>
        [
          ...readFileSync(join(source, folder, file), 'utf8').matchAll(
            /(.*)\bimport\(\s*'([^']+)'/g,
          ),
        ]
          .filter(([, before = '', path = '']) => !before.includes('onDemand(') && !free.test(path))
          .map(([, , path]) => `${folder}/${file}: ${path}`),
      ),
  );
  expect(found).toEqual([]);
});
