import { followAnything, followScripts } from './arguments.ts';
import { followInput, followScript } from './code.ts';
import type { Following } from './following.ts';
import { loadedByNode, loadedByOthers } from './modules.ts';
import { harmlessInline } from './known-programs.ts';
import { literally, quote, literalWord, type ExpandedWord } from './expanded-word.ts';

/** Interpreters of other languages, and what each loads besides the script that it is given. */
export const interpreters: ReadonlyMap<string, typeof loadedByNode> = new Map([
  ['node', loadedByNode],
  ['nodejs', loadedByNode],
  ['python', loadedByOthers],
  ['python3', loadedByOthers],
  ['python2', loadedByOthers],
  ['perl', loadedByOthers],
  ['ruby', loadedByOthers],
]);

/** Follows the command line of an interpreter: modules, a script, code, or the interpreter's input. */
export function followInterpreter(
  at: Following,
  name: string,
  args: readonly ExpandedWord[],
): void {
  const { findings, places } = at;
  const load = (path: string): void => interpreters.get(name)?.(findings, places.pathsOf(path));
  const rest = [...args];
  for (let argument = rest.shift(); argument; argument = rest.shift()) {
    const [text] = literally(argument) ?? [];
    if (text === undefined) return followAnything(at, name, [argument, ...rest]);
    if (text === '--') continue;
    if (text === '-') break;
    if (text === '--run' && name.startsWith('node')) return at.program('npm', rest);
    if (text === '-m' && name.startsWith('python')) return followModule(at, name, rest);
    if (isInline(name, text)) return followInline(at, `${name} ${text}`, rest);
    if (name.startsWith('node') && preloading.test(text)) {
      const module = text.includes('=')
        ? literalWord(text.slice(text.indexOf('=') + 1))
        : rest.shift();
      const [only] = (module && literally(module)) ?? [];
      if (only === undefined || !/^(?:\.{0,2}\/)/.test(only))
        findings.lost(
          `where ${quote(`${name} ${text}`)} finds ${quote(module?.written ?? '')} is not literal`,
        );
      if (module) followScripts(at, [module]);
      if (only !== undefined) load(only);
    } else if (!text.startsWith('-')) {
      followScript(at, argument, name);
      load(text);
      return followScripts(at, rest);
    } else if (!harmlessOption.test(text)) {
      findings.lost(`what ${quote(`${name} ${text}`)} loads is not known`);
      followScripts(at, [argument, ...rest]);
      for (const one of rest) for (const guess of one.meant.texts) load(guess);
      return undefined;
    }
  }
  if (rest.length === 0 || args.at(-1)?.written === '-') followInput(at, name, false);
  return undefined;
}

const isInline = (name: string, option: string): boolean =>
  name.startsWith('python') ? option === '-c' : /^-(?:e|p|pe)$|^--(?:eval|print)$/.test(option);

/** Follows `python -m`: a module of the project would be loaded before an installed one. */
function followModule(
  at: Following,
  name: string,
  [module, ...rest]: readonly ExpandedWord[],
): void {
  const [only] = (module && literally(module)) ?? [];
  at.findings.lost(`what ${quote(`${name} -m`)} loads is not known`);
  if (only === undefined) return followScripts(at, rest);
  const file = only.replaceAll('.', '/');
  for (const folder of ['', ...[...at.places.searched].map((one) => `${one}/`)])
    for (const end of ['.py', '/__init__.py', '/__main__.py'])
      at.findings.names(`${folder}${file}${end}`, 'script');
  return at.program(only, rest);
}

function followInline(at: Following, name: string, args: readonly ExpandedWord[]): void {
  const [code] = args;
  const [only] = (code && literally(code)) ?? [];
  if (only === undefined || only.length > 4_000 || !harmlessInline.test(only))
    at.findings.lost(`the code of ${quote(name)} may load other files`);
  if (code && only === undefined)
    for (const guess of code.meant.guesses) at.findings.names(guess, 'maybe');
  followScripts(at, args);
}

/** Options of node that name a module to load first. */
const preloading = /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=|$)/;

/** Options of interpreters that load nothing and take no value. */
const harmlessOption =
  /^(?:-[uwBOsEISW]+|-w|--no-warnings|--trace-warnings|--enable-source-maps|--experimental-strip-types|--no-deprecation|--abort-on-uncaught-exception|--max-old-space-size=\d+|--unhandled-rejections=\w+)$/;
