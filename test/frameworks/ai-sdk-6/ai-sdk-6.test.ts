import { describe } from 'vitest';
import { all } from '../ai-sdk/all.ts';

describe('the published AI SDK 6', () => all(6));
