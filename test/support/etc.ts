import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { administrators } from './hookmachine.ts';

type Call = (...given: unknown[]) => unknown;

const ofAdministrators = new RegExp(`^/etc/(?:${administrators.join('|')})(?:/|$)`);

/** Calls whose second argument is a path too. */
const ofTwo = /^(?:rename|link|symlink|copyFile|cp)/;

/**
 * Makes this process find what a folder holds in place of administrators' folders in /etc, until the returned
 * function is called. The files' owner has to be root, as in /etc.
 */
export function administratorsFrom(folder: string): () => void {
  const there = (given: unknown): unknown =>
    typeof given === 'string' && ofAdministrators.test(given)
      ? folder + given.slice('/etc'.length)
      : given;
  const back = (found: unknown): unknown =>
    typeof found === 'string' && found.startsWith(`${folder}/`)
      ? `/etc${found.slice(folder.length)}`
      : found;
  const moved = (name: string, call: Call): Call =>
    Object.assign((...given: unknown[]) => {
      const paths = ofTwo.test(name) ? 2 : 1;
      const found = call(...given.map((each, at) => (at < paths ? there(each) : each)));
      return found instanceof Promise ? found.then(back) : back(found);
    }, call);
  const own = [fs, fs.promises].map((calls) => {
    const functions = Object.entries(calls).filter(
      ([name, call]) => typeof call === 'function' && /^[a-z]/.test(name),
    ) as [string, Call][];
    return [calls, functions] as const;
  });
  const put = (change: (name: string, call: Call) => Call): void => {
    for (const [calls, functions] of own)
      for (const [name, call] of functions) Object.assign(calls, { [name]: change(name, call) });
    syncBuiltinESMExports();
  };
  put(moved);
  return () => put((_, call) => call);
}
