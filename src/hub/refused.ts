import { HookmachineError } from '../base/errors.ts';

/** An error for whoever asked for something that they may not do. */
export const refused = (why: string): HookmachineError =>
  new HookmachineError('HUB_REFUSED', `The hub refused it: ${why}.`);
