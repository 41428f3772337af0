import { type Members, openMembers } from '../../hub/members.ts';
import { databaseUrl, reported } from '../parts/durable-options.ts';

/** Runs work on who is known to the hub, which takes its database. */
export const withMembers = (work: (members: Members) => Promise<void>): Promise<void> =>
  reported(async () => {
    const members = await openMembers(databaseUrl());
    try {
      await work(members);
    } finally {
      await members.close();
    }
  });
