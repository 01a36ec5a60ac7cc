/**
 * The cost of recovery in a run without failures: the time of its hook, and the bytes of its checkpoints.
 *
 * A checkpoint names a tick, and the state at that tick is in the trace. Inline storage would keep `working` with
 * each checkpoint. Both are written canonically, and the state is read from each: through the history of the run, or
 * by parsing.
 *
 * @source DART, tables 11 and 29
 */
import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type { Registry } from "@backstitch/admissibility/Registry"
import * as State from "@backstitch/reducer/State"
import * as History from "@backstitch/runtime/History"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Statistics from "../../src/Statistics.ts"
import * as Strategy from "../harness/Strategy.ts"
import * as Trial from "../harness/Trial.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Universe from "../universe/Universe.ts"

/** The hook of one domain, as medians over its trials. */
export interface Hook {
  readonly domain: Domain.Name
  readonly millis: number
  readonly share: number
  readonly checkpoints: number
  readonly bytes: number
}

/** The storage of checkpoints after so many slots were resolved, and the time to read the state of the latest. */
export interface Depth {
  readonly depth: number
  readonly checkpoints: number
  readonly registryBytes: number
  readonly inlineBytes: number
  readonly registryMillis: number
  readonly inlineMillis: number
}

/** Ratios of the depths. Growth is from the first to the last. */
export interface Ratios {
  readonly payload: number
  readonly restore: number
  readonly registryGrowth: number
  readonly inlineGrowth: number
}

/** Sums up the hook of each domain. */
export const hooks = (trials: ReadonlyArray<Trial.Trial>): ReadonlyArray<Hook> =>
  Universe.domains.map(({ name }) => {
    const own = trials.filter(({ domain }) => domain.name === name)
    const median = (of: (trial: Trial.Trial) => number): number => Statistics.median(own.map(of))
    return {
      domain: name,
      millis: median(({ times }) => times.hook),
      share: median(({ times }) => times.hook / times.whole),
      checkpoints: median(({ registry }) => checkpointsOf(registry).length),
      bytes: median(({ registry }) => bytesOf(checkpointsOf(registry).map(recordOf)))
    }
  })

const checkpointsOf = ({ entries }: Registry): ReadonlyArray<Checkpoint.Checkpoint> =>
  [...entries.values()].flatMap(({ checkpoints }) => checkpoints)

/** A checkpoint as it is stored: it holds no part of the state. */
const recordOf = ({ instance, kind, state, tick }: Checkpoint.Checkpoint): Canonical.JsonObject => ({
  instance: [instance.skeleton, instance.entity, instance.ordinal],
  kind,
  state,
  tick
})

const bytesOf = (values: ReadonlyArray<Canonical.Json>): number =>
  values.reduce<number>((sum, value) => sum + Buffer.byteLength(Canonical.encode(value)), 0)

/** Number of times that the state of a checkpoint is read. */
const samples = 9

/** Measures the storage of checkpoints of a form of five slots, slot by slot. */
export const depths = async (): Promise<ReadonlyArray<Depth>> => {
  const domain = Universe.domains.find(({ name }) => name === "schedule form")
  const each = domain && Universe.casesOf(domain, "commitment")[0]
  if (domain === undefined || each === undefined) throw new Error("there is no form")
  const found: Array<Depth> = []
  const inspect = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, registry: Registry) {
    const entries = [...registry.entries.values()].filter(({ instance }) => instance.skeleton === "ResolveSlot")
    for (const depth of entries.keys()) {
      const checkpoints = entries.slice(0, depth + 1).flatMap((entry) => entry.checkpoints)
      found.push(yield* depthOf(handle, checkpoints, depth + 1))
    }
  })
  await Trial.run({ case: each, domain, strategy: Strategy.compared["latest admissible"], inspect })
  return found
}

const depthOf = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  checkpoints: ReadonlyArray<Checkpoint.Checkpoint>,
  depth: number
) {
  const history = yield* History.History
  const inline: Array<string> = []
  for (const checkpoint of checkpoints) {
    const { state } = yield* history.at(handle.run, checkpoint.tick)
    inline.push(Canonical.encode({ ...recordOf(checkpoint), working: State.sectionToJson(state.working) }))
  }
  const latest = checkpoints.at(-1)?.tick ?? 0
  const [byRegistry, byInline]: [Array<number>, Array<number>] = [[], []]
  for (let turn = 0; turn < samples; turn++) {
    const began = performance.now()
    State.sectionToJson((yield* history.at(handle.run, latest)).state.working)
    const between = performance.now()
    Canonical.parse(inline.at(-1) ?? "{}")
    byRegistry.push(between - began)
    byInline.push(performance.now() - between)
  }
  const found: Depth = {
    depth,
    checkpoints: checkpoints.length,
    registryBytes: bytesOf(checkpoints.map(recordOf)),
    inlineBytes: inline.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    registryMillis: Statistics.median(byRegistry),
    inlineMillis: Statistics.median(byInline)
  }
  return found
})

/** Compares the two ways of storage at the last depth, and each of them with its own first depth. */
export const ratios = (depths: ReadonlyArray<Depth>): Ratios => {
  const [first, last] = [depths[0], depths.at(-1)]
  if (first === undefined || last === undefined) throw new Error("no depth was measured")
  return {
    payload: last.inlineBytes / last.registryBytes,
    restore: last.registryMillis / last.inlineMillis,
    registryGrowth: last.registryBytes / first.registryBytes,
    inlineGrowth: last.inlineBytes / first.inlineBytes
  }
}
