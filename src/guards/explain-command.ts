import { describeEffects } from './describe-effects.ts';
import { effectsOf, type CallPlace } from './reading/call-effects.ts';
import { findingsIn } from './judge.ts';
import { sentenceOf } from './rules/findings.ts';

/** What a command would do, and which rules speak about it. */
export interface CommandExplanation {
  readonly answer: 'deny' | 'ask' | 'allow';
  /** One line for each effect. */
  readonly effects: readonly string[];
  /** What the rules say, in sentences. */
  readonly findings: readonly {
    readonly rule: string;
    readonly answer: 'deny' | 'ask';
    readonly text: string;
  }[];
}

/** Works out what a shell command would do in a folder, without running anything, and what the rules say. */
export async function explainCommand(
  command: string,
  cwd: string,
  isGuarded?: CallPlace['isGuarded'],
): Promise<CommandExplanation> {
  const place = { cwd, isGuarded };
  const effects = effectsOf({ commands: [command], programs: [], files: [] }, place);
  const found = await findingsIn(effects, place, { strictness: {}, protect: [], allow: [] });
  const isDenied = found.some(({ answer }) => answer === 'deny');
  return {
    answer: isDenied ? 'deny' : found.length > 0 ? 'ask' : 'allow',
    effects: describeEffects(effects),
    findings: found.map((finding) => ({
      rule: finding.rule,
      answer: finding.answer,
      text: sentenceOf(finding),
    })),
  };
}
