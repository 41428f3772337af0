import { isRemote } from './marks.ts';
import { secretName } from './state.ts';

/** Whether code evaluates what another machine sends, or gives that machine a shell. */
export const runsWhatItGets = (code: string, output: string): boolean =>
  (/\beval\b/.test(code) && isRemote(output)) ||
  (/\bfetch\(|https?\.(?:get|request)\(|urlopen\(|requests\.|axios/.test(code) &&
    /\bthen\(\s*eval\b|\beval\(|\bexec\(|\bnew Function\b|vm\.run/.test(code)) ||
  (/\bsocket\b|\bnet\.connect|TCPSocket|IO::Socket/.test(code) &&
    /dup2|pty\.spawn|\/bin\/(?:ba)?sh|\bspawn\(/.test(code));

/** Whether code prints a variable of the environment whose name says that it is a secret. */
export const printsVariable = (code: string): boolean =>
  [
    ...code.matchAll(
      /\b(?:print(?:ln|f)?|console\.\w+|puts|echo|say|p|write)\b\s*\(?[^;\n]{0,200}?(?:os\.environ(?:\.get\(|\[)|os\.getenv\(|process\.env(?:\.|\[)|\bENV\[|\bgetenv\(|\$ENV\{|\$_ENV\[)\s*['"]?(\w+)/g,
    ),
  ].some(([, name = '']) => secretName.test(name));

const mostAliases = 50;

/** Writes out the names under which code has imported something: `from os import system as s`. */
export function withoutAliases(text: string): string {
  const long = new Map<string, string>();
  const imports =
    /\bfrom\s+([\w.]+)\s+import\s+(\w+)\s+as\s+(\w+)|\bimport\s+([\w.]+)\s+as\s+(\w+)|\b(\w+)(?::|\s+as)\s*(\w+)\s*(?:,[^{}]{0,200})?\}\s*(?:=\s*require|from\b)|\b(?:const|let|var)\s+(\w+)\s*=\s*require\([^)]{0,60}\)\.(\w+)|^\s*(\w+)\s*=\s*((?:os|subprocess|shutil)\.\w+)\s*$/gm;
  for (const found of text.matchAll(imports)) {
    const [, from, what, as, module, asModule, name, asName, own, method, short, whole] = found;
    if (as !== undefined) long.set(as, `${from}.${what}`);
    if (asModule !== undefined) long.set(asModule, module!);
    if (asName !== undefined) long.set(asName, name!);
    if (own !== undefined) long.set(own, method!);
    if (short !== undefined) long.set(short, whole!);
    if (long.size >= mostAliases) break;
  }
  const plain = text
    .replaceAll(/\bgetattr\(\s*([\w.]+)\s*,\s*['"](\w+)['"]\s*\)/g, '$1.$2')
    .replaceAll(/(?<=[\w)\]])\[\s*['"]([A-Za-z_]\w*)['"]\s*\](?=\s*\()/g, '.$1');
  if (long.size === 0) return plain;
  return plain.replaceAll(
    /(?<![\w.$'"])[A-Za-z_]\w*(?=\s*[.(])/g,
    (word) => long.get(word) ?? word,
  );
}
