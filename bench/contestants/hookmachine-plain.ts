/** Our engine, with no shell ahead of a hook. */
process.env['HOOKMACHINE_PLAIN_START'] = '1';

export { open } from './hookmachine.ts';
