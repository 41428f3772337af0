/** What an engine is made of. */
export interface CedarOptions {
  /** Entities of one's own, in Cedar's JSON: groups of users, servers, folders. */
  readonly entities?: string | undefined;
  /** What no policy permits is denied; default: no policy has an opinion. */
  readonly denies?: boolean | undefined;
}
