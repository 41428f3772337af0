import { describe } from 'vitest';
import { all } from '../ai-sdk/all.ts';

describe('the published AI SDK 7', () => all(7));
