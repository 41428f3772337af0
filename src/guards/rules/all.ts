import { checkCode } from './code.ts';
import { codeRules } from './code-rules.ts';
import { checkFiles } from './files.ts';
import { fileRules } from './file-rules.ts';
import { checkGit } from './git.ts';
import { flowRules } from './flow-rules.ts';
import { gitRules } from './git-rules.ts';
import { checkInfrastructure } from './infrastructure.ts';
import { infrastructureRules } from './infrastructure-rules.ts';
import type { Check, GuardName, Rule } from './rule.ts';
import { checkSecrets } from './secrets.ts';
import { secretRules } from './secret-rules.ts';

/** All rules, in the order in which they are listed. */
export const allRules: readonly Rule[] = [
  ...fileRules,
  ...codeRules,
  ...gitRules,
  ...secretRules,
  ...infrastructureRules,
  ...flowRules,
];

/** All checks; each speaks for rules of one or more guards. */
export const allChecks: readonly Check[] = [
  checkFiles,
  checkCode,
  checkGit,
  checkSecrets,
  checkInfrastructure,
];

const byId: ReadonlyMap<string, Rule> = new Map(allRules.map((rule) => [rule.id, rule]));

/** Returns a rule by its id. */
export const ruleOf = (id: string): Rule | undefined => byId.get(id);

/** Returns the guard that a rule belongs to. */
export const guardOf = (id: string): GuardName => id.slice(0, id.indexOf('/')) as GuardName;
