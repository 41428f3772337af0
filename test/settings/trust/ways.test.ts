import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trustFile } from '../../../src/settings/files/levels.ts';
import type { HookDefinition } from '../../../src/core/definitions/hook-definition.ts';
import { fingerprint } from '../../../src/settings/trust/fingerprint.ts';
import { trustVerifier } from '../../../src/settings/trust/project-trust.ts';
import { recordTrust } from '../../../src/settings/trust/write-trust.ts';
import { sandbox } from '../../support/sandbox.ts';

/** A hook of a project with this command. */
const hookOf = (command: string): HookDefinition => ({
  event: 'BeforeTool',
  type: 'command',
  command,
  name: 'guard',
  timeout: 60_000,
  sequential: false,
  source: 'project',
  place: 'hooks.BeforeTool[0].hooks[0]',
  env: {},
});

const sh = '#!/bin/sh\necho reached\n';
const js = "console.log('reached');\n";
const py = "print('reached')\n";

/** A command, the files of its project by path, and the one that is changed. */
interface Way {
  readonly command: string;
  readonly files: Readonly<Record<string, string>>;
  readonly changed: string;
  /** It needs a program that not every machine has, or prints nothing here. */
  readonly isNotRun?: true;
}

const ways: Way[] = [];
/** Adds a way to reach a script: the command, the file that is changed, and other files. */
function way(
  command: string,
  changed = 'guard.sh',
  more: Readonly<Record<string, string>> = {},
  isNotRun?: true,
): void {
  const text = /\.(?:js|cjs|mjs)$/.test(changed) ? js : changed.endsWith('.py') ? py : sh;
  const files = { [changed]: text, ...more };
  ways.push({ command, changed, files, ...(isNotRun && { isNotRun }) });
}
const unrun = (command: string, changed?: string, more: Readonly<Record<string, string>> = {}) =>
  way(command, changed, more, true);

// The shell's own ways.
way('./guard.sh');
way('sh guard.sh');
way("sh $'guard.sh'");
way(String.raw`sh $'gu\x61rd.sh'`);
way('sh $"guard.sh"');
way("sh 'gu'ard.'sh'");
way('sh ./"guard".sh');
way('. ./guard.sh');
way('source ./guard.sh');
way('source guard.sh');
way('sh <guard.sh');
way('sh < guard.sh');
way('sh 0< guard.sh');
way('sh <> guard.sh');
way('exec < guard.sh; sh');
way('{ sh; } < guard.sh');
way('( sh ) < guard.sh');
way('cat guard.sh | sh');
way('cat guard.sh | cat | sh');
way('cat < guard.sh | sh');
way('sh <(cat guard.sh)');
way('sh -c "$(cat guard.sh)"');
way('sh -c "`cat guard.sh`"');
way('eval "$(cat guard.sh)"');
way('eval "sh guard.sh"');
way('eval sh guard.sh');
way('eval cd sub "&&" sh guard.sh', 'sub/guard.sh');
way('eval cd sub; ./guard.sh', 'sub/guard.sh');
way("sh -c 'sh guard.sh'");
way(`sh -c "sh -c 'sh guard.sh'"`);
way('sh <<EOF\nsh guard.sh\nEOF');
way("sh <<'EOF'\nsh guard.sh\nEOF");
way('sh <<-EOF\n\tsh guard.sh\n\tEOF');
way('sh <<< "sh guard.sh"');
way('echo "sh guard.sh" | sh');
way("printf 'sh guard.sh' | sh");
way("printf '%s\\n' 'sh guard.sh' | sh");
way('sh ~+/guard.sh');
way('~+/guard.sh');
way('cd sub && ./guard.sh', 'sub/guard.sh');
way('cd sub; cd deep; sh guard.sh', 'sub/deep/guard.sh');
way('(cd sub && sh guard.sh)', 'sub/guard.sh');
way('pushd sub >/dev/null; ./guard.sh', 'sub/guard.sh');
way('cd "$(echo sub)" && ./guard.sh', 'sub/guard.sh');
way('cd sub && sh "$PWD/guard.sh"', 'sub/guard.sh');
way('cd sub && sh "$(pwd)/guard.sh"', 'sub/guard.sh');
way('cd sub && cd - >/dev/null && sh guard.sh');
way('sh hooks.d/*.sh', 'hooks.d/guard.sh');
way('sh gu?rd.sh');
way('sh g[tu]ard.sh');
way('sh {guard,other}.sh');
way('sh gua{r,}d.sh');
way('for f in hooks.d/*.sh; do sh "$f"; done', 'hooks.d/guard.sh');
way('for f in guard other; do [ -f $f.sh ] && sh $f.sh; done');
way('for f in guard.sh; do . ./$f; done');
way('while read -r f; do sh "$f"; done <<< guard.sh');
way('echo guard.sh | while read f; do sh $f; done');
way('ls hooks.d | while read f; do sh hooks.d/$f; done', 'hooks.d/guard.sh');
way('x=guard; sh $x.sh');
way('x=guard; x=$x.sh; sh $x');
way('x=none; x=guard; sh $x.sh');
way('x=(guard.sh); sh "${x[0]}"');
way('set -- guard.sh; sh "$1"');
way('x=guard.sh.bak; sh "${x%.bak}"');
way('f() { sh "$1"; }; f guard.sh');
way('f() { sh guard.sh; }; f');
way('run=sh; $run guard.sh');
way('case x in *) sh guard.sh;; esac');
way('if true; then sh guard.sh; fi');
way('until sh guard.sh; do :; done');
way('sh guard.sh & wait');
way('trap "sh guard.sh" EXIT');
way('sh guard.sh >> guard.log', 'guard.sh', {}, true);
way('echo "# ran" >> guard.sh; sh guard.sh');
way('{ echo start >> log; }; sh guard.sh');
way('sh guard.sh 2>&1 | tee -a log');
way('! sh guard.sh', 'guard.sh');
way('time sh guard.sh');
way('coproc sh guard.sh; cat <&"${COPROC[0]}"', 'guard.sh', {}, true);
way("shopt -s expand_aliases; alias g='sh guard.sh'\ng");
way("alias g='sh guard.sh'; g", 'guard.sh', {}, true);
way('command sh guard.sh');
way('command . ./guard.sh');
way('builtin source ./guard.sh');
way('exec sh guard.sh');
way('exec -a name sh guard.sh');
way('"sh" guard.sh');
way('\\sh guard.sh');
way('/bin/sh guard.sh');
way('cp guard.sh copy.sh && sh copy.sh');
way('mkdir -p out && cat guard.sh > out/x && sh out/x');
way('[ -f off ] && exit; sh guard.sh');
way('sh ${NONE:-guard.sh}');
way('a=sh; b=guard.sh; "$a" "$b"');
way('D=sub; "$D"/guard.sh', 'sub/guard.sh');
way('"$CLAUDE_PROJECT_DIR"/guard.sh || "$PWD"/guard.sh');
way('mapfile -t l < list; sh "${l[0]}"', 'list', { list: 'guard.sh\n', 'guard.sh': sh });
way('read -r l < list; $l', 'list', { list: 'echo reached\n' });

// Programs that start other programs.
way('env sh guard.sh');
way('env X=1 sh guard.sh');
way('env -i sh guard.sh');
way('env -C sub ./guard.sh', 'sub/guard.sh');
way('env --chdir=sub ./guard.sh', 'sub/guard.sh');
way('env -C sub sh guard.sh', 'sub/guard.sh');
way("env -S 'sh guard.sh'");
way("env -S'sh guard.sh'");
way('env -u X -- sh guard.sh');
way('nohup sh guard.sh');
way('nice sh guard.sh');
way('nice -n 5 ./guard.sh');
way('nice -5 ./guard.sh');
way('timeout 5 ./guard.sh');
way('timeout -s KILL 5s sh guard.sh');
way('timeout --signal=KILL 5 sh guard.sh');
way('setsid -w sh guard.sh');
way('stdbuf -oL sh guard.sh');
way('echo guard.sh | xargs sh');
way('echo guard.sh | xargs -I{} sh {}');
way('xargs sh < list', 'list', { list: 'guard.sh', 'guard.sh': sh });
way('find . -name guard.sh -exec sh {} ";"');
way('find hooks.d -type f -exec sh {} +', 'hooks.d/guard.sh');
way('run-parts --regex . hooks.d', 'hooks.d/guard.sh');
// If its input were a socket, bash would assume that rshd had started it and ignore the variable.
way('BASH_ENV=./guard.sh bash -c : </dev/null');
way('ENV=./guard.sh bash --posix -ic : 2>/dev/null', 'guard.sh', {}, true);
way('export BASH_ENV=./guard.sh; bash -c : </dev/null');
way('env BASH_ENV=guard.sh bash -c : </dev/null');
way('bash --rcfile ./guard.sh -ic : 2>/dev/null');
way('bash --init-file guard.sh -i </dev/null 2>/dev/null', 'guard.sh', {}, true);
way('PATH=./bin:$PATH guard', 'bin/guard');
way('export PATH="$PWD/bin:$PATH"; guard', 'bin/guard');
way('PATH=$PATH:bin; guard', 'bin/guard');
way('hash -p ./guard.sh g; g');
unrun('sudo sh guard.sh');
unrun('sudo -u nobody ./guard.sh');
unrun('LD_PRELOAD=./guard.so true', 'guard.so');
unrun('ssh host < guard.sh');
unrun('docker run -v .:/w x sh /w/guard.sh');
unrun('git -c core.hooksPath=hooks commit', 'hooks/pre-commit');
unrun('git commit', '.git/hooks/pre-commit');
unrun('git status', '.git/config', { '.git/config': '[core]\n\tbare = false\n' });
unrun('npx guard', 'node_modules/.bin/guard');
unrun('npm run check', 'package.json');
unrun('yarn check', 'package.json');
unrun('pre-commit run', '.pre-commit-config.yaml');
unrun('parallel sh ::: guard.sh');
unrun('flock lock sh guard.sh');
unrun('zsh guard.zsh', 'guard.zsh');
unrun('tar --to-command=./guard.sh -xf a.tar');
unrun('vim -S guard.vim -c q', 'guard.vim');
unrun('expect guard.exp', 'guard.exp');
unrun('eslint --stdin', 'eslint.config.js');
unrun('tsx guard', 'guard.ts');
unrun('deno run guard.ts', 'guard.ts');
unrun('bun guard.ts', 'guard.ts');
unrun('php guard.php', 'guard.php');
unrun('lua guard.lua', 'guard.lua');
unrun('java Guard.java', 'Guard.java');
unrun('go run guard.go', 'guard.go');
unrun('go run .', 'go.mod');
unrun('cargo run', 'Cargo.toml');
unrun('sqlite3 x.db < guard.sql', 'guard.sql');
unrun('bundle exec guard', 'Gemfile');
unrun('just check', 'justfile');
unrun('uv run guard.py', 'guard.py');
unrun('curl -K guard.conf', 'guard.conf');
way('make -s check', 'Makefile', { Makefile: 'check:\n\t@echo reached\n' });
way('make -s -f guard.mk', 'guard.mk', { 'guard.mk': 'all:\n\t@echo reached\n' });

// Interpreters.
way('node guard.js', 'guard.js');
way('node guard.mjs', 'guard.mjs');
way('node ./guard', 'guard.js');
way('node guard', 'guard.js');
way('node .', 'index.js');
way('node ./guard', 'guard/index.js');
way('node guard', 'guard/main.js', { 'guard/package.json': '{"main":"./main"}' });
way('node guard', 'guard/package.json', {
  'guard/package.json': '{"main":"./main.js"}',
  'guard/main.js': js,
});
way('node -r ./guard -e 0', 'guard.js');
way('node -r ./guard.js -e 0', 'guard.js');
way('node -r./guard.js -e 0', 'guard.js', {}, true);
way('node --require ./guard.js -e 0', 'guard.js');
way('node --require=./guard.js -e 0', 'guard.js');
way('node --import ./guard.mjs -e 0', 'guard.mjs');
way('node --import=./guard.mjs -e 0', 'guard.mjs');
way('node -e \'require("./guard")\'', 'guard.js');
way('node -p \'require("./guard")\'', 'guard.js');
way('node --input-type=module -e \'import "./guard.mjs"\'', 'guard.mjs');
way('node < guard.js', 'guard.js');
way('node - < guard.js', 'guard.js');
way('cat guard.js | node', 'guard.js');
way('NODE_OPTIONS=--require=./guard.js node -e 0', 'guard.js');
way('export NODE_OPTIONS="--import ./guard.mjs"; node -e 0', 'guard.mjs');
way('node guard.js', 'package.json', { 'package.json': '{"type":"commonjs"}', 'guard.js': js });
way('./guard.js', 'guard.js', { 'guard.js': `#!/usr/bin/env node\n${js}` });
way('./guard.js', 'package.json', {
  'package.json': '{"type":"commonjs"}',
  'guard.js': `#!/usr/bin/env node\n${js}`,
});
way('node --test guard.test.js', 'guard.test.js');
way(
  'node --run check',
  'package.json',
  { 'package.json': '{"scripts":{"check":"echo reached"}}' },
  true,
);
way('python3 guard.py', 'guard.py');
way('python3 -m guard', 'guard.py');
way('python3 -m guard', 'guard/__main__.py');
way('python3 -c "import guard"', 'guard.py');
way('python3 -c \'exec(open("guard.py").read())\'', 'guard.py');
way('python3 < guard.py', 'guard.py');
way('python3 - < guard.py', 'guard.py');
way('python3 guard', 'guard/__main__.py');
way('PYTHONPATH=. python3 -c "import guard"', 'guard.py');
way('PYTHONPATH=lib python3 -m guard', 'lib/guard.py');
way('PYTHONSTARTUP=guard.py python3 -i -c 0 </dev/null', 'guard.py', {}, true);
way('perl guard.pl', 'guard.pl', { 'guard.pl': 'print "reached";' });
way('perl -I. -MGuard -e 1', 'Guard.pm', { 'Guard.pm': 'print "reached"; 1;' });
way('perl -e "do q(./guard.pl)"', 'guard.pl', { 'guard.pl': 'print "reached";' });
way('PERL5OPT="-I. -MGuard" perl -e 1', 'Guard.pm', { 'Guard.pm': 'print "reached"; 1;' });
unrun('ruby -r./guard -e 1', 'guard.rb');
unrun('ruby guard.rb', 'guard.rb');
way('awk -f guard.awk', 'guard.awk', { 'guard.awk': 'BEGIN { print "reached" }' });
way(`awk 'BEGIN { system("sh guard.sh") }'`);
way(`awk 'BEGIN { while (("sh guard.sh" | getline l) > 0) print l }'`);
way('echo x | sed -f guard.sed', 'guard.sed', { 'guard.sed': 's/x/reached/' });
way("echo x | sed 's/x/sh guard.sh/e'");
way("echo x | sed '1e sh guard.sh'");
way('jq -n -r -f guard.jq', 'guard.jq', { 'guard.jq': '"reached"' }, true);
way('jq -n -L . \'import "guard" as g; g::x\'', 'guard.jq', { 'guard.jq': 'def x: 1;' }, true);

// Names that change along the way, and inputs under other names.
way('sh /dev/stdin <<EOF\nsh guard.sh\nEOF');
way('. /dev/stdin <<< "sh guard.sh"');
way('source /dev/fd/0 < guard.sh');
way('cat guard.sh | sh /dev/stdin');
way('exec 3< guard.sh; sh <&3');
way('x=$(<guard.sh); eval "$x"');
way('while read -r l; do eval "$l"; done < guard.sh');
way('x=none; . ./set.sh; sh $x.sh', 'guard.sh', { 'set.sh': 'x=guard' });
way('x=none; export "x=guard"; sh $x.sh');
way('x=none; declare -n r=x; r=guard; sh $x.sh');
way('REPLY=none; read <<< guard; sh $REPLY.sh');
way('x=none; printf -v x guard; sh $x.sh');
way('x=none; eval x=guard; sh $x.sh');
way('x=none; read x <<< guard; sh $x.sh');
way('{ a[$(sh guard.sh >&2)0]=1; } 2>&1');
way('(( $(sh guard.sh >&2; echo 1) )) 2>&1');
way('[[ -n $(sh guard.sh) ]] && echo reached');
way('cat <<EOF\n$(sh guard.sh)\nEOF');
way('cat <<< "$(sh guard.sh)"');
way('echo "${x:-$(sh guard.sh)}"');
way('tee >(sh guard.sh) </dev/null; sleep 0.2');
way('sh -c \'. "$0"\' ./guard.sh');
way('sh -o errexit guard.sh');
way('bash -O extglob -eo pipefail guard.sh');
way('< guard.sh sh');
way(String.raw`\./gu\ard.sh`);
way('sh -- guard.sh');
way('node -- guard.js', 'guard.js');
way('python3 /dev/stdin <<EOF\nimport sys; sys.path.insert(0, "."); import guard\nEOF', 'guard.py');
way('./tool.js', 'lib.js', {
  'lib.js': js,
  'tool.js': '#!/usr/bin/env -S node --require ./lib\n',
});

// Links.
way('./link.sh', 'elsewhere/guard.sh', {});
way('sh linked/guard.sh', 'elsewhere/guard.sh', {});
// Data that decides the outcome.
way('grep -qf patterns <<< reached && echo reached', 'patterns', { patterns: 'reached\n' });
way('cat answer.json', 'answer.json', { 'answer.json': '"reached"' });

/** A project with these files and this hook. */
async function trusted(command: string, files: Readonly<Record<string, string>>) {
  const box = sandbox();
  const cwd = realpathSync(box.project);
  for (const [path, text] of Object.entries(files)) write(join(cwd, path), text);
  if (files['elsewhere/guard.sh'] !== undefined) {
    symlinkSync('elsewhere/guard.sh', join(cwd, 'link.sh'));
    symlinkSync('elsewhere', join(cwd, 'linked'));
  }
  mkdirSync(join(cwd, 'sub'), { recursive: true });
  const hook = hookOf(command);
  return { cwd, hook };
}

async function record(cwd: string, hook: HookDefinition): Promise<void> {
  recordTrust(trustFile()!, cwd, {
    trustedAt: new Date().toISOString(),
    hooks: [await fingerprint(hook, cwd)],
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const verify = (cwd: string, hook: HookDefinition) => trustVerifier(cwd, () => undefined)(hook);

function output(cwd: string, command: string): string {
  try {
    return execFileSync('bash', ['-c', command], {
      cwd,
      encoding: 'utf8',
      input: '',
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], CLAUDE_PROJECT_DIR: cwd },
    });
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

describe('a changed script is no longer trusted, however it is reached', () => {
  test.each(ways)(
    'the command $command is no longer trusted after a change of $changed',
    async ({ command, files, changed, isNotRun }) => {
      const { cwd, hook } = await trusted(command, files);
      // Proves that the row is right: the command does reach the file.
      if (!isNotRun && !changed.endsWith('Makefile')) {
        const copy = await trusted(command, files);
        expect(output(copy.cwd, command)).toContain('reached');
      }
      await record(cwd, hook);
      expect(await verify(cwd, hook)).toEqual({ trusted: true });
      write(
        join(cwd, changed),
        `${files[changed]}\n${changed === '.git/config' ? '[alias]\n\tx = y' : '# changed'}\n`,
      );
      expect(await verify(cwd, hook)).toMatchObject({ trusted: false });
    },
  );

  test('many ways to reach a script are covered', () => {
    expect(ways.length).toBeGreaterThan(150);
  });
});

const harmless = [
  'true',
  'exit 2',
  'echo hi',
  "printf '%s' no >&2; exit 2",
  'cat >/dev/null; exit 0',
  'cat > /dev/null',
  'jq .tool_name',
  "jq -r '.tool_input.command // empty'",
  "jq -e --arg x y '.a == $x'",
  "jq -r '.tool_input.command' | grep -q 'rm -rf' && exit 2; exit 0",
  'grep -q foo',
  'grep -qE "rm|dd" && { echo no >&2; exit 2; }',
  'input=$(cat); echo "$input" | grep -q secret && exit 2',
  'IN=$(cat); case "$IN" in *rm*) exit 2;; esac',
  '[ "$(date +%H)" -lt 18 ] || exit 2',
  '[[ "$(cat)" == *rm* ]] && exit 2 || exit 0',
  'read -r line; test -z "$line"',
  'date >> audit.log',
  'cat >> audit.log',
  'tee -a audit.log >/dev/null',
  "sed -n 's/a/b/p'",
  "awk '{ print $1 }'",
  'head -c 100 | wc -c',
  'tr a-z A-Z | sort | uniq -c',
  'sleep 0.01',
  'node -e "process.exit(2)"',
  "python3 -c 'import sys; sys.exit(2)'",
  'sh -c "exit 2"',
  'timeout 5 cat',
  'command -v jq >/dev/null || exit 0',
  'env LC_ALL=C sort',
  './guard.sh',
  'sh guard.sh --strict',
  '"$CLAUDE_PROJECT_DIR"/guard.sh',
  'node guard.mjs',
  'cd sub && ./guard.sh',
  './guard.sh | tee -a audit.log',
  '{ ./guard.sh; } 2>> audit.log',
  'for n in 1 2 3; do echo $n; done',
  'if ! ./guard.sh; then exit 2; fi',
  'f() { echo no >&2; exit 2; }; ./guard.sh || f',
];

describe('a literal command', () => {
  test.each(harmless)('files that the command %s does not name may change', async (command) => {
    const files = { 'guard.sh': sh, 'guard.mjs': js, 'sub/guard.sh': sh, 'src/a.ts': '1' };
    const { cwd, hook } = await trusted(command, files);
    const found = await fingerprint(hook, cwd);
    expect(found.unfollowed).toEqual([]);
    await record(cwd, hook);
    write(join(cwd, 'src/a.ts'), '2');
    write(join(cwd, 'src/b.ts'), 'new');
    write(join(cwd, 'README.md'), 'new');
    write(join(cwd, 'audit.log'), 'more');
    write(join(cwd, 'package.json'), '{"version":"2"}');
    expect(await verify(cwd, hook)).toEqual({ trusted: true });
  });
});
