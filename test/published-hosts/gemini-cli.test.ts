import { describe } from 'vitest';
import { hostCases } from './host-cases.ts';

describe('the published Gemini CLI', () => hostCases('gemini-cli'));
