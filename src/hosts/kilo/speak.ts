import type { Speaker } from '../../core/dialects/speaker.ts';
import { speaker as opencode } from '../opencode/speak.ts';

export const speaker: Speaker = { ...opencode, title: 'Kilo' };
