/**
 * The state machine of an agent: its states, and the tools that lead from one to the next.
 *
 * It permits and refuses nothing. Recovery reads by it which subtask a call belongs to, where an instance began, and to
 * which state an agent goes back. The state is a field of `working` where the pack names one; otherwise it follows from
 * the calls that succeeded, and a tool without an edge from a state leaves the agent there.
 *
 * @source DART, definition 1
 */

/** A legal move: in a state, a call that succeeds leads to another state. */
export interface Edge {
  readonly from: string
  readonly tool: string
  readonly to: string
}

/** A state machine: its state is read from `field` of `working`, or begins as `initial` and follows the edges. */
export type Machine = {
  readonly states: ReadonlyArray<string>
  readonly edges: ReadonlyArray<Edge>
} & (
  | { readonly field: string; readonly initial?: undefined }
  | { readonly initial: string; readonly field?: undefined }
)

/** The state in which a successful call of a tool leaves an agent, by the edges alone. */
export const next = ({ edges }: Machine, from: string, tool: string): string =>
  edges.find((edge) => edge.from === from && edge.tool === tool)?.to ?? from
