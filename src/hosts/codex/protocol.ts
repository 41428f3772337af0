/** The modules that are loaded only once there are hooks. */
export { readAnswer } from './answer.ts';
export { compileMatcher, matcherOf } from './matcher.ts';
export { mergeAnswers } from './merge-answers.ts';
export { toStdin } from './stdin.ts';
