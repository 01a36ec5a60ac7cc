/**
 * The state machine of an agent: its states, and the tools that lead from one to the next.
 *
 * A machine permits nothing and refuses nothing. Recovery derives three facts from it: the subtask that a call
 * belongs to, the beginning of an instance, and the state to which an agent goes back. The state is a field of
 * `working` if the pack names one. Otherwise it follows from the successful calls, and a tool without an edge from a
 * state leaves the agent in that state.
 *
 * @source DART, definition 1
 */

/** A legal move: in a state, a call that succeeds leads to another state. */
export interface Edge {
  readonly from: string
  readonly tool: string
  readonly to: string
}

/** A state machine. Its state is read from `field` of `working`, or begins as `initial` and follows the edges. */
export type Machine = {
  readonly states: ReadonlyArray<string>
  readonly edges: ReadonlyArray<Edge>
} & (
  | { readonly field: string; readonly initial?: undefined }
  | { readonly initial: string; readonly field?: undefined }
)

/** The state of an agent after a successful call of a tool, by the edges alone. */
export const next = ({ edges }: Machine, from: string, tool: string): string =>
  edges.find((edge) => edge.from === from && edge.tool === tool)?.to ?? from
