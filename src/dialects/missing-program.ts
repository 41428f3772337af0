import type { Answer } from './answer.ts';

/** How bash says that it did not find a command, in the languages that it has most users in. */
const notFound = [
  'command not found',
  'commande introuvable',
  'Kommando nicht gefunden',
  'Befehl nicht gefunden',
  'orden no encontrada',
  'comando non trovato',
  'comando não encontrado',
  'команда не найдена',
  'команду не знайдено',
  'コマンドが見つかりません',
  '未找到命令',
  '找不到指令',
  '명령어를 찾을 수 없음',
  'opdracht niet gevonden',
  'nie znaleziono polecenia',
  'kommandot finns inte',
  'komut bulunamadı',
  'příkaz nenalezen',
];

/**
 * How shells, and programs that start others, say on stderr that a program is missing; the first group is its
 * name.
 */
const sentences = (): readonly RegExp[] => [
  new RegExp(String.raw`^(?:.*: )?\p{L}+ \d+ ?: ([^\s:]+) ?: (?:${notFound.join('|')})\.?$`, 'mu'),
  // zsh.
  /^\S.*:\d+: command not found: (\S+)$/m,
  // dash, ksh, busybox, mksh.
  /^\S.*?(?:: (?:line )?\d+|\[\d+\]): ([^\s:]+): (?:not found|inaccessible or not found)$/m,
  /^(?:[^\s:]*(?:sh|exec)): ([^\s:]+): (?:not found|command not found|inaccessible or not found)$/m,
  // fish.
  /^(?:fish: )?Unknown command:? '?([^\s']+?)'?$/m,
  // PowerShell.
  /The term '([^']+)' is not recognized as a name of a cmdlet/,
  /^(?:[^\s:]*\/)?(?:env|xargs|nohup|timeout|nice|setsid|stdbuf): (?:failed to run command |failed to execute |cannot run )?['\u2018"]?([^\s'\u2019":]+)['\u2019"]?: No such file or directory$/m,
];

/** How much of stderr is looked through, in characters. */
const longestLook = 64 * 1024;

/** The program that a shell said is missing. */
export function missingProgram(stderr: string): string | undefined {
  if (stderr === '') return undefined;
  const text = stderr.slice(0, longestLook).replaceAll('\r', '');
  for (const sentence of sentences()) {
    const name = sentence.exec(text)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

/**
 * Marks the answer of a hook that said nothing because a program of its script is missing: nobody knows what
 * it would have said. Where a host's own rules decide what a failure is, it is only noted.
 */
export function withMissingProgram<A extends Answer>(answer: A, isOnlyNoted: boolean): A {
  const { status, exitCode, decision, stop, stdout, stderr, notes } = answer;
  if (status !== 'ok' || exitCode !== 0 || decision !== undefined || stop) return answer;
  const program = stdout.trim() === '' ? missingProgram(stderr) : undefined;
  if (program === undefined) return answer;
  const what = `its script did not find the program ${JSON.stringify(program)} and gave no answer; install it, or test for it first (command -v)`;
  return {
    ...answer,
    notes: [...notes, what],
    ...(!isOnlyNoted && answer.unreadable === undefined && { unreadable: what }),
  };
}
