import { writeFileSync } from 'node:fs';
import { drawings } from './drawings.ts';

for (const [file, content] of await drawings())
  writeFileSync(new URL(file, import.meta.url), content);
