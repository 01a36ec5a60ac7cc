export * as ClusterHost from "./ClusterHost.ts"
export * as ClusterNode from "./ClusterNode.ts"
export * as HostedRunEntity from "./HostedRunEntity.ts"
export * as Limits from "./Limits.ts"
