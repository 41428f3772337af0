/** Returns the settings in a configuration file of git, as pairs of a name in lower case and a value. */
export function gitSettings(text: string): readonly (readonly [key: string, value: string])[] {
  const settings: [string, string][] = [];
  let section = '';
  for (const line of text.replaceAll('\\\n', '').split('\n')) {
    const [, name, subsection, rest = ''] =
      /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line) ?? [];
    if (name !== undefined)
      section =
        subsection === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${subsection}`;
    const [, key, value = 'true'] =
      /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(name === undefined ? line : rest) ?? [];
    if (key !== undefined) settings.push([`${section}.${key.toLowerCase()}`, unquoted(value)]);
  }
  return settings;
}

const unquoted = (value: string): string =>
  value
    .replace(/\s*[#;](?=[^"]*$).*$/, '')
    .trim()
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, '$1')
    .replaceAll(/\\(["\\])/g, '$1');
