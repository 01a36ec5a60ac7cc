/**
 * Watches the loop of one agent for calls that alternate and for calls that bring nothing new, while it works.
 *
 * The first such crack hands the loop to a fallback planner, if there is one; the next one is a question to a person,
 * and the loop stops. The question is on record, and a loop that is resumed behind it is watched anew. The kernel
 * keeps the cap of steps and the checklist, whoever proposes.
 *
 * @source Crash Recovery, ReAct crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type * as Crack from "@backstitch/topology/Crack"
import * as ReActLoop from "@backstitch/topology/ReActLoop"
import * as TopologyEvent from "@backstitch/topology/TopologyEvent"
import type { Transition } from "@backstitch/trace/Transition"
import type * as Planner from "../ports/Planner.ts"
import type * as CrackQuestion from "../topology/CrackQuestion.ts"

/** The way on of a loop: the planner that proposes next, or a question to a person. */
export type Way =
  | { readonly _tag: "Next"; readonly next: Planner.Planner["Service"]["next"] }
  | ({ readonly _tag: "Asked" } & CrackQuestion.CrackQuestion)

/** A loop that is watched. */
export interface LoopGuard {
  readonly follow: (transitions: Iterable<Transition>) => void
  readonly wayFor: (planner: Planner.Planner["Service"]) => Way
}

/** Tells whether a loop is stuck in a crack. A loop near its cap still gets on. */
const isStuckIn = ({ crack, signal }: Crack.Crack): boolean => crack === "oscillation" || signal === "no_progress"

/** Watches a loop under its declared topology. Other topologies have no loop. */
export const make = (declared: Topology.Topology | undefined): LoopGuard => {
  if (declared?.kind !== "react") return { follow: () => {}, wayFor: ({ next }) => ({ _tag: "Next", next }) }
  let loop = ReActLoop.shape.init
  let times = 0
  let last: Crack.Crack | undefined
  return {
    follow: (transitions) => {
      for (const transition of transitions) {
        // A question was asked, or a person has written: the loop begins to be watched anew.
        if (TopologyEvent.isTurn(transition.body)) {
          times = 0
          last = undefined
          loop = ReActLoop.shape.init
        }
        for (const event of TopologyEvent.of(transition)) {
          const { cracks, state } = ReActLoop.shape.step(loop, event, declared)
          const crack = cracks.find(isStuckIn)
          // The next planner is judged by calls of its own.
          loop = crack === undefined ? state : ReActLoop.shape.init
          if (crack === undefined) continue
          times++
          last = crack
        }
      }
    },
    wayFor: ({ fallback, next }) => {
      if (last === undefined) return { _tag: "Next", next }
      if (times === 1 && fallback !== undefined) return { _tag: "Next", next: fallback }
      const { crack, subject } = last
      return { _tag: "Asked", crack, subjects: subject === undefined ? [] : [subject] }
    }
  }
}
