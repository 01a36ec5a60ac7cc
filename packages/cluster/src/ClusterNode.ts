/**
 * A node of a cluster: its address, and its place among the others by the database.
 *
 * Nodes find each other in Postgres, where they also keep their messages and their locks, and talk to each other over
 * sockets. The tables are those of Effect Cluster, with its prefix, beside the tables of traces.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import type * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"

/** An address: a host, and a port. */
export interface NodeAddress {
  readonly host: string
  readonly port: number
}

/**
 * Settings of a node.
 *
 * **Details**
 *
 * `url` is the database of the cluster; `address` is where other nodes reach this one, and `listen` where it listens,
 * if that is another address. Sockets between nodes are not authenticated: they belong into a network of their own.
 * `sharding` changes the settings of Effect Cluster, which have to be the same on all nodes.
 */
export interface Settings {
  readonly url: string
  readonly address: NodeAddress
  readonly listen?: NodeAddress | undefined
  readonly sharding?: Partial<ShardingConfig.ShardingConfig["Service"]> | undefined
}

const { messageLookMillis, nodeLookMillis, pingMillis, shardLockMillis } = Limits.pacing

/** The settings of Effect Cluster that a node has unless others are given. */
export const sharding: Partial<ShardingConfig.ShardingConfig["Service"]> = {
  entityMessagePollInterval: Duration.millis(messageLookMillis),
  // A run that waits for a person is resident, and takes no place from another one.
  maxResidentEntities: "unbounded",
  refreshAssignmentsInterval: Duration.millis(nodeLookMillis),
  runnerHealthCheckInterval: Duration.millis(pingMillis),
  shardLockExpiration: Duration.millis(shardLockMillis),
  shardLockRefreshInterval: Duration.millis(shardLockMillis / 3)
}

/** Error for a node that cannot take its place among the others. */
export class NodeUnjoined extends Schema.TaggedError<NodeUnjoined>("@backstitch/cluster/NodeUnjoined")("NodeUnjoined", {
  /** The address at which it listens. */
  address: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return (
      `The node at ${this.address} cannot join its cluster: ${this.reason}. ` +
      "Name a free address of this machine, at which other nodes reach it, and a database that they share"
    )
  }
}

/** Layer that joins the cluster of a database, and leaves it with the scope. Fails with {@link NodeUnjoined}. */
export const layer = ({ address, listen, sharding: given, url }: Settings) => {
  const client = PgClient.layer({
    url: Redacted.make(url),
    maxConnections: Limits.pacing.nodeConnectionsMax,
    minConnections: 1
  })
  const joined = NodeClusterSocket.layer({
    storage: "sql",
    shardingConfig: {
      ...sharding,
      ...given,
      runnerAddress: Option.some(RunnerAddress.make(address.host, address.port)),
      runnerListenAddress:
        listen === undefined ? Option.none() : Option.some(RunnerAddress.make(listen.host, listen.port))
    }
  }).pipe(Layer.provide(client))
  return Layer.catch(joined, (error) => {
    const { host, port } = listen ?? address
    const unjoined = new NodeUnjoined({ address: `${host}:${port}`, reason: reasonOf(error) })
    return Layer.effectContext<Layer.Success<typeof joined>, NodeUnjoined, never>(Effect.fail(unjoined))
  })
}

/** The innermost cause: those around it name the operation alone. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}
