type ToolInput = Readonly<Record<string, unknown>>;
type Names = ReadonlyMap<string, string>;

/** Kodelet's names for our tools. */
const toolNames: Names = new Map([
  ['run_shell_command', 'bash'],
  ['read_file', 'file_read'],
  ['write_file', 'file_write'],
  ['replace', 'file_edit'],
  ['glob', 'glob_tool'],
  ['search_file_content', 'grep_tool'],
]);

/** By our tool, Kodelet's names for arguments that we name otherwise. */
const argumentNames: ReadonlyMap<string, Names> = new Map([
  ['read_file', new Map([['limit', 'line_limit']])],
  ['write_file', new Map([['content', 'text']])],
  [
    'replace',
    new Map([
      ['old_string', 'old_text'],
      ['new_string', 'new_text'],
    ]),
  ],
]);

const reversed = (names: Names): Names =>
  new Map(Array.from(names, ([ours, theirs]) => [theirs, ours]));

const ourToolNames = reversed(toolNames);

/** The name by which Kodelet's hooks know a tool of ours; any other tool keeps its name. */
export const toKodeletTool = (ourName: string): string => toolNames.get(ourName) ?? ourName;

/** Our name of a tool of Kodelet's; any other tool keeps its name. */
export const fromKodeletTool = (theirName: string): string =>
  ourToolNames.get(theirName) ?? theirName;

/** A tool's arguments as Kodelet spells them. Names change, values do not: an offset keeps counting from 0. */
export const toKodeletInput = (ourName: string, input: ToolInput): ToolInput =>
  rename(input, argumentNames.get(ourName));

/** Arguments of Kodelet's as our tool spells them. */
export function fromKodeletInput(ourName: string, input: ToolInput): ToolInput {
  const names = argumentNames.get(ourName);
  return rename(input, names && reversed(names));
}

const rename = (input: ToolInput, names: Names | undefined): ToolInput =>
  names === undefined
    ? input
    : Object.fromEntries(
        Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]),
      );
