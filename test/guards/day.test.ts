import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeCall } from '../../src/guards/guard-hook.ts';
import { guardedIn } from '../../src/hosts/guarded/find-guarded.ts';
import { commitIn, plant } from './planted.ts';

/*
 * A developer's day with an agent: fifty ordinary tasks, as agents do them, with all guards on. Nothing may be in
 * the way.
 */

const home = mkdtempSync(join(tmpdir(), 'guards-day-'));
const project = join(home, 'shop');

const files = {
  'package.json': JSON.stringify({
    name: 'shop',
    scripts: {
      build: 'rm -rf dist && tsc -p .',
      test: 'vitest run',
      clean: 'rm -rf dist coverage *.tsbuildinfo',
      dev: 'vite --port 3000',
      lint: 'eslint . --fix',
    },
  }),
  Makefile:
    'BUILD := build\nall: $(BUILD)/app\n$(BUILD)/app: src/app.c\n\tmkdir -p $(BUILD)\n\tcc -o $@ $<\nclean:\n\trm -rf $(BUILD)\n',
  'src/app.ts': 'export const price = 1;\n',
  'src/app.c': 'int main() { return 0; }\n',
  'src/app.test.ts': 'test\n',
  'docker-compose.yml': 'services: {}\n',
  'infra/main.tf': 'resource "a" "b" {}\n',
  'migrations/001.sql': 'create table orders (id int);\n',
  'scripts/release.sh': '#!/bin/sh\nset -eu\nnpm run build\ntar czf release.tgz dist\n',
  '.env.example': 'KEY=\n',
  '.gitignore': 'node_modules\ndist\ncoverage\n.env\nbuild\n',
  'dist/app.js': 'built\n',
  'node_modules/left-pad/index.js': 'x\n',
};

beforeAll(() => {
  plant(project, files);
  commitIn(project, '.');
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const guards = ['shell', 'git', 'secrets', 'infrastructure', 'paths'] as const;

async function answersTo(tool_name: string, tool_input: object): Promise<unknown[]> {
  const judged = await Promise.all(
    guards.map((name) =>
      judgeCall(
        name,
        { tool_name, tool_input, cwd: project },
        {
          strictness: { shell: 'on', git: 'on', secrets: 'on', infrastructure: 'on' },
          protect: ['infra/**'],
          allow: [],
        },
        { home, isGuarded: guardedIn(project) },
      ),
    ),
  );
  return judged.filter((one) => one !== undefined);
}

test.each([
  'git status --short && git diff --stat',
  'git log --oneline -20 | cat',
  'git checkout -b feature/prices',
  'git add -A && git commit -m "Round prices; remove the old rm -rf helper"',
  `git commit -m "$(cat <<'EOF'\nExplain rm -rf / in the docs\n\nIt must not run.\nEOF\n)"`,
  'git fetch origin && git rebase origin/main',
  'git pull --rebase',
  'git push -u origin feature/prices',
  'git push --force-with-lease origin feature/prices',
  'git stash && git pull && git stash pop',
  'git checkout main && git branch -d feature/prices',
  'git worktree add ../shop-fix -b fix',
  'git show HEAD:src/app.ts | head -20',
  'git restore --staged src/app.ts',
  'git reset --soft HEAD~1',
  'git cherry-pick -x abc1234',
  'git bisect start HEAD HEAD~10 && git bisect run npm test',
  'git blame -L 1,10 src/app.ts',
  'git tag v1.2.0 && git push origin v1.2.0',
  'gh pr create --fill && gh pr view --json state',
  'npm ci && npm run build && npm test -- --run',
  'npm run clean',
  'npm install --save-dev vitest@latest',
  'npx tsc --noEmit && npx eslint src --fix',
  'npx -y create-vite@latest scratch --template react-ts',
  'pip install -r requirements.txt && python -m pytest -x -q',
  'python3 - <<\'EOF\'\nimport json\nprint(json.load(open("package.json"))["name"])\nEOF',
  `node -e "console.log(require('./package.json').version)"`,
  'make clean all -j4',
  'cargo build --release && cargo test',
  'go test ./... -run TestPrice -count=1',
  'docker build -t shop:dev . && docker run --rm -p 3000:3000 shop:dev',
  'docker compose up -d db && docker compose logs --tail 50 db',
  'docker compose down',
  'kubectl get pods -n shop && kubectl logs deploy/shop --tail=100',
  'terraform fmt -check && terraform validate && terraform plan -out=tf.plan',
  'aws s3 ls s3://shop-assets/ --recursive | tail -5',
  `psql "$DATABASE_URL" -c 'select count(*) from orders where created_at > now() - interval $$1 day$$'`,
  'sqlite3 dev.db < migrations/001.sql',
  'curl -sS https://api.example.com/health | jq .status',
  'curl -fsSL https://example.com/data.csv -o data/prices.csv && wc -l data/prices.csv',
  'rm -rf node_modules package-lock.json && npm install',
  'rm -rf dist build coverage .cache',
  "rm -f /tmp/shop-*.log; find . -name '*.pyc' -delete",
  "find . -type f -name '*.ts' -not -path './node_modules/*' | xargs grep -ln 'price' | head",
  "grep -rn 'rm -rf' --include='*.sh' . | head; rg -n 'DROP TABLE' migrations || true",
  "sed -i 's/price = 1/price = 2/' src/app.ts && git diff",
  'cp .env.example .env && mkdir -p data logs && touch logs/.gitkeep',
  'chmod +x scripts/release.sh && ./scripts/release.sh',
  'tar czf /tmp/shop.tgz --exclude node_modules . && ls -lh /tmp/shop.tgz',
  '(npm run dev > /tmp/dev.log 2>&1 &) ; sleep 3; curl -s localhost:3000 | head -5; pkill -f vite',
  'export NODE_ENV=test; for f in src/*.test.ts; do npx vitest run "$f" || exit 1; done',
  'cat package.json | jq -r .scripts.build; wc -l src/*; which node && node --version',
  'ps aux | grep [v]ite; lsof -i :3000 || true; df -h . ; du -sh node_modules',
  'echo "export const tax = 0.2;" >> src/app.ts && cat > src/tax.ts <<\'EOF\'\nexport const tax = 0.2;\nEOF',
  'mv src/app.test.ts src/price.test.ts && ln -s ../src/app.ts scripts/app.ts',
  'ssh-keygen -lf ~/.ssh/id_ed25519.pub; ssh -T git@github.com',
  'env NODE_OPTIONS=--max-old-space-size=4096 npm run build',
])('the guards are not in the way of %j', async (command) => {
  expect(await answersTo('run_shell_command', { command })).toEqual([]);
});

test.each<[string, object]>([
  ['write_file', { file_path: 'src/new.ts', content: 'export const rm = "rm -rf /";\n' }],
  ['Edit', { file_path: 'src/app.ts', old_string: '1', new_string: '2' }],
  ['read_file', { file_path: 'src/app.ts' }],
  ['read_file', { file_path: '.env.example' }],
  ['glob', { pattern: '**/*.env' }],
  ['grep', { pattern: 'API_KEY|SECRET', path: '.' }],
  ['web_fetch', { url: 'https://example.com', prompt: 'how do I rm -rf a folder?' }],
  ['write_file', { file_path: 'README.md', content: 'Run `curl https://x.y | sh` to install.\n' }],
])('the guards are not in the way of %s %j', async (tool, input) => {
  expect(await answersTo(tool, input)).toEqual([]);
});
