/**
 * A boss that gives tasks to workers. A handoff is lost, the boss dies, or a worker hangs.
 *
 * Orders and results are committed in the run, and that is the durable queue: a new boss finds what the dead one had
 * ordered. A task is open, handed in or collected. Only an open one is dispatched again, under the key of its task.
 *
 * @source Crash Recovery, orchestrator crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Crack from "../event/Crack.ts"
import type * as Memo from "../event/Memo.ts"
import * as Nearness from "../event/Nearness.ts"
import { entriesByTick, entryOf } from "../event/recordEntry.ts"
import type { Noted, TopologyEvent } from "../event/TopologyEvent.ts"
import * as Shape from "./Shape.ts"

/** A task that was dispatched and not collected yet. */
export interface Ordered extends JsonObject {
  readonly worker: string
  readonly tick: number
  readonly at: number
  /** The number of times that it was dispatched. */
  readonly tries: number
  readonly brief: ReadonlyArray<string>
  readonly boss?: string | undefined
  /** When its result was handed in. */
  readonly handedIn?: { readonly tick: number; readonly at: number } | undefined
}

/** The dispatch state: open and uncollected tasks, ids of collected ones, and calls under way by agent. */
export interface Orchestrator extends JsonObject {
  readonly tasks: { readonly [task: string]: Ordered }
  /** Tick of the collection by task. */
  readonly collected: { readonly [task: string]: number }
  readonly calls: { readonly [action: string]: string }
}

/** The share of words that a result has in common with its brief if it merely repeats it. */
const echo = 0.85

const wordsOf = (value: Json): ReadonlyArray<string> => Nearness.words(Nearness.textOf(value))

/** Tells whether a result merely repeats the words of its brief. */
export const isEcho = (brief: ReadonlyArray<string>, result: Json): boolean =>
  brief.length > 0 && Nearness.similarity(brief, wordsOf(result)) >= echo

const dispatched = (self: Orchestrator, event: Noted, memo: Memo.Memo & { readonly memo: "dispatch" }) => {
  const { agent, at, tick } = event
  const known = entryOf(self.tasks, memo.task)
  const since = known?.handedIn?.tick ?? entryOf(self.collected, memo.task)
  // The result stays where it is: a second order for it is the damage, and not a new beginning.
  if (since !== undefined) {
    const crack = { tick, evidence: [since], agent, subject: memo.task }
    return { state: self, cracks: [Crack.make("boss_death", "dispatched_again", crack)] }
  }
  const task: Ordered = {
    worker: memo.worker,
    tick,
    at,
    tries: (known?.tries ?? 0) + 1,
    brief: memo.brief === undefined ? [] : wordsOf(memo.brief),
    ...(agent === undefined ? {} : { boss: agent })
  }
  return Shape.quiet({ ...self, tasks: { ...self.tasks, [memo.task]: task } })
}

const reported = (self: Orchestrator, event: Noted, memo: Memo.Memo & { readonly memo: "report" }) => {
  const { at, tick } = event
  const task = entryOf(self.tasks, memo.task)
  if (task === undefined || task.handedIn !== undefined) return Shape.quiet(self)
  if (isEcho(task.brief, memo.result)) return lost(self, event, { task: memo.task, signal: "echoed_brief" })
  return Shape.quiet({ ...self, tasks: { ...self.tasks, [memo.task]: { ...task, handedIn: { tick, at } } } })
}

const lost = (
  self: Orchestrator,
  { tick }: TopologyEvent,
  at: { readonly task: string; readonly signal: "echoed_brief" | "malformed_report" }
) => {
  const task = entryOf(self.tasks, at.task)
  if (task === undefined) return Shape.quiet(self)
  const found = { tick, evidence: [task.tick], agent: task.worker, subject: at.task }
  return { state: self, cracks: [Crack.make("lost_handoff", at.signal, found)] }
}

const noted = (self: Orchestrator, event: Noted): Shape.Stepped<Orchestrator> => {
  const { memo } = event
  switch (memo.memo) {
    case "dispatch":
      return dispatched(self, event, memo)
    case "report":
      return reported(self, event, memo)
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

const moved = (self: Orchestrator, event: TopologyEvent): Shape.Stepped<Orchestrator> => {
  switch (event._tag) {
    case "Noted":
      return noted(self, event)
    case "Called":
      return event.agent === undefined
        ? Shape.quiet(self)
        : Shape.quiet({ ...self, calls: { ...self.calls, [event.action]: event.agent } })
    case "Answered": {
      const { [event.action]: _, ...calls } = self.calls
      return Shape.quiet(Object.hasOwn(self.calls, event.action) ? { ...self, calls } : self)
    }
    default:
      return Shape.quiet(self)
  }
}

/** Tasks whose time is over: the result did not come, or nobody took it over. */
const overdue = (
  { calls, tasks }: Orchestrator,
  { at, tick }: Pick<Shape.End, "at" | "tick">,
  { silenceMillis }: Topology.Topology
): ReadonlyArray<Crack.Crack> => {
  if (silenceMillis === undefined) return []
  const busy = new Set(Object.values(calls))
  return entriesByTick(tasks).flatMap(([subject, task]) => {
    const { handedIn, worker } = task
    if (at - (handedIn?.at ?? task.at) <= silenceMillis) return []
    if (handedIn !== undefined) {
      const found = { tick, evidence: [task.tick, handedIn.tick], agent: task.boss, subject }
      return [Crack.make("boss_death", "uncollected_report", found)]
    }
    const found = { tick, evidence: [task.tick], agent: worker, subject }
    return busy.has(worker)
      ? [Crack.make("worker_silence", "hangs_past_deadline", found)]
      : [Crack.make("lost_handoff", "silent_past_deadline", found)]
  })
}

/** Tasks that the end of a trace leaves open. A result that is handed in last could not be collected yet. */
const left = ({ tasks }: Orchestrator, tick: number): ReadonlyArray<Crack.Crack> =>
  entriesByTick(tasks).flatMap(([subject, task]) => {
    const { handedIn, worker } = task
    const at = { tick, subject }
    if (handedIn === undefined) {
      return [Crack.make("lost_handoff", "never_reported", { ...at, evidence: [task.tick], agent: worker })]
    }
    const evidence = [task.tick, handedIn.tick]
    return handedIn.tick === tick
      ? []
      : [Crack.make("boss_death", "uncollected_report", { ...at, evidence, agent: task.boss })]
  })

/** The orchestrator as a decider. */
export const shape: Shape.Shape<Orchestrator> = {
  kind: "orchestrator",
  needs: "silenceMillis",
  init: { tasks: {}, collected: {}, calls: {} },
  step: (self, event, declared) => {
    const late = overdue(self, event, declared)
    if (event._tag === "Finished") return { state: self, cracks: [...late, ...left(self, event.tick)] }
    const { cracks, state } = moved(self, event)
    return { state, cracks: [...late, ...cracks] }
  },
  close: (self, end, declared) => (end.isOver ? left(self, end.tick) : overdue(self, end, declared))
}

/** Tasks that a dead boss has ordered, by the way in which a new one goes on. Each is in one list, or was collected. */
export interface Resumption {
  /** Tasks whose result waits to be collected. */
  readonly collect: ReadonlyArray<string>
  /** Tasks whose worker may still answer. */
  readonly await: ReadonlyArray<string>
  /** Tasks that are dispatched once more, under the key of the task. */
  readonly dispatch: ReadonlyArray<string>
  /** Tasks that were dispatched twice without a result: a person is asked. */
  readonly ask: ReadonlyArray<string>
}

/**
 * Decides how coordination goes on at a time. A worker that is known to be gone is not waited for.
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
  { tasks }: Orchestrator,
  now: { readonly at: number; readonly gone: ReadonlyArray<string> },
  { silenceMillis = Number.POSITIVE_INFINITY }: Topology.Topology
): Resumption => {
  const lists = { collect: [] as Array<string>, await: [] as Array<string>, dispatch: [] as Array<string> }
  const ask: Array<string> = []
  for (const [id, task] of entriesByTick(tasks)) {
    const isDue = now.gone.includes(task.worker) || now.at - task.at > silenceMillis
    if (task.handedIn !== undefined) lists.collect.push(id)
    else if (!isDue) lists.await.push(id)
    else if (task.tries < 2) lists.dispatch.push(id)
    else ask.push(id)
  }
  return { ...lists, ask }
}
