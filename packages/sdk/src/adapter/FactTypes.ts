/** Types of facts that the adapter of a framework commits, in a namespace of its own. */

/**
 * The types of a namespace. Runs pin the namespace with its version as they begin, so a store is opened with the types
 * of all adapters that it is used by.
 */
export interface FactTypes {
  readonly namespace: string
  readonly version: number
  /** Names within the namespace: `checkpoint` is the type `langgraph.checkpoint` of the namespace `langgraph`. */
  readonly names: ReadonlyArray<string>
}
