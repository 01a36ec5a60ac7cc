/** The words of topologies: their cracks, the signals by which these are seen, and the first response to each. */
import type * as Topology from "@backstitch/contracts/Topology"
import type * as Crack from "@backstitch/topology/Crack"
import type * as Shape from "@backstitch/topology/Shape"
import type * as Treatment from "@backstitch/topology/Treatment"

/** A topology as an audit tells of it: the first signal, the recovery, the checkpoints, and what a resume keeps. */
export interface Profile {
  readonly signal: string
  readonly recovery: string
  readonly checkpoint: string
  readonly carries: string
}

/** The facts of a signal: `agent` is the suspect, `subject` the task, tool, stage or object concerned. */
export type Facts = Pick<Crack.Crack, "agent" | "evidence" | "subject" | "tick">

/** A finding of a diagnosis that is no crack. */
type OtherFinding = "double" | "held" | "repeat" | "silence" | "unanswered" | "violation" | "waits"

/** The sentences about topologies. */
export interface TopologyWords {
  /** Each topology, with its article. */
  readonly kinds: { readonly [K in Topology.TopologyKind]: string }
  /** The observation by which a trace was recognised. */
  readonly basis: { readonly [B in "calls" | "declared" | "handoffs" | "memos"]: string }
  /** The remark that a trace looks like none of them. */
  readonly none: string
  readonly cracks: { readonly [N in Crack.CrackName]: string }
  readonly signals: { readonly [S in Crack.Signal]: (facts: Facts) => string }
  /** The first response to each crack, to an act that was repeated or succeeded twice, and to other findings. */
  readonly responses: { readonly [N in Crack.CrackName | OtherFinding]: string }
  /** Each way in which a crack was treated. */
  readonly treated: { readonly [W in Treatment.Treatment["way"]]: string }
  /** Names of what may be wrong with an act, and of an agent that is waited for. */
  readonly acts: { readonly [N in "double" | "held" | "repeat" | "silence"]: string }
  /** A predicate that is violated, or that could not be evaluated. */
  readonly violated: (latch: {
    readonly predicate: string
    readonly tick: number
    readonly isAnswered: boolean
  }) => string
  /** An agent that was waited for that long with its task, and has given no sign since. */
  readonly waited: (wait: { readonly agent: string; readonly task: string; readonly millis: number }) => string
  /** An act that succeeded twice, with the ticks of both calls. */
  readonly doubled: (act: {
    readonly tool: string
    readonly first: number
    readonly again: number
    readonly keys: "none" | "two"
  }) => string
  /**
   * The remark that nothing was found, with what does not show, and the one that no crack explains a result that is
   * known to be wrong.
   */
  readonly healthy: string
  /** The first response to a question that nobody has answered. */
  readonly asked: string
  readonly unseen: string
  readonly profiles: { readonly [K in Topology.TopologyKind]: Profile }
  /** The fate of a role that hangs, by the time that is declared for one. */
  readonly silence: (millis: number | undefined) => string
  /** The declaration that switches a detector on. */
  readonly missing: { readonly [N in Shape.Needed]: string }
}
