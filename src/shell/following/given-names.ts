import { forEachChild, type SyntaxNode } from 'unbash';

/** The names that shell code defines. */
export interface GivenNames {
  /** How many times each variable is set; a loop counts as more than once. */
  readonly variables: ReadonlyMap<string, number>;
  readonly functions: ReadonlySet<string>;
}

/** Collects the names that shell code sets anywhere in it; stops when `mayGoOn` returns false. */
export function givenNames(code: SyntaxNode, mayGoOn: () => boolean): GivenNames {
  const variables = new Map<string, number>();
  const functions = new Set<string>();
  const give = (name: string, times: number): void =>
    void variables.set(name, (variables.get(name) ?? 0) + times);
  const look = (node: SyntaxNode, isPrefix: boolean): void => {
    if (!mayGoOn()) return;
    if (node.type === 'Function') functions.add(node.name.value);
    if (node.type === 'Assignment') give(node.name, isPrefix || node.append || node.index ? 2 : 1);
    for (const name of setOtherwise(node)) give(name, 2);
    const hasPrefix = node.type === 'Command' && node.name !== undefined;
    const prefix = hasPrefix ? new Set<unknown>(node.prefix) : undefined;
    forEachChild(node, (inner) => look(inner, prefix?.has(inner) ?? false));
  };
  look(code, false);
  return { variables, functions };
}

/** Returns the names that are set by anything but an assignment, so that their values cannot be known. */
function setOtherwise(node: SyntaxNode): readonly string[] {
  switch (node.type) {
    case 'For':
    case 'Select':
      return [node.name.value];
    case 'ParameterExpansion':
      return node.operation?.type === 'Default' && node.operation.operator.endsWith('=')
        ? [node.parameter]
        : [];
    case 'ArithmeticCommand':
      return setByArithmetic(node.body);
    case 'ArithmeticExpansion':
      return setByArithmetic(node.text);
    case 'Command':
      if (!setters.has(node.name?.value ?? '')) return [];
      return node.args
        .map((argument) => (argument.type === 'Word' ? argument.value : ''))
        .filter((text) => /^[A-Za-z_]\w*$/.test(text));
    default:
      return [];
  }
}

const setByArithmetic = (text: string): readonly string[] =>
  text.match(/[A-Za-z_]\w*(?=\s*(?:[-+*/%&|^]|<<|>>)?=[^=]|\+\+|--)/g) ?? [];

/** Programs whose arguments are names that they set. */
const setters = new Set([
  'read',
  'mapfile',
  'readarray',
  'getopts',
  'printf',
  'local',
  'declare',
  'typeset',
  'unset',
  'let',
  'wait',
]);
