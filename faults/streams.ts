import { deny, denyByCode, type Fault } from './fault.ts';

const megabytes = (count: number): string => `head -c ${count}000000 /dev/zero | tr '\\0' a`;

/** Faults in what a hook reads and writes. */
export const streamFaults: readonly Fault[] = [
  {
    name: 'floods stdout with 200 MB',
    expected: 'failure',
    command: megabytes(200),
    timeout: 20_000,
  },
  {
    name: 'floods stderr with 200 MB, and denies',
    expected: 'denial',
    command: `(${megabytes(200)}) >&2; exit 2`,
    timeout: 20_000,
  },
  {
    name: 'floods both with 200 MB, and denies',
    expected: 'denial',
    command: `(${megabytes(200)}) | tee /dev/stderr; exit 2`,
    timeout: 20_000,
  },
  {
    name: 'denies in JSON and floods stdout with blanks',
    expected: 'denial',
    command: `${deny}; head -c 50000000 /dev/zero | tr '\\0' ' '`,
    timeout: 20_000,
  },
  { name: 'floods for ever', expected: 'failure', command: 'yes', timeout: 600 },
  {
    name: 'a denial longer than 10 MiB',
    expected: 'failure',
    command: `printf '{"decision":"deny","reason":"'; ${megabytes(12)}; printf '"}'`,
    timeout: 20_000,
  },
  { name: 'closes stdin', expected: 'denial', command: `exec <&-; ${denyByCode}` },
  {
    name: 'does not read 20 MB of input',
    expected: 'denial',
    command: denyByCode,
    toolInput: () => ({ content: 'x'.repeat(20_000_000) }),
  },
  { name: 'closes stdout, then answers', expected: 'failure', command: `exec >&-; ${deny}` },
  {
    name: 'closes all streams and hangs',
    expected: 'failure',
    command: 'exec <&- >&- 2>&-; sleep 100',
    timeout: 400,
  },
  { name: 'prints half an answer', expected: 'failure', command: `printf '{"decision":"al'` },
  { name: 'prints half a denial', expected: 'failure', command: `printf '{"decision":"deny",'` },
  { name: 'prints a denial twice', expected: 'failure', command: `${deny}; ${deny}` },
  {
    name: 'prints a denial between lines of a log',
    expected: 'failure',
    command: `echo starting; ${deny}; echo done`,
  },
  { name: 'prints a list', expected: 'failure', command: `echo '[{"decision":"deny"}]'` },
  { name: 'misspells its decision', expected: 'failure', command: `echo '{"decision":"denied"}'` },
  {
    name: 'a denial in JSON in JSON',
    expected: 'denial',
    command: `echo '"{\\"decision\\":\\"deny\\"}"'`,
  },
  {
    name: 'non-UTF-8 in the reason',
    expected: 'denial',
    command: `printf 'no \\377\\376\\200' >&2; exit 2`,
  },
  {
    name: 'non-UTF-8 in the JSON of a denial',
    expected: 'denial',
    command: `printf '{"decision":"deny","reason":"\\377\\200"}'`,
  },
  {
    name: 'a denial in UTF-16',
    expected: 'failure',
    command: `${deny} | sed 's/./&\\x00/g'`,
  },
  {
    name: 'a denial after a byte order mark',
    expected: 'denial',
    command: `printf '\\357\\273\\277'; ${deny}`,
  },
  {
    name: 'NUL bytes in the reason',
    expected: 'denial',
    command: `printf 'no\\0no' >&2; exit 2`,
  },
  {
    name: 'NUL bytes around the JSON of a denial',
    expected: 'failure',
    command: `printf '\\0'; ${deny}; printf '\\0'`,
  },
  {
    name: 'a denial in colours',
    expected: 'failure',
    command: `printf '\\033[31m'; ${deny}; printf '\\033[0m'`,
  },
  {
    name: 'a denial nested 100,000 levels deep',
    expected: 'denial',
    command: `printf '{"decision":"deny","x":'; head -c 100000 /dev/zero | tr '\\0' '['; head -c 100000 /dev/zero | tr '\\0' ']'; printf '}'`,
  },
  {
    name: 'a denial with __proto__ and constructor',
    expected: 'denial',
    command: `echo '{"__proto__":{"decision":"allow"},"constructor":{"prototype":{}},"decision":"deny"}'`,
  },
  {
    name: 'writes to a full disk',
    expected: 'failure',
    command: `exec > /dev/full; ${deny}`,
  },
];
