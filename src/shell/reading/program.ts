import { blurred, isKnown, isSecret, outputMark, secretMark } from './marks.ts';
import { followed } from './paths.ts';
import type { Running } from './running.ts';

/** Reads what one program does with its arguments, and returns what it prints. */
export type Program = (at: Running, args: readonly string[], name: string) => string;

/** A program that is not known in particular: it may read the files that it is given, and send nothing. */
export const anyProgram: Program = (at, args) => {
  // Who logs in is shown as little as the password.
  if (args.some((text) => /^(?:login|--password-stdin|--with-token)$/.test(text)))
    return outputMark;
  // What an option names is used, not shown: a certificate's key, a file of variables.
  const secret = args.some(
    (text, index) =>
      !text.startsWith('-') && !/^--?\w/.test(args[index - 1] ?? '') && readsSecret(at, text),
  );
  if (secret || isSecret(at.stdin)) return secretMark;
  return blurred(at.stdin);
};

const mostNames = 200;

/**
 * Reports that files are read if an argument names one that holds secrets, or a folder with such files, and
 * returns whether it does.
 */
export function readsSecretBelow(at: Running, text: string): boolean {
  if (readsSecret(at, text)) return true;
  const folder = at.path(text);
  const { disk, isSecretFile } = at.state.around;
  if (!isKnown(folder) || disk.kindOf(folder) !== 'folder') return false;
  const secret = disk
    .list(folder)
    .slice(0, mostNames)
    .find(
      (name) => isSecretFile(`${folder}/${name}`) && disk.kindOf(`${folder}/${name}`) === 'file',
    );
  return secret !== undefined && readsSecret(at, `${folder}/${secret}`);
}

/** Reports that a file is read if an argument names one that holds secrets, and returns whether it does. */
export function readsSecret(at: Running, text: string): boolean {
  if (text === '' || text.length > 4_096) return false;
  const name = text.replace(/^(?:--?[\w-]+=|@)/, '');
  const path = at.path(name);
  const { state } = at;
  if (state.files.has(path)) return isSecret(state.files.get(path)!);
  const isIt =
    state.around.isSecretFile(path) || state.around.isSecretFile(followed(path, state, true));
  if (isIt) at.emit({ kind: 'file', action: 'read', path, isTree: false });
  return isIt;
}
