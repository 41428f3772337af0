/** The modules that are loaded only once there are hooks. */
export { readAnswer } from './answer.ts';
export { environmentOf } from './environment.ts';
export { applies, compileMatcher, matcherOf } from './matcher.ts';
export { mergeAnswers } from './merge-answers.ts';
export { toStdin } from './stdin.ts';
