/**
 * The name that a graph gives to a call: which call of which message it is, and the checkpoint that the graph had made
 * last. The sdk adds the digest of what is sent.
 *
 * A graph keeps a checkpoint while it works on, so acts that came after the checkpoint may have earlier ticks. The name
 * of a call tells the order: the call belongs to the history of each checkpoint that comes after the one in its name.
 */
import type { LangGraphRunnableConfig } from "@langchain/langgraph"

const mark = "langgraph"

/** Names a call of a message. A call that a graph repeats from the same checkpoint has the same name. */
export const make = (call: string, from = ""): string => [mark, from, call].join(":")

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
