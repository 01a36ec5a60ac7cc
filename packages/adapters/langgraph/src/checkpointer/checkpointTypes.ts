/** The types of the facts that a checkpointer commits. */
import type { FactTypes } from "@backstitch/sdk/adapter"

/** Types for the store of a checkpointer: `Backstitch.open({ types: [checkpoints] })`. */
export const checkpoints: FactTypes = {
  namespace: "langgraph",
  version: 1,
  names: ["began", "checkpoint", "deleted", "ended", "writes"]
}
