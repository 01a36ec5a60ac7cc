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
import * as SubtaskFacts from "@backstitch/kernel/SubtaskFacts"
import * as State from "@backstitch/reducer/State"
import * as History from "@backstitch/runtime/History"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Statistics from "../../src/Statistics.ts"
import * as DomainPack from "../harness/DomainPack.ts"
import * as Trial from "../harness/Trial.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Universe from "../universe/Universe.ts"

/** A run of one domain in which nothing fails, with its subtasks on record and without. Times are medians of pairs. */
export interface Hook {
  readonly domain: Domain.Name
  readonly steps: number
  readonly off: number
  readonly on: number
  /** Milliseconds that a step takes more. */
  readonly more: number
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

/** Measures the longest plan of each domain, side by side. */
export const hooks = async (pairs: number): Promise<ReadonlyArray<Hook>> => {
  const rows: Array<Hook> = []
  for (const domain of Universe.domains) {
    const each = Universe.casesOf(domain, "commitment").toSorted(
      (left, right) => right.plan.length - left.plan.length
    )[0]
    if (each === undefined) throw new Error(`${domain.name} has no case`)
    let found: ReadonlyArray<Checkpoint.Checkpoint> = []
    const inspect = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
      found = yield* checkpointsOf(handle)
    })
    const [on, off] = [DomainPack.of(domain), DomainPack.of(domain, false)]
    const times = await Statistics.interleave(pairs, {
      ours: async () => (await Trial.play({ case: each, domain, inspect, pack: on })).millis,
      theirs: async () => (await Trial.play({ case: each, domain, pack: off })).millis
    })
    rows.push({
      domain: domain.name,
      steps: each.plan.length,
      off: times.theirs,
      on: times.ours,
      more: (times.ours - times.theirs) / each.plan.length,
      checkpoints: found.length,
      bytes: bytesOf(found.map(payloadOf))
    })
  }
  return rows
}

const checkpointsOf = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  const lifted = yield* handle.subtasks
  return lifted === undefined ? [] : [...lifted.registry.entries.values()].flatMap(({ checkpoints }) => checkpoints)
})

/** The payload of a checkpoint as the trace keeps it. It holds no part of the state. */
const payloadOf = (checkpoint: Checkpoint.Checkpoint): Canonical.JsonObject =>
  SubtaskFacts.ofCheckpoint(checkpoint).data

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
  const inspect = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
    const all = yield* checkpointsOf(handle)
    for (const depth of [1, 2, 3, 4, 5]) {
      const slots = all.filter(({ instance }) => instance.skeleton === "ResolveSlot" && Number(instance.entity) < depth)
      found.push(yield* depthOf(handle, slots, depth))
    }
  })
  await Trial.play({ case: each, domain, inspect, pack: DomainPack.of(domain) })
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
    inline.push(Canonical.encode({ ...payloadOf(checkpoint), working: State.sectionToJson(state.working) }))
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
    registryBytes: bytesOf(checkpoints.map(payloadOf)),
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
