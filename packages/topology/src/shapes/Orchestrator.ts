/**
 * A boss that gives tasks to workers. A handoff is lost, the boss dies, or a worker hangs.
 *
 * Orders and results are committed in the run, and that is the durable queue: a new boss finds what the dead one had
 * ordered. A task is open, handed in or collected. Only an open one is dispatched again, under the key of its task.
 *
 * Silence counts from the order, or from the last time that a person was asked or has written. It does not count while
 * what a worker wants to do waits for a person. A new plan supersedes the orders of the old one, and a verdict those of
 * its stage: nobody waits for them any more.
 *
 * @source Crash Recovery, orchestrator crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as AnswerText from "../event/AnswerText.ts"
import * as Crack from "../event/Crack.ts"
import type * as Memo from "../event/Memo.ts"
import * as Nearness from "../event/Nearness.ts"
import { entriesByTick, entryOf } from "../event/recordEntry.ts"
import type { Noted, TopologyEvent } from "../event/TopologyEvent.ts"
import * as Limits from "../Limits.ts"
import * as Shape from "./Shape.ts"

/** A task that was dispatched and not collected yet. */
export interface Ordered extends JsonObject {
  readonly worker: string
  readonly tick: number
  readonly at: number
  /** The time since which its worker may be silent. */
  readonly since: number
  /** The number of times that it was dispatched. */
  readonly tries: number
  /** The number of times that it was dispatched since a person was last asked, or has last written. */
  readonly triesSince: number
  readonly brief: ReadonlyArray<string>
  readonly boss?: string | undefined
  /** When its result was handed in. */
  readonly handedIn?: { readonly tick: number; readonly at: number } | undefined
  /** Ordered while a step of a plan was under way. */
  readonly isStep?: true | undefined
  /** Nobody waits for it any more. */
  readonly isSuperseded?: true | undefined
}

/** Tells whether no further order of a task is allowed before a person is asked about it. */
const isTriedOut = ({ triesSince }: Pick<Ordered, "triesSince">): boolean =>
  triesSince >= Limits.pacing.ordersPerTaskMax

/**
 * The dispatch state: open and uncollected tasks, ids of collected ones, calls under way by agent, and agents that wait
 * for a person. `isTurn` is set by the word of a person, until somebody works again.
 */
export interface Orchestrator extends JsonObject {
  readonly tasks: { readonly [task: string]: Ordered }
  /** Tick of the collection by task. */
  readonly collected: { readonly [task: string]: number }
  readonly calls: { readonly [action: string]: string }
  readonly waits: ReadonlyArray<string>
  readonly isStepping?: boolean | undefined
  readonly isTurn?: boolean | undefined
}

const wordsOf = (value: Json, reading?: Nearness.Reading): ReadonlyArray<string> =>
  Nearness.words(AnswerText.of(value), reading)

/** Tells whether a result merely repeats the words of its brief. */
export const isEcho = (brief: ReadonlyArray<string>, result: Json, reading?: Nearness.Reading): boolean =>
  brief.length > 0 && Nearness.similarity(brief, wordsOf(result, reading)) >= Limits.pacing.echoedBriefShareMin

/** A memo of a kind, and how its texts are read. */
interface Told<K extends Memo.Memo["memo"]> {
  readonly memo: Memo.Memo & { readonly memo: K }
  readonly reading: Nearness.Reading | undefined
}

const dispatched = (self: Orchestrator, event: Noted, { memo, reading }: Told<"dispatch">) => {
  const { agent, at, tick } = event
  const known = entryOf(self.tasks, memo.task)
  const since = known?.handedIn?.tick ?? entryOf(self.collected, memo.task)
  // A second order for a result that is there is a crack. It does not begin the task anew.
  if (since !== undefined) {
    const crack = { tick, evidence: [since], agent, subject: memo.task }
    return { state: self, cracks: [Crack.make("boss_death", "dispatched_again", crack)] }
  }
  const task: Ordered = {
    worker: memo.worker,
    tick,
    at,
    since: at,
    tries: (known?.tries ?? 0) + 1,
    triesSince: (known?.triesSince ?? 0) + 1,
    brief: memo.brief === undefined ? [] : wordsOf(memo.brief, reading),
    ...(agent === undefined ? {} : { boss: agent }),
    ...(self.isStepping === true ? { isStep: true } : {})
  }
  return Shape.quiet({ ...self, tasks: { ...self.tasks, [memo.task]: task } })
}

const reported = (self: Orchestrator, event: Noted, { memo, reading }: Told<"report">) => {
  const { at, tick } = event
  const task = entryOf(self.tasks, memo.task)
  if (task === undefined || task.handedIn !== undefined) return Shape.quiet(self)
  if (memo.fits !== true && isEcho(task.brief, memo.result, reading))
    return lost(self, event, { task: memo.task, signal: "echoed_brief" })
  return Shape.quiet({ ...self, tasks: { ...self.tasks, [memo.task]: { ...task, handedIn: { tick, at } } } })
}

const lost = (
  self: Orchestrator,
  { tick }: TopologyEvent,
  at: { readonly task: string; readonly signal: "echoed_brief" | "malformed_report" | "worker_failed" }
) => {
  const task = entryOf(self.tasks, at.task)
  if (task === undefined) return Shape.quiet(self)
  const found = { tick, evidence: [task.tick], agent: task.worker, subject: at.task }
  return { state: self, cracks: [Crack.make("lost_handoff", at.signal, found)] }
}

const noted = (self: Orchestrator, event: Noted, reading?: Nearness.Reading): Shape.Stepped<Orchestrator> => {
  const { memo } = event
  switch (memo.memo) {
    case "dispatch":
      return dispatched(self, event, { memo, reading })
    case "report":
      return reported(self, event, { memo, reading })
    case "failure":
      return lost(self, event, { task: memo.task, signal: "worker_failed" })
    case "gate":
      return Shape.quiet(superseded(self, ({ worker }) => worker === event.agent))
    case "plan":
      return Shape.quiet(superseded({ ...self, isStepping: false }, ({ isStep }) => isStep === true))
    case "step":
      return Shape.quiet({ ...self, isStepping: memo.status === "begun" })
    case "malformed":
      return memo.meant === "report" && memo.task !== undefined
        ? lost(self, event, { task: memo.task, signal: "malformed_report" })
        : Shape.quiet(self)
    case "collect": {
      if (entryOf(self.tasks, memo.task) === undefined) return Shape.quiet(self)
      const { [memo.task]: _, ...tasks } = self.tasks
      return Shape.quiet({ ...self, tasks, collected: { ...self.collected, [memo.task]: event.tick } })
    }
    default:
      return Shape.quiet(self)
  }
}

/** Changes open tasks. */
const changed = (
  self: Orchestrator,
  isOne: (task: Ordered) => boolean,
  change: Partial<Pick<Ordered, "isSuperseded" | "since" | "triesSince">>
): Orchestrator => {
  const some = Object.entries(self.tasks).filter(([, task]) => task.handedIn === undefined && isOne(task))
  if (some.length === 0) return self
  const tasks = Object.fromEntries(some.map(([id, task]) => [id, { ...task, ...change }]))
  return { ...self, tasks: { ...self.tasks, ...tasks } }
}

const superseded = (self: Orchestrator, isOne: (task: Ordered) => boolean): Orchestrator =>
  changed(self, isOne, { isSuperseded: true })

/** Tries and times of open tasks begin anew behind the word of a person, and nobody waits for one any more. */
const turned = (self: Orchestrator, { at }: TopologyEvent): Orchestrator => ({
  ...changed(self, () => true, { since: at, triesSince: 0 }),
  waits: [],
  isTurn: true
})

const waiting = (self: Orchestrator, agent: string | undefined): Orchestrator =>
  agent === undefined || self.waits.includes(agent) ? self : { ...self, waits: [...self.waits, agent] }

/** Begins the times anew that the word of a person, or a wait for one, had stopped: somebody works again. */
const working = (self: Orchestrator, { agent, at }: TopologyEvent): Orchestrator => {
  const { isTurn, ...rest } = self
  const known = isTurn === true ? changed(rest, () => true, { since: at }) : self
  if (agent === undefined || !known.waits.includes(agent)) return known
  const waits = known.waits.filter((each) => each !== agent)
  return { ...changed(known, ({ worker }) => worker === agent, { since: at }), waits }
}

const moved = (self: Orchestrator, event: TopologyEvent, reading?: Nearness.Reading): Shape.Stepped<Orchestrator> => {
  switch (event._tag) {
    case "Noted":
      return noted(self, event, reading)
    case "Called":
      return event.agent === undefined
        ? Shape.quiet(self)
        : Shape.quiet({ ...self, calls: { ...self.calls, [event.action]: event.agent } })
    case "Answered": {
      const caller = entryOf(self.calls, event.action)
      if (caller === undefined) return Shape.quiet(self)
      const { [event.action]: _, ...calls } = self.calls
      const answered = { ...self, calls }
      return Shape.quiet(event.isOpen === true ? waiting(answered, caller) : answered)
    }
    default:
      return Shape.quiet(self)
  }
}

/** Cracks that stand, and those that stood before orders were superseded, and before people were waited for. */
interface Found {
  readonly cracks: ReadonlyArray<Crack.Crack>
  readonly retired: ReadonlyArray<Crack.Crack>
}

const noneFound: Found = { cracks: [], retired: [] }

const foundIn = (
  { tasks }: Orchestrator,
  crackOf: (subject: string, task: Ordered) => Crack.Crack | undefined,
  isRetired: (task: Ordered) => boolean
): Found => {
  const cracks: Array<Crack.Crack> = []
  const retired: Array<Crack.Crack> = []
  for (const [subject, task] of entriesByTick(tasks)) {
    const crack = crackOf(subject, task)
    if (crack !== undefined) (isRetired(task) ? retired : cracks).push(crack)
  }
  return { cracks, retired }
}

/** Tasks whose time is over: the result did not come, or nobody took it over. */
const overdue = (
  self: Orchestrator,
  { at, tick }: Pick<Shape.End, "at" | "tick">,
  { silenceMillis }: Topology.Topology
): Found => {
  if (silenceMillis === undefined) return noneFound
  const busy = new Set(Object.values(self.calls))
  const crackOf = (subject: string, task: Ordered): Crack.Crack | undefined => {
    const { handedIn, worker } = task
    if (at - (handedIn?.at ?? task.at) <= silenceMillis) return undefined
    if (handedIn !== undefined) {
      const found = { tick, evidence: [task.tick, handedIn.tick], agent: task.boss, subject }
      return Crack.make("boss_death", "uncollected_report", found)
    }
    const found = { tick, evidence: [task.tick], agent: worker, subject }
    return busy.has(worker)
      ? Crack.make("worker_silence", "hangs_past_deadline", found)
      : Crack.make("lost_handoff", "silent_past_deadline", found)
  }
  return foundIn(self, crackOf, ({ handedIn, isSuperseded, since, worker }) => {
    if (self.isTurn === true || isSuperseded === true) return true
    return handedIn === undefined && (at - since <= silenceMillis || self.waits.includes(worker))
  })
}

/** Tasks that the end of a trace leaves open. A result that is handed in last could not be collected yet. */
const left = (self: Orchestrator, tick: number): Found => {
  const crackOf = (subject: string, { boss, handedIn, tick: since, worker }: Ordered): Crack.Crack | undefined => {
    const at = { tick, subject }
    if (handedIn === undefined) {
      return Crack.make("lost_handoff", "never_reported", { ...at, evidence: [since], agent: worker })
    }
    const evidence = [since, handedIn.tick]
    return handedIn.tick === tick
      ? undefined
      : Crack.make("boss_death", "uncollected_report", { ...at, evidence, agent: boss })
  }
  return foundIn(self, crackOf, ({ isSuperseded }) => isSuperseded === true)
}

/** The orchestrator as a decider. */
export const shape: Shape.Shape<Orchestrator> = {
  kind: "orchestrator",
  needs: "silenceMillis",
  init: { tasks: {}, collected: {}, calls: {}, waits: [] },
  step: (self, event, declared, reading) => {
    if (event._tag === "Turned") return Shape.quiet(turned(self, event))
    if (event._tag === "Escalated") return Shape.quiet(waiting(self, event.agent))
    const late = overdue(self, event, declared)
    if (event._tag === "Finished") {
      const { cracks, retired } = left(self, event.tick)
      return { state: self, cracks: [...late.cracks, ...cracks], retired: [...late.retired, ...retired] }
    }
    const { cracks, state } = moved(working(self, event), event, reading)
    return { state, cracks: [...late.cracks, ...cracks], retired: late.retired }
  },
  close: (self, end, declared) => (end.isOver ? left(self, end.tick) : overdue(self, end, declared)).cracks
}

/**
 * The worker of a task in the process of its boss: it works, has ended or is over its time without a report, or was
 * never begun there.
 */
export type OrderedWorker = "working" | "over" | "none"

/** The step of a boss about one task of which no result was collected. */
export type BossStep = "collect" | "dispatch" | "begin" | "await" | "ask"

/**
 * Decides the step about one task: `known` is the task as it stands, if it was ordered; `askedAt` the tick at which a
 * person was last asked, and `next` the resumption of all tasks. Where the task has a worker in this process, that one
 * decides; otherwise the record does. A person has answered the question about a task once another process goes on with
 * it.
 */
export const stepOf = (
  task: string,
  known: Ordered | undefined,
  about: { readonly worker: OrderedWorker; readonly askedAt: number; readonly next: OrchestratorResumption }
): BossStep => {
  const { askedAt, next, worker } = about
  if (known === undefined) return "dispatch"
  if (known.handedIn !== undefined) return "collect"
  if (worker === "working") return "await"
  if (worker === "over") return isTriedOut(known) ? "ask" : "dispatch"
  if (askedAt > known.tick) return "dispatch"
  if (next.ask.includes(task)) return "ask"
  return next.dispatch.includes(task) ? "dispatch" : "begin"
}

/**
 * Tasks that a dead boss has ordered, by the way in which a new one goes on. Each is in one list, unless it was
 * collected, or is superseded.
 */
export interface OrchestratorResumption {
  /** Tasks whose result waits to be collected. */
  readonly collect: ReadonlyArray<string>
  /** Tasks whose worker may still answer. */
  readonly await: ReadonlyArray<string>
  /** Tasks that are dispatched once more, under the key of the task. */
  readonly dispatch: ReadonlyArray<string>
  /** Tasks that were dispatched twice without a result and without the word of a person: a person is asked. */
  readonly ask: ReadonlyArray<string>
}

/**
 * Decides how coordination goes on at a time. A worker that is known to be gone is not waited for, and one that waits
 * for a person is not late.
 *
 * **Example** (A boss died while a worker was at work)
 *
 * ```ts import.meta.vitest
 * import { Orchestrator } from "@backstitch/topology"
 *
 * const declared = { kind: "orchestrator", agents: {}, order: [], silenceMillis: 1000 } as const
 * const memo = { memo: "dispatch", task: "t1", worker: "ann" } as const
 * const { state } = Orchestrator.shape.step(
 *   Orchestrator.shape.init,
 *   { _tag: "Noted", tick: 2, at: 0, memo },
 *   declared
 * )
 *
 * Orchestrator.resume(state, { at: 500, gone: [] }, declared).await // => ["t1"]
 * Orchestrator.resume(state, { at: 500, gone: ["ann"] }, declared).dispatch // => ["t1"]
 * ```
 */
export const resume = (
  { tasks, waits }: Orchestrator,
  now: { readonly at: number; readonly gone: ReadonlyArray<string> },
  { silenceMillis = Number.POSITIVE_INFINITY }: Topology.Topology
): OrchestratorResumption => {
  const lists = { collect: [] as Array<string>, await: [] as Array<string>, dispatch: [] as Array<string> }
  const ask: Array<string> = []
  for (const [id, task] of entriesByTick(tasks)) {
    if (task.isSuperseded === true) continue
    const isLate = now.at - task.since > silenceMillis && !waits.includes(task.worker)
    const isDue = now.gone.includes(task.worker) || isLate
    if (task.handedIn !== undefined) lists.collect.push(id)
    else if (!isDue) lists.await.push(id)
    else if (!isTriedOut(task)) lists.dispatch.push(id)
    else ask.push(id)
  }
  return { ...lists, ask }
}
