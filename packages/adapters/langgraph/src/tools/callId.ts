/**
 * The name of a call on the trace: which call of which message it is, what it sends, and the checkpoint that the graph
 * had made last.
 *
 * A graph keeps its checkpoints behind its steps, so the tick of a checkpoint may be later than what was done after it.
 * The name tells the order: a call belongs to the history of those checkpoints that come after the one in its name.
 */
import type { LangGraphRunnableConfig } from "@langchain/langgraph"

const mark = "langgraph"

/** A call of a message, the digest of what it sends, and the checkpoint from which it was made. */
export interface Named {
  readonly call: string
  readonly digest: string
  readonly from: string | undefined
}

/** Names a call. A call that a graph repeats from the same checkpoint has the same name. */
export const make = ({ call, digest, from = "" }: Named): string => [mark, from, digest, call].join(":")

/** The checkpoint in the name of a call; `undefined` if another program has named it, or it was made from none. */
export const checkpointIn = (callId: string | undefined): string | undefined => {
  const [program, from] = callId?.split(":") ?? []
  return program === mark && from !== "" ? from : undefined
}

/** The checkpoint of the outermost graph from which a task was begun. */
export const checkpointOf = ({ configurable }: LangGraphRunnableConfig): string | undefined => {
  const map: unknown = configurable?.["checkpoint_map"]
  const id: unknown =
    typeof map === "object" && map !== null ? (map as { readonly [namespace: string]: unknown })[""] : undefined
  return typeof id === "string" ? id : undefined
}
