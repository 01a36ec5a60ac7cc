/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Characters of the names of a tenant and a run, from which on an entity is named by their digest. */
  entityNameCharactersMax: 200
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** The time after which a node that renews no lock has lost its shards. Set by `shardLockExpiration`. */
  shardLockMillis: 15_000,
  /** The time between two looks at the nodes of the cluster. Set by `refreshAssignmentsInterval`. */
  nodeLookMillis: 1000,
  /** The time between two looks for messages that a node was not told of. Set by `entityMessagePollInterval`. */
  messageLookMillis: 2000,
  /** The time between two pings of each node by another one. Set by `runnerHealthCheckInterval`. */
  pingMillis: 2000,
  /** The time between two looks for open assignments of which no message is stored. */
  assignmentLookMillis: 300_000,
  /** The time in which another node has to answer what it does for a run. */
  askMillis: 1000,
  /** Connections of a node to Postgres for messages and locks. */
  nodeConnectionsMax: 4
} as const
