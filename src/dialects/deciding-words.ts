import { isRecord } from '../protocol/output.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A word of another host's hooks: what it means here, and the values by which it is known to be one. */
export interface ForeignWord {
  readonly name: string;
  readonly meant: 'a decision' | 'arguments' | 'a result';
  /** Whether a value makes it one: an ordinary word is foreign only beside a value that decides. */
  readonly when?: (value: unknown) => boolean;
}

const denyingTexts = new Set([
  'deny',
  'denied',
  'block',
  'blocked',
  'reject',
  'rejected',
  'forbid',
  'forbidden',
  'refuse',
  'refused',
  'disallow',
  'disallowed',
]);
const otherDecisions = new Set(['allow', 'approve', 'ask', 'accept', 'decline', 'cancel', 'defer']);

const bare = (value: unknown): string =>
  typeof value === 'string' ? value.trim().toLowerCase() : '';

/** Whether a value is a word for no, however it is spelt. */
const isDenyingText = (value: unknown): boolean => denyingTexts.has(bare(value));

const isDecidingText = (value: unknown): boolean =>
  isDenyingText(value) || otherDecisions.has(bare(value));

const isYes = (value: unknown): boolean => value === true || /^(?:true|yes)$/.test(bare(value));
const isNo = (value: unknown): boolean => value === false || /^(?:false|no)$/.test(bare(value));
const isYesOrObject = (value: unknown): boolean => isYes(value) || isRecord(value);

const decision = (name: string, when?: ForeignWord['when']): ForeignWord => ({
  name,
  meant: 'a decision',
  ...(when && { when }),
});
const input = (name: string): ForeignWord => ({ name, meant: 'arguments' });
const result = (name: string): ForeignWord => ({ name, meant: 'a result' });

/** The words by which the hooks of other hosts decide or replace something. */
export const foreignWords: readonly ForeignWord[] = [
  decision('permissionDecision'),
  decision('permission'),
  decision('behavior'),
  decision('blocked'),
  decision('updatedPermissions'),
  decision('interrupt', isYes),
  decision('action', isDecidingText),
  decision('verdict', isDecidingText),
  decision('outcome', isDenyingText),
  decision('effect', isDenyingText),
  decision('result', isDenyingText),
  decision('status', isDenyingText),
  decision('block', isYesOrObject),
  decision('deny', isYesOrObject),
  decision('denied', isYes),
  decision('isBlocked', isYes),
  decision('reject', isYesOrObject),
  decision('rejected', isYes),
  decision('forbidden', isYes),
  decision('cancel', isYes),
  decision('ok', isNo),
  decision('allow', isNo),
  decision('allowed', isNo),
  decision('approve', isNo),
  decision('approved', isNo),
  decision('permitted', isNo),
  input('updatedInput'),
  input('modifiedArgs'),
  input('overrideInput'),
  result('updatedToolOutput'),
  result('updatedMcpToolOutput'),
  result('modifiedResult'),
];

/** A key without what spellings differ in: case, and whatever joins words. */
export const normalized = (key: string): string => key.toLowerCase().replaceAll(/[^a-z]/g, '');

const saidByText = new Set(
  [
    'decision',
    'permissionDecision',
    'permission',
    'behavior',
    'action',
    'verdict',
    'outcome',
    'effect',
    'result',
    'status',
  ].map(normalized),
);
const saidByYes = new Set(
  [
    'blocked',
    'block',
    'deny',
    'denied',
    'isBlocked',
    'reject',
    'rejected',
    'forbidden',
    'cancel',
  ].map(normalized),
);
const saidByNo = new Set(
  ['continue', 'ok', 'allow', 'allowed', 'approve', 'approved', 'permitted'].map(normalized),
);

/** Whether an object says no or stops in the words of any host, `known` telling which word a key stands for. */
export function saysNo(
  object: Fields,
  known: (key: string) => string | undefined = () => undefined,
  depth = 2,
): boolean {
  return Object.keys(object).some((key) => {
    const value = object[key];
    // Only such a value can say no, and most do not.
    const mayDecide = isRecord(value) || isYes(value) || isNo(value) || isDenyingText(value);
    if (!mayDecide) return false;
    const word = normalized(known(key) ?? key);
    if (saidByText.has(word) && isDenyingText(value)) return true;
    if (saidByYes.has(word) && isYesOrObject(value)) return true;
    if (saidByNo.has(word) && isNo(value)) return true;
    return (
      depth > 0 &&
      (word === 'hookspecificoutput' || word === 'decision') &&
      isRecord(value) &&
      saysNo(value, known, depth - 1)
    );
  });
}
