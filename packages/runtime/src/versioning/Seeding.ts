/**
 * Begins a run from chosen parts of others: fields as they were at a tick, and intents to carry over.
 *
 * @source Dendrer, section 11.1
 */
import * as ClauseValues from "@backstitch/contracts/ClauseValues"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Goal from "@backstitch/kernel/Goal"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Intent from "@backstitch/version-control/Intent"
import * as Seed from "@backstitch/version-control/Seed"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as ToolExecutor from "../ports/ToolExecutor.ts"
import * as Coordinator from "../run/Coordinator.ts"
import * as CherryPicking from "./CherryPicking.ts"

/** A part to begin with: a field after a tick or, without a field, the intent at that tick. */
export interface Chosen {
  readonly run: Run.Run
  readonly tick: number
  readonly field?: string | undefined
}

/**
 * A run to be begun. Default of `pack`: the pack that all branches have; default of `goal`: that of the first
 * branch.
 */
export interface SeedRequest {
  readonly run: Run.Run
  readonly from: ReadonlyArray<Chosen>
  readonly pack?: TaskPack.TaskPack | undefined
  readonly goal?: string | undefined
  readonly clauses?: JsonObject | undefined
}

/** Error for branches under several packs or none, if no pack was named for the new run. */
export class SeedContract extends Schema.TaggedError<SeedContract>("@backstitch/runtime/SeedContract")("SeedContract", {
  contracts: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const found =
      this.contracts.length === 0 ? "No branch has a pack" : `The branches are under ${this.contracts.join(", ")}`
    return `${found}. Name the pack of the new run`
  }
}

/** The prepared beginning of a seeded run. */
export interface Prepared extends Seed.Seeded {
  readonly run: Run.Run
  readonly pack: TaskPack.TaskPack
  readonly goal: Goal.Goal
  readonly from: ReadonlyArray<Chosen>
  readonly intents: ReadonlyArray<Chosen & { readonly type: string; readonly tool: string | undefined }>
}

/** A run that was begun. `imports` are the intents that were carried over, in the requested order. */
export interface BegunSeed extends Prepared {
  readonly imports: ReadonlyArray<CherryPicking.Picked>
}

/** A seeded run as people and programs are shown it. */
export interface ShownSeed extends Pick<BegunSeed, "imports" | "seeds"> {
  readonly run: string
  /** The id and the version. */
  readonly pack: string
  readonly goal: string
  /** `true` if nothing was begun. */
  readonly dryRun: boolean
  readonly intents: ReadonlyArray<{
    readonly run: string
    readonly tick: number
    readonly type: string
    readonly tool: string | undefined
  }>
}

/** Shows a run that was begun or, without imports, one that was only prepared. */
export const shown = (prepared: Prepared, imports?: BegunSeed["imports"]): ShownSeed => ({
  run: prepared.run.id,
  pack: `${prepared.pack.id}@${prepared.pack.version}`,
  goal: prepared.goal.text,
  dryRun: imports === undefined,
  seeds: prepared.seeds,
  intents: prepared.intents.map(({ run: { id }, tick, tool, type }) => ({ run: id, tick, type, tool })),
  imports: imports ?? []
})

/** Gathers the chosen parts. Nothing is committed. */
export const prepare = Effect.fn("Seeding.prepare")(function* (request: SeedRequest) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const known = yield* store.info(request.run)
  if (known !== undefined) return yield* new Coordinator.RunExists({ run: request.run.id, tick: known.head.tick })
  const places = yield* Effect.forEach(
    request.from,
    Effect.fnUntraced(function* (chosen) {
      const { head } = yield* history.info(chosen.run)
      if (chosen.tick < 1) {
        return yield* new History.TickOutOfRange({ run: chosen.run.id, tick: chosen.tick, last: head.tick })
      }
      return { ...chosen, at: yield* history.at(chosen.run, chosen.tick) }
    })
  )
  const pack = request.pack ?? (yield* common(places.map(({ at }) => at)))
  const artifacts = places.flatMap((place) => (place.field === undefined ? [] : [artifactOf(pack, place, place.field)]))
  const seeded = yield* Effect.fromResult(Seed.gather(pack, library.initial(pack), artifacts))
  const intents = yield* Effect.forEach(
    places.filter(({ field }) => field === undefined),
    Effect.fnUntraced(function* ({ run, tick }) {
      const [transition] = yield* history.transitions(run, { from: tick, to: tick })
      const intent = yield* Effect.fromResult(Intent.of(run.id, transition!))
      return { run, tick, type: intent.type, tool: intent.tool }
    })
  )
  const first = places[0] === undefined ? undefined : Goal.of(places[0].at.state)
  const goal: Goal.Goal = {
    id: request.goal ?? first?.id ?? request.run.id,
    text: request.goal ?? first?.text ?? request.run.id,
    clauses: { ...ClauseValues.fitting(pack, first?.clauses ?? {}), ...request.clauses }
  }
  const { from, run } = request
  const prepared: Prepared = { ...seeded, run, from, pack, goal, intents }
  return prepared
})

/** Begins the run, and carries the chosen intents over. */
export const begin = Effect.fn("Seeding.begin")(function* (prepared: Prepared) {
  const { goal, intents, pack, run, sections, seeds } = prepared
  const coordinator = yield* Coordinator.Coordinator
  const { clauses, id, text } = goal
  yield* ToolExecutor.demand(intents.flatMap(({ tool }) => tool ?? []))
  yield* coordinator.begin(run, { pack, goal: id, text, clauses, initial: sections, seeds })
  const imports: Array<CherryPicking.Picked> = []
  for (const { run: from, tick } of intents) imports.push(yield* CherryPicking.pick({ from, tick, onto: run }))
  const begun: BegunSeed = { ...prepared, imports }
  return begun
})

/** The one contract that all branches have. */
const common = Effect.fnUntraced(function* (places: ReadonlyArray<History.At>) {
  const library = yield* PackLibrary.PackLibrary
  const digests = [...new Set(places.map(({ state }) => PackInForce.of(state).pack))].filter((digest) => digest !== "")
  const packs = yield* Effect.forEach(digests, library.pack)
  const [pack] = packs
  if (pack !== undefined && packs.length === 1) return pack
  const contracts = packs.map((each) => `${each.id}@${each.version} (${each.digest.slice(0, 8)}…)`)
  return yield* new SeedContract({ contracts })
})

/** The pack under which a run began, by its state; `undefined` if it has none. */
export const packOf = Effect.fnUntraced(function* (state: State) {
  const library = yield* PackLibrary.PackLibrary
  const { pack } = PackInForce.of(state)
  return pack === "" ? undefined : yield* library.pack(pack)
})

const artifactOf = (
  pack: TaskPack.TaskPack,
  { at, run, tick }: Chosen & { readonly at: History.At },
  field: string
): Seed.Artifact => {
  const [section, name = ""] = field.split(".")
  const fields = section === "world" ? at.state.world : at.state.working
  const open = Object.entries(OpenActions.of(at.state)).flatMap(([id, action]) => {
    const { writes } = TaskPack.tool(pack, action?.tool ?? "")
    return writes.some(({ name }) => name === field) ? [id] : []
  })
  return { run: run.id, tick, link: at.head.link, field, value: fields[name], open }
}
