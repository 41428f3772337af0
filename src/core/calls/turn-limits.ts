/** How many model calls a turn may make by default. */
export const defaultMaxSteps = 50;

/** How many times AfterAgent hooks may make the agent continue a turn by default. */
export const defaultMaxRejections = 8;
