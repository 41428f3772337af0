import type { Command } from 'commander';

/*
 * What the command says of itself, made when it is built: whoever asks for help need not wait until all commands are
 * loaded.
 */

/** Returns the help of a program and of each of its commands, by their words: `approvals list`; '' is the whole. */
export function helpPages(program: Command): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  const add = (command: Command, words: readonly string[]): void => {
    pages.set(words.join(' '), helpOf(command));
    for (const inner of command.commands) add(inner, [...words, inner.name()]);
  };
  add(program, []);
  return pages;
}

function helpOf(command: Command): string {
  let text = '';
  const before = command.configureOutput();
  command.configureOutput({
    ...before,
    writeOut: (piece) => void (text += piece),
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  command.configureOutput(before);
  return text;
}

/** Returns the manual page of a program, in the language of man(7). */
export function manPage(program: Command, version: string): string {
  const help = program.createHelp();
  const commands = help.visibleCommands(program).filter((one) => one.name() !== 'help');
  return [
    `.TH HOOKMACHINE 1 "" "hookmachine ${version}" "User Commands"`,
    // Lines that end where they end: there are long words in them.
    '.ad l',
    '.SH NAME',
    `hookmachine \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    '.B hookmachine',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...commands.flatMap((command) => sectionsOf(command, [])),
    '.SH FILES',
    ...item('.hookmachine/settings.json', "the project's hooks and settings"),
    ...item('~/.hookmachine/settings.json', "the user's"),
    ...item('/etc/hookmachine/settings.json', "the administrator's"),
    '.SH SEE ALSO',
    'The documentation is in the folder "docs" of the package.',
    '',
  ].join('\n');
}

function sectionsOf(command: Command, above: readonly string[]): string[] {
  const help = command.createHelp();
  const words = [...above, command.name()];
  const inner = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  return [
    `.SS hookmachine ${words.join(' ')} ${roff(command.usage())}`,
    sentence(command.description()),
    ...help
      .visibleArguments(command)
      .flatMap((argument) => item(argument.name(), help.argumentDescription(argument))),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .flatMap((option) => item(option.flags, help.optionDescription(option))),
    ...inner.flatMap((one) => sectionsOf(one, words)),
  ];
}

const item = (term: string, text: string): string[] => ['.TP', `.B ${roff(term)}`, sentence(text)];

const sentence = (text: string): string => roff(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);

/** Text in which nothing is a request: a backslash, a hyphen, and a dot or quote at the start of a line. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/^[.']/, String.raw`\&$&`);
