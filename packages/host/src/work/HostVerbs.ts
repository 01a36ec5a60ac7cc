/**
 * The verbs of a host that need no process of their own: a run is begun and assigned, what people ask is recorded, and
 * its standing is told. `ProcessHost` and the cluster share them.
 */
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as EvidenceRun from "@backstitch/runtime/EvidenceRun"
import * as History from "@backstitch/runtime/History"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as StoredRevision from "@backstitch/runtime/StoredRevision"
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as Leases from "@backstitch/trace/Leases"
import type { Run } from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as RunWaits from "../waiting/RunWaits.ts"
import * as AgentLack from "./AgentLack.ts"
import * as Assignments from "./Assignments.ts"
import * as HostAgents from "./HostAgents.ts"
import * as HostedRun from "./HostedRun.ts"
import * as RunHost from "./RunHost.ts"
import type * as TenantStores from "./TenantStores.ts"

/** Makes the verbs over the agents of a host. */
export const make = (agents: HostAgents.HostAgents) => {
  /** Begins a run durably, and assigns it. */
  const begin = Effect.fn("HostVerbs.begin")(function* (run: Run, asked: RunHost.RunRequest) {
    const { agent: name, clauses, enforcement, goal, pack: wanted } = asked
    const file = yield* agents.find(name)
    const { agent, pack } = file
    if (wanted !== undefined && wanted !== pack.id) {
      return yield* new RunHost.PackUnfit({ agent: name, pack: wanted, has: pack.id })
    }
    const problems = enforcement === undefined || enforcement.stage === 3 ? HostAgents.unfit(file) : []
    if (problems.length > 0) {
      return yield* new AgentFile.AgentUnfit({ file: name, pack: `${pack.id} ${pack.version}`, problems })
    }
    const opening = {
      pack,
      goal: goal ?? agent.goal,
      text: goal ?? agent.text,
      clauses: { ...agent.clauses, ...clauses },
      enforcement
    }
    const begins = Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.begin(run, opening))
    yield* agents.as(name, run.tenant)(Effect.scoped(begins))
    return yield* Assignments.assignFirst(run, name)
  })

  /** Finds the assignment of a run that has not ended. */
  const opened = Effect.fnUntraced(function* (run: Run) {
    const assignment = yield* Assignments.find(run)
    if (assignment === undefined) return yield* new RunHost.RunUnhosted({ run: run.id })
    const { ending } = assignment
    return ending === undefined ? assignment : yield* new RunHost.RunEnded({ run: run.id, how: ending.how })
  })

  /** Refuses an agent under another pack than that of the run, or than the one of the given digest. */
  const fits = Effect.fnUntraced(function* (run: Run, name: string, under?: string) {
    const { pack } = yield* agents.find(name)
    const pinned = Effect.gen(function* () {
      const handle = yield* (yield* Coordinator.Coordinator).reopen(run)
      return yield* handle.packDigest
    })
    const digest = under ?? (yield* agents.as(name, run.tenant)(Effect.scoped(pinned)))
    if (digest === pack.digest) return
    return yield* new RunHost.PackUnfit({ agent: name, pack: digest.slice(0, 12), has: pack.digest.slice(0, 12) })
  })

  /** Finds the agent that may act on a run: the named one, or the one that had it. */
  const fitting = Effect.fnUntraced(function* (run: Run, agent: string | undefined) {
    const known = yield* Assignments.find(run)
    const name = agent ?? known?.agent
    if (name === undefined) return yield* new RunHost.RunUnhosted({ run: run.id })
    yield* fits(run, name)
    return { known, name }
  })

  /**
   * Carries out what is asked about the goal of a run as its agent, which reads words unless another reader is named;
   * as none, for a run without an agent or with one that this host lacks.
   */
  const revising = Effect.fnUntraced(function* <A, E, R, B, F, S>(
    run: Run,
    asked: StoredRevision.RevisionRequest,
    how: {
      readonly asNone: Effect.Effect<B, F, S>
      readonly by: (asked: StoredRevision.RevisionRequest) => Effect.Effect<A, E, R>
    }
  ) {
    const { agent, ending } = (yield* Assignments.find(run)) ?? {}
    if (ending !== undefined && ending.how !== "ended") {
      return yield* new RunHost.RunEnded({ run: run.id, how: ending.how })
    }
    if (agent === undefined || !agents.names.includes(agent)) {
      return { found: yield* agents.asNone(how.asNone), agent: undefined }
    }
    const { agent: own } = yield* agents.find(agent)
    const read = { reader: { name: own.goal, read: own.revise }, ...asked }
    return { found: yield* agents.as(agent, run.tenant)(how.by(read)), agent }
  })

  return {
    begin,
    /**
     * Carries one act on a run out with the tools of an agent, beside the agent's own work. Only whether the agent may
     * is looked up in the store of the tenant, and its coordinator is over it: the act keeps its own services.
     */
    acting:
      ({ using }: TenantStores.TenantStores): RunHost.RunHost["Service"]["acting"] =>
      (run, name, under) =>
      (act) =>
        using(run.tenant, (store) =>
          Effect.andThen(fits(run, name, under), agents.coordinatorOf(name, run.tenant)).pipe(
            Effect.provideContext(store),
            Effect.flatMap((coordinator) => agents.by(name, coordinator)(act))
          )
        ),
    /**
     * Assigns a run that exists: to the named agent, or to the one that had it. A run that is worked on keeps its
     * assignment. Its wait is ended, durably, so its agent acts next even if this process is killed before.
     */
    assign: Effect.fn("HostVerbs.assign")(function* (run: Run, agent: string | undefined, isWorkedOn: boolean) {
      const history = yield* History.History
      yield* history.info(run)
      yield* EvidenceRun.refuse(run)
      const { known, name } = yield* fitting(run, agent)
      const isKept = isWorkedOn && known !== undefined && known.ending === undefined && known.agent === name
      if (!isKept) return yield* Assignments.assign(run, name)
      yield* Assignments.rest(known)
      return known
    }),
    opened,
    /** Puts on record that a person stops the work on a run, and closes its assignment unless it came to its end. */
    cancel: Effect.fn("HostVerbs.cancel")(function* (
      assignment: Assignments.Assignment,
      { by, reason }: RunHost.Cancelling
    ) {
      // It may have been assigned anew while its work was left.
      const standing = yield* opened(assignment.run)
      const { run } = standing
      const said = { author: "user", type: "message.received", data: { by, cancels: true, content: reason } } as const
      const records = Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.reopen(run)
        yield* handle.propose(said)
        yield* handle.flush
      })
      yield* agents.asNone(Effect.scoped(records))
      yield* HostedRun.close(standing, { how: "cancelled", by, reason })
    }),
    /**
     * Records a revision. If the goal was reached before, it is absorbed here, and another run goes on. In a run
     * without an agent, or with one that this host lacks, the revision waits until one goes on with it.
     */
    inject: Effect.fn("HostVerbs.inject")(function* (run: Run, asked: StoredRevision.RevisionRequest) {
      const { agent, found: revised } = yield* revising(run, asked, {
        asNone: StoredRevision.record(run, asked),
        by: (read) => Effect.catchTag(StoredRevision.record(run, read), "GoalReached", () => LiveRun.revise(run, read))
      })
      return { revised, agent }
    }),
    /** Reads and plans a revision, and records nothing. */
    rehearse: Effect.fn("HostVerbs.rehearse")(function* (run: Run, asked: StoredRevision.RevisionRequest) {
      const { found } = yield* revising(run, asked, {
        asNone: StoredRevision.prepare(run, asked),
        by: (read) => StoredRevision.prepare(run, read)
      })
      return found
    }),
    /**
     * Takes a subtask of a run back, with the tools of its agent. Before that its work is left, and goes on afterwards.
     * A recovery that is blocked disturbs no work.
     */
    recover: Effect.fn("HostVerbs.recover")(function* <E, R>(
      run: Run,
      { agent, by, reason, ...question }: RunHost.Recovering,
      work: {
        readonly leave: (assignment: Assignments.Assignment) => Effect.Effect<void, E, R>
        readonly goOn: (assignment: Assignments.Assignment) => Effect.Effect<void, E, R>
      }
    ) {
      const asked = SubtaskRecovery.askedOf(question)
      const judgment = yield* SubtaskReport.judgment(run, asked)
      if (!judgment.admitted && !("undoing" in judgment)) {
        const blocked: LiveRun.Restored = { ...judgment, done: false, outcome: null }
        return blocked
      }
      const { known, name } = yield* fitting(run, agent)
      const restores = agents.as(name, run.tenant)(LiveRun.restore(run, { ...asked, because: reason, by }))
      if (known === undefined || known.ending !== undefined) return yield* restores
      const goesOn = Effect.flatMap(Assignments.find(run), (standing) =>
        standing === undefined || standing.ending !== undefined ? Effect.void : work.goOn(standing)
      )
      return yield* Effect.ensuring(Effect.andThen(work.leave(known), restores), Effect.ignore(goesOn))
    }),
    /**
     * Tells where a run stands; `doing` is what this process does for it. A run whose agent this host lacks waits for
     * it, unless somebody else works on the run now.
     */
    status: Effect.fn("HostVerbs.status")(function* (run: Run, doing: HostedRun.Doing | undefined) {
      const history = yield* History.History
      const library = yield* PackLibrary.PackLibrary
      const position = yield* history.at(run)
      const { head } = position
      const assignment = yield* Assignments.find(run)
      if (assignment === undefined) return yield* new RunHost.RunUnhosted({ run: run.id })
      const { agent, ending } = assignment
      const pack = yield* library.inForce(position.state, head.tick + 1)
      const waits = RunWaits.of({ hidden: yield* hiddenAt(head.tick, assignment), pack, position })
      const about = { run, agent, tick: head.tick, ending }
      const lack =
        ending === undefined ? yield* AgentLack.of(agents, assignment, PackInForce.of(position.state).pack) : undefined
      if (lack !== undefined) {
        const isWorkedOn = (yield* (yield* Leases.Leases).find(run)) !== undefined
        const hosted: RunHost.Hosted = isWorkedOn
          ? { ...about, doing: "elsewhere", waits, wakesAt: undefined, lack: undefined }
          : { ...about, doing: "waiting", waits: [{ for: "agent", about: agent }, ...waits], wakesAt: undefined, lack }
        return hosted
      }
      const hosted: RunHost.Hosted = {
        ...about,
        doing: ending?.how ?? doing ?? "elsewhere",
        waits,
        wakesAt: ending === undefined ? RunWaits.wakesAt(waits, yield* Clock.currentTimeMillis) : undefined,
        lack
      }
      return hosted
    })
  }
}

/** The wait that the state of a run does not show, as its host has noted it, until there is news behind that. */
const hiddenAt = Effect.fnUntraced(function* (tick: number, { rest, run }: Assignments.Assignment) {
  if (rest?.hidden === undefined || tick <= rest.tick) return rest?.hidden
  const history = yield* History.History
  const behind = yield* history.transitions(run, { from: rest.tick + 1, to: tick })
  return behind.some(({ body }) => RunWaits.mayEndWait(body.type)) ? undefined : rest.hidden
})
