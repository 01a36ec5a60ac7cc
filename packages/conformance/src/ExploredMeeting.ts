/**
 * A process that was refused a name: it looks at what the holder has done, and decides again with what it learnt.
 *
 * Between the refusal, the look and the next commit anything may happen, so
 * what was learnt may be stale by the time it counts.
 *
 * @since 0.1.0
 */
import * as Holder from "@backstitch/kernel/Holder"
import * as Learnt from "@backstitch/kernel/Learnt"
import type * as ExploredLog from "./ExploredLog.ts"
import * as ExploredProcess from "./ExploredProcess.ts"

/**
 * What can be looked at, and what is learnt from it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Seen {
  readonly logs: ReadonlyArray<ExploredLog.ExploredLog>
  readonly heads: ReadonlyArray<ExploredLog.Node>
  readonly learn: typeof Learnt.of
}

/**
 * Looks at the trace of whoever holds a name: something is learnt, or the holder decides what is told.
 *
 * @category combinators
 * @since 0.1.0
 */
export const meet = (
  scene: ExploredProcess.Scene,
  self: ExploredProcess.Process & { readonly doing: { readonly _tag: "Meeting" } },
  { heads, learn, logs }: Seen
): ExploredProcess.Process => {
  const { log } = scene
  const { decided, refusal } = self.doing
  const { command, learnt = Learnt.nothing, waits } = decided
  const { owner, run, tick } = refusal.holder
  const index = logs.findIndex((each) => each.run.id === run)
  const head = heads[index]!
  const transitions = head.transitions.slice(tick - 1)
  const decision = log.decide(log.node(self.at), ExploredProcess.askedOf(decided))
  const isAsked = command._tag === "Propose"
  const more =
    isAsked || refusal.namespace === "turn"
      ? learn(learnt, {
          terms: log.terms(log.node(self.at), scene.clock),
          names: decision.names ?? {},
          refusal,
          transitions
        })
      : undefined
  if (more !== undefined) return ExploredProcess.decide(scene, self, command, { learnt: more, waits })
  const behind = { run, at: head.id }
  // What the kernel does of its own accord waits for its name, until somebody resumes the run.
  if (!isAsked) return { ...self, staged: [], doing: { _tag: "Ended", outcome: "Held", behind } }
  const holder = Holder.of(run, owner, transitions)
  const { proposal } = command
  const requestHash = decision.names?.begins?.requestHash
  const met = { proposal, requestHash, refusal, holder, since: learnt.since }
  return ExploredProcess.decide(scene, self, command, { behind, learnt, refusal: met, waits })
}
