/**
 * One run as one entity of a cluster: its messages, and what the node does that owns it.
 *
 * One message, `Tend`, has a run worked on until it has ended. It is stored before it is acknowledged, and answered
 * when the run has ended. If its node dies or leaves, the message is unanswered, and the next owner of the run begins
 * it anew. So it may be carried out twice, and that is harmless: the next owner derives everything from the trace, and
 * of two owners at once one loses each race for a tick. The other messages are about a run that is worked on, and are
 * not stored.
 */
import type * as Assignments from "@backstitch/host/Assignments"
import * as HostedRun from "@backstitch/host/HostedRun"
import * as Digest from "@backstitch/trace/Digest"
import * as Run from "@backstitch/trace/Run"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"

/** Works on a run until it has ended. Stored once for each round of its assignment. */
const Tend = Rpc.make("Tend", {
  payload: { tenant: Schema.String, run: Schema.String, agent: Schema.String, round: Schema.Natural },
  primaryKey: ({ round }) => String(round)
})
  .annotate(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.InterruptOnTermination, true)

/** Ends the wait of a run. */
const Nudge = Rpc.make("Nudge")

/** Leaves a run after its turn; answered when it is left. */
const Leave = Rpc.make("Leave")

/** Asks whether a run is queued, worked on or waiting at its node. */
const Ask = Rpc.make("Ask", { success: Schema.NullOr(Schema.Literals(["queued", "working", "waiting"])) })

/** A hosted run, by the name of {@link idOf}. */
export const HostedRunEntity = Entity.make("backstitch/HostedRun", [Tend, Nudge, Leave, Ask])

/** The name of the entity of a run. */
export const idOf = ({ id, tenant }: Run.Run): string => {
  const name = `${tenant}/${id}`
  return name.length <= Limits.refusing.entityNameCharactersMax ? name : Digest.ofBytes(name)
}

/** The message that has a run worked on. */
export const tend = ({ agent, round, run }: Assignments.Assignment) => ({
  tenant: run.tenant,
  run: run.id,
  agent,
  round
})

/** The parts of a node that its entities need. */
export interface Node {
  readonly hosting: HostedRun.Hosting
  readonly leaveMillis: number
}

/** Layer that works on the runs of a node. */
export const layer = ({ hosting, leaveMillis }: Node) =>
  HostedRunEntity.toLayer(
    Effect.sync(() => {
      let own: { readonly reins: HostedRun.Reins; readonly fiber: Fiber.Fiber<unknown> } | undefined
      const leave = Effect.suspend(() =>
        own === undefined ? Effect.void : HostedRun.leave(own.reins, own.fiber, leaveMillis)
      )
      return HostedRunEntity.of({
        Tend: ({ payload: { agent, round, run, tenant } }) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const reins = HostedRun.reins()
              const assignment = { agent, round, run: Run.make(run, tenant) }
              // Apart from this fiber, which is interrupted when the node leaves: a turn is ended first.
              const works = HostedRun.tend(hosting, assignment, reins)
              const fiber = yield* Effect.forkDetach(Effect.interruptible(works))
              const mine = { reins, fiber }
              own = mine
              yield* Effect.onInterrupt(restore(Fiber.join(fiber)), () => HostedRun.leave(reins, fiber, leaveMillis))
              if (own === mine) own = undefined
            })
          ),
        Nudge: () =>
          Effect.suspend(() =>
            own === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(own.reins.nudge, undefined))
          ),
        Leave: () => leave,
        Ask: () => Effect.sync(() => own?.reins.doing ?? null)
      })
    }),
    // A run is asked about while it is worked on.
    { concurrency: "unbounded" }
  )
