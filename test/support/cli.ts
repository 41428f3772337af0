import { execa, type Options } from 'execa';

const main = new URL('../../dist/src/cli/main.js', import.meta.url).pathname;

/** Runs the built `hookmachine` command, as users do, away from the settings of whoever runs the tests. */
export function hookmachine(args: readonly string[], options: Options = {}) {
  return execa(process.execPath, [main, ...args], {
    reject: false,
    input: '',
    timeout: 15_000,
    ...options,
    env: {
      LLXPRT_SYSTEM_SETTINGS_PATH: '/nonexistent/settings.json',
      HOME: '/nonexistent',
      ...options.env,
    },
  });
}
