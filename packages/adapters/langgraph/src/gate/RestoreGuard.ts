/**
 * The gate in front of a graph's own restores and forks.
 *
 * A graph that is invoked with an earlier `checkpoint_id`, or updated there, forgets all that it did since, and the
 * effects in the world stay. Before it does, the trace is asked: an effect that stands since the checkpoint, or a
 * subtask that has committed since, refuses the restore by name.
 */
import { BackstitchError } from "@backstitch/sdk"
import { factsOf, type Obstacle, obstacles } from "@backstitch/sdk/adapter"
import type { RunnableConfig } from "@langchain/core/runnables"
import { IterableReadableStream } from "@langchain/core/utils/stream"
import type { BackstitchSaver, CheckpointPlace } from "../checkpointer/BackstitchSaver.ts"
import * as CallId from "../tools/callId.ts"

/** Error for a restore that would leave effects behind, or take committed work away. `obstacles` names all of it. */
export class RestoreBlocked extends BackstitchError {
  readonly obstacles: ReadonlyArray<Obstacle>

  constructor(run: string, tick: number, obstacles: ReadonlyArray<Obstacle>) {
    const actions = obstacles.flatMap((each) => each.actions.map(({ action, tool }) => `${tool} (${action})`))
    const subtasks = obstacles.flatMap((each) => each.subtasks.map(({ subtask }) => subtask))
    const reasons = [
      ...(actions.length === 0 ? [] : [`it would leave behind what was done since: ${actions.join(", ")}`]),
      ...(subtasks.length === 0 ? [] : [`it would take committed work away from ${subtasks.join(", ")}`])
    ]
    super({
      code: "restore_blocked",
      run,
      message:
        `Run ${run} is not put back to tick ${tick}: ${reasons.join(", and ")}. ` +
        "Undo or resolve these first, go on from the latest checkpoint, or begin another thread"
    })
    this.obstacles = obstacles
  }
}

/** Options of a guard. */
export interface Options {
  /** Names the subtask for whose sake a graph is put back: its own work does not count against it. */
  readonly subtask?: ((config: RunnableConfig) => string | undefined) | undefined
}

/** The parts of a compiled graph that a guard needs. */
interface Guarded {
  readonly checkpointer?: unknown
}

/** The methods that continue or change a thread, by the place of their config among the arguments. */
const methods: Readonly<Record<string, number>> = {
  batch: 1,
  bulkUpdateState: 0,
  invoke: 1,
  stream: 1,
  streamEvents: 1,
  streamLog: 1,
  updateState: 0
}

/**
 * Guards a compiled graph: `guardRestores(builder.compile({ checkpointer }))` is the same graph, whose restores and
 * forks are judged first. What reads only, such as `getStateHistory`, is not asked about.
 *
 * **Gotchas**
 *
 * The graph has to have a `BackstitchSaver`: only that knows which effects are later than a checkpoint. The graph that
 * is given remains as it was, for a person who knows better.
 */
export const guardRestores = <G extends Guarded>(graph: G, options: Options = {}): G => {
  const saver = saverOf(graph)
  const check = async (given: unknown): Promise<void> => {
    for (const config of Array.isArray(given) ? given : [given]) await checked(saver, config, options)
  }
  return new Proxy(graph, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== "function") return value
      if (name === "withConfig") {
        return (config: RunnableConfig) => guardRestores(value.call(target, config) as G, options)
      }
      const at = typeof name === "string" ? methods[name] : undefined
      if (at === undefined) return value.bind(target)
      return (...args: ReadonlyArray<unknown>) => {
        const does = (): unknown => value.apply(target, args)
        const config = mergedWith(target, args[at])
        return name === "streamEvents" || name === "streamLog"
          ? streamed(() => check(config), does, args[at])
          : check(config).then(does)
      }
    }
  })
}

/** A stream that begins once the restore was judged. The newest version of events comes as a promise. */
const streamed = (check: () => Promise<void>, does: () => unknown, config: unknown): unknown => {
  if ((config as { readonly version?: string } | undefined)?.version === "v3") return check().then(does)
  const begun = async function* () {
    await check()
    yield* does() as AsyncIterable<unknown>
  }
  return IterableReadableStream.fromAsyncGenerator(begun())
}

const checked = async (
  saver: BackstitchSaver,
  config: RunnableConfig | undefined,
  { subtask }: Options
): Promise<void> => {
  if (config?.configurable?.["checkpoint_id"] === undefined) return
  const place = await saver.placeOf(config)
  if (place === undefined || place.isLatest) return
  const later = await callsAfter(saver, place)
  if (later.length === 0) return
  const names = new Set(later.map(({ action }) => action))
  // The restore takes everything back from the first of these calls on.
  const tick = Math.min(...later.map((call) => call.tick)) - 1
  const all = await obstacles(saver.backstitch, place.run, { tick, subtask: subtask?.(config) })
  const found = all.map((each) => ({ ...each, actions: each.actions.filter(({ action }) => names.has(action)) }))
  const named = found.filter(({ actions, subtasks }) => actions.length + subtasks.length > 0)
  if (named.length > 0) throw new RestoreBlocked(place.run, tick, named)
}

/** Calls after a checkpoint: in its own history, in other forks, or of other graphs. */
const callsAfter = async (saver: BackstitchSaver, { comesFrom, run, tick }: CheckpointPlace) => {
  const calls = await factsOf(saver.backstitch).calls(run)
  return calls.filter((call) => {
    const from = CallId.checkpointIn(call.callId)
    const isWithin = from === undefined ? undefined : comesFrom(from)
    return isWithin === undefined ? call.tick > tick : !isWithin
  })
}

/** The config of a call, over that which the graph was bound to. */
const mergedWith = (graph: object, given: unknown): unknown => {
  const own = (graph as { readonly config?: RunnableConfig }).config
  const over = (config: RunnableConfig | undefined) => ({
    ...own,
    ...config,
    configurable: { ...own?.configurable, ...config?.configurable }
  })
  return Array.isArray(given) ? given.map(over) : over(given as RunnableConfig | undefined)
}

const saverOf = ({ checkpointer }: Guarded): BackstitchSaver => {
  if (typeof checkpointer === "object" && checkpointer !== null && "placeOf" in checkpointer) {
    return checkpointer as BackstitchSaver
  }
  const message = "Restores are guarded by the trace: compile the graph with a BackstitchSaver as its checkpointer"
  throw new BackstitchError({ code: "saver_unknown", message })
}
