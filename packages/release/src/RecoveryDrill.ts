/**
 * Drives the real kernel and runtime with recorded actions against a simulated world that fails on purpose.
 *
 * A recorded success shows a tool's request, its answer and the following record. So it can be played again, in the
 * state in which it was proposed, against a world that is slow, silent, wrong or half done. Nothing outside of this
 * process is called, and waiting takes no time.
 *
 * @source Action Verification, "Regression Control and Release Gates"
 */

import * as ClauseValues from "@backstitch/contracts/ClauseValues"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Goal from "@backstitch/kernel/Goal"
import type * as Kernel from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as Trust from "@backstitch/ledger/Trust"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { approved, recovered } from "./simulation/approving.ts"
import { withoutWaiting } from "./simulation/instantClock.ts"
import * as SimulatedWorld from "./simulation/SimulatedWorld.ts"

/** A recorded success to play again: its request and answer, the contract, and the state in which it was proposed. */
export interface DrilledAction extends SimulatedWorld.CallRecord {
  readonly run: string
  readonly action: string
  readonly pack: TaskPack.TaskPack
  readonly initial: Rules.Sections
  readonly clauses: JsonObject
  /** Recorded successes of the same run, including reversals. */
  readonly others: ReadonlyArray<SimulatedWorld.CallRecord>
}

/** The result of playing a subject against a world: its end, and the requests to the world. */
export interface Played {
  readonly outcome: Outcome
  readonly history: ActionHistory.ActionHistory | undefined
  /** `true` if the run as a whole was reported as a success. */
  readonly told: boolean
  /** The number of keys under which the subject was sent. */
  readonly keys: number
  readonly effects: number
  /** The number of times that another tool took effect. */
  readonly reversals: number
  /** Tools that could not be played, because no record of their effect is known. */
  readonly unmade: ReadonlyArray<string>
  /** `true` if the system of record had shown the truth when the outcome was decided. */
  readonly shown: boolean
  /** Steps behind a pivot that remain. */
  readonly left: ReadonlyArray<string>
}

/** The mutations of a run that were reconciled as a success, to play again; the latest for each tool. */
export const subjects = Effect.fn("RecoveryDrill.subjects")(function* (run: Run.Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  const transitions = yield* history.transitions(run)
  const proven = new Map<string, ActionHistory.ActionHistory>()
  const others = new Map<string, SimulatedWorld.CallRecord>()
  for (const each of ActionHistories.all(transitions).values()) {
    const isProven = each.state === "reconciled_success" && each.trust >= Trust.believable
    if (!isProven || !ActionHistory.isMutating(each)) continue
    if (each.verified !== undefined) others.set(each.tool, recordedOf(each))
    if (each.undoes === undefined) proven.set(each.tool, each)
  }
  const wanted = new Map([...proven.values()].map((each) => [each.proposed.tick, each]))
  const found: Array<DrilledAction> = []
  const lineage = (yield* history.root(run)).id
  const start = { head: HashChain.genesis({ tenant: run.tenant, id: lineage }), state: State.empty, asOf: 0 }
  yield* history.walk(run, {
    from: start,
    to: head.tick,
    visit: (_, { tick }, before) => {
      const proof = wanted.get(tick)
      const pack = proof === undefined ? undefined : library.packAt(before, tick)
      if (proof === undefined || pack === undefined) return undefined
      found.push({
        run: run.id,
        action: proof.id,
        ...recordedOf(proof),
        others: [...others.values()],
        pack,
        initial: { world: before.world, working: before.working },
        clauses: Goal.of(before).clauses
      })
      return undefined
    }
  })
  return found
})

const recordedOf = ({
  key,
  observed,
  params,
  tool,
  verified
}: ActionHistory.ActionHistory): SimulatedWorld.CallRecord => ({
  tool,
  params,
  key,
  observed: observed?.outcome.output ?? null,
  actual: verified?.outcome.output ?? null
})

/**
 * Plays a subject against a world that fails in one way, under a pack and a kernel.
 *
 * **Details**
 *
 * Reviews are approved. A held action is recovered once more, and then proposed again as another occurrence, which
 * has to be refused while the first is open (L7).
 */
export const play = Effect.fn("RecoveryDrill.play")(function* (
  subject: DrilledAction,
  options: {
    readonly fault: SimulatedWorld.WorldFault
    readonly kernel: Kernel.Kernel
    readonly pack?: TaskPack.TaskPack | undefined
  }
) {
  const { fault, kernel, pack = subject.pack } = options
  const { initial, others } = subject
  // A candidate may have dropped or narrowed a clause. Values that it does not accept are left out.
  const clauses = ClauseValues.fitting(pack, subject.clauses)
  const state = { ...initial, clause: clauses, state: { ...initial.working, ...initial.world } } as JsonObject
  const world = SimulatedWorld.make(subject, { fault, pack, others, state })
  const { tool } = subject
  const proposal: Proposal = { tool, params: subject.params }
  const run = Run.make("drill")
  const acting = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const history = yield* History.History
    const handle = yield* coordinator.open(run, { pack, goal: "drill", clauses, initial })
    let outcome = yield* approved(handle, proposal, yield* handle.propose(proposal))
    const shown = world.shown()
    if (fault === "remains") {
      const completed = yield* handle.complete
      outcome = yield* approved(handle, proposal, completed ?? outcome)
    }
    if (outcome._tag === "Held") {
      outcome = yield* approved(handle, proposal, yield* recovered(handle, outcome))
      const again = { ...proposal, occurrence: 2, occurrenceBy: "plan" as const }
      yield* approved(handle, again, yield* handle.propose(again))
    }
    const histories = ActionHistories.all(yield* history.transitions(run))
    const first = [...histories.values()].find((each) => each.tool === tool && each.undoes === undefined)
    const left = Obligations.all((yield* handle.position).state).flatMap(({ steps }) => steps)
    const played: Played = {
      outcome,
      history: first,
      told: Reporting.overall(Reporting.reportRun(histories)) === "success",
      keys: world.keys(),
      effects: world.effects(),
      reversals: world.reversals(),
      unmade: world.unmade(),
      shown,
      left
    }
    return played
  })
  const simulated = Coordinator.layer({ secret: "drill", kernel }).pipe(
    Layer.provideMerge(Layer.succeed(ToolExecutor.ToolExecutor, world.executor)),
    Layer.provideMerge(History.layer(kernel)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(TraceStore.layerMemory)
  )
  return yield* withoutWaiting(acting).pipe(Effect.scoped, Effect.provide(simulated, { local: true }))
})
