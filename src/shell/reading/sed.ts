import { compact } from './compact.ts';
import { blurred, isKnown } from './marks.ts';
import { CommandLine } from './options.ts';
import { readsSecret, type Program } from './program.ts';

/** Reads `sed`: it may change files in place, write others (`w`), and run commands (`e`). */
export const sedProgram: Program = (at, args) => {
  const isInPlace = args.some((text) => /^(?:-[nErsuz]*i|--in-place)/.test(text));
  const line = new CommandLine(
    args.filter((text) => !/^-[nErsuz]*i/.test(text)),
    { valued: 'efl', longValued: ['expression', 'file', 'line-length'] },
  );
  const scripts = [...line.all('e', 'expression')];
  const operands = [...line.operands];
  if (scripts.length === 0 && !line.has('f', 'file')) scripts.push(operands.shift() ?? '');
  const script = compact(scripts.join('\n'));
  for (const [, code = ''] of script.matchAll(/(?:^|[;\n{\d$/])\s*e\s+([^\n]+)/g)) at.code(code);
  if (/s(.)(?:(?!\1).)*\1(?:(?!\1).)*\1\w*e\w*\s*(?:$|[;}\n])/.test(script))
    at.emit({ kind: 'code', text: at.stdin === '' ? script : at.stdin, language: 'sed' });
  for (const [, file = ''] of script.matchAll(/(?:^|[;\n{\d$/])\s*w\s+(\S+)/g))
    at.emit({ kind: 'file', action: 'write', path: at.path(file), isTree: false });
  let secret = '';
  for (const name of operands) {
    if (isInPlace) at.emit({ kind: 'file', action: 'edit', path: at.path(name), isTree: false });
    if (readsSecret(at, name)) secret = at.contentOf(at.path(name));
  }
  if (isInPlace) return '';
  const text =
    operands.length === 0 ? at.stdin : operands.map((name) => at.contentOf(at.path(name))).join('');
  if (secret !== '' || !isKnown(text)) return blurred(secret + text);
  return substituted(text, script) ?? blurred(text);
};

/** Applies a single `s/plain/plain/`; undefined if the script does more. */
function substituted(text: string, script: string): string | undefined {
  const [, , from, to, flags] =
    /^s([/|#,@!])((?:(?!\1)[^\\])*)\1((?:(?!\1)[^\\&])*)\1(g?)$/.exec(script.trim()) ?? [];
  if (from === undefined || to === undefined || !/^[\w ./:@-]*$/.test(from)) return undefined;
  const shape = new RegExp(from.replaceAll('/', String.raw`\/`), flags === 'g' ? 'g' : '');
  return text
    .split('\n')
    .map((line) => line.replace(shape, () => to))
    .join('\n');
}
