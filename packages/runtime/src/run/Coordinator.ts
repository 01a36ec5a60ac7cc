/**
 * Opens runs. An open run is written with decisions of the kernel alone, by `engine/writer`.
 *
 * A coordinator interprets the kernel. It decides a command on its folded state, appends the drafts at the expected
 * tick, asks the world the next question, and decides again on the answer. State in memory changes after an append
 * was acknowledged, never before. If another process was faster, the coordinator reads the new transitions, appends
 * facts again and decides again.
 *
 * @source docs/ARCHITECTURE.md, "The life of a mutation", decisions 0003, 0035, 0036, 0037 and 0045
 */

import * as ClauseValues from "@backstitch/contracts/ClauseValues"
import * as Sensitive from "@backstitch/contracts/Sensitive"
import * as Specification from "@backstitch/contracts/Specification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import type * as Purity from "@backstitch/functions/Purity"
import * as Enforcement from "@backstitch/kernel/Enforcement"
import type * as Goal from "@backstitch/kernel/Goal"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as LiftedRun from "@backstitch/kernel/LiftedRun"
import type * as Payload from "@backstitch/kernel/Payload"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import type * as Rules from "@backstitch/reducer/Rules"
import * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import * as Notes from "@backstitch/trace/Notes"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Run, RunId, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Next } from "@backstitch/wording/Next"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { EdgeError } from "../engine/sealingEdge.ts"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as ToolExecutor from "../ports/ToolExecutor.ts"
import * as ClaimIndex from "../proof/ClaimIndex.ts"
import * as StrictReplay from "../proof/StrictReplay.ts"
import * as Sealing from "../sealing/Sealing.ts"
import * as SecretFingerprint from "../sealing/SecretFingerprint.ts"
import * as UndoProof from "../undo/UndoProof.ts"
import * as RunHandle from "./RunHandle.ts"
import * as RunSecret from "./RunSecret.ts"

/** The beginning of a run. A run that exists is resumed with its own beginning. */
export interface Opening {
  readonly pack?: TaskPack.TaskPack | undefined
  readonly goal: string
  readonly text?: string | undefined
  readonly clauses?: JsonObject | undefined
  /** The initial sections, if they are not those that the pack declares. */
  readonly initial?: Rules.Sections | undefined
  readonly source?: string | undefined
  /** The parts of the contract that the run enforces; all by default. */
  readonly enforcement?: Enforcement.Enforcement | undefined
  /** `true` for a drill, which begins without the proofs of undos that its pack demands. */
  readonly isDrill?: boolean | undefined
  /** The runs from which `initial` was taken. */
  readonly seeds?: Payload.Of<"run.started">["seeds"] | undefined
  /** The finished runs that the run follows, the last one first. It is durable with its first proposal. */
  readonly follows?: ReadonlyArray<Goal.FollowedRun> | undefined
}

/** Error for a run that was begun under another pack than the given one. */
export class PackChanged extends Schema.TaggedError<PackChanged>("@backstitch/runtime/PackChanged")("PackChanged", {
  run: Schema.String,
  pinned: Schema.String,
  given: Schema.String
}) {
  override get message(): string {
    return `Run ${this.run} is under pack ${this.pinned.slice(0, 12)}…, and was opened with ${this.given.slice(
      0,
      12
    )}…. A pack does not change under a run: fork it under another, or open it with its own`
  }

  /** Steps that may be taken instead. */
  get next(): ReadonlyArray<Next> {
    return [{ run: this.run, verb: "resume", words: "with an agent or a program that has its pack" }]
  }
}

/** Error for a run id that is taken, if a new run was requested. */
export class RunExists extends Schema.TaggedError<RunExists>("@backstitch/runtime/RunExists")("RunExists", {
  run: Schema.String,
  tick: Schema.Natural
}) {
  override get message(): string {
    return `Run ${this.run} exists already and is at tick ${this.tick}. Resume it, or choose another id`
  }

  /** Steps that may be taken instead. */
  get next(): ReadonlyArray<Next> {
    return [{ run: this.run, verb: "resume" }]
  }
}

/** Error for a run with fold parts that have changed since, so that this kernel could not decide with them. */
export class FoldChanged extends Schema.TaggedError<FoldChanged>("@backstitch/runtime/FoldChanged")("FoldChanged", {
  run: Schema.String,
  pinned: Schema.String,
  given: Schema.String
}) {
  override get message(): string {
    const given = new Set(this.given.split(" "))
    const changed = this.pinned.split(" ").filter((pin) => !given.has(pin))
    return (
      `Run ${this.run} is folded with ${changed.join(", ")}, and this kernel decides by "${this.given}". ` +
      "Its trace can be read here. To go on with it, use the version of Backstitch that began it"
    )
  }
}

/** Error for clause values that the contract does not accept; lists all of them. */
export class ClausesUnfit extends Schema.TaggedError<ClausesUnfit>("@backstitch/runtime/ClausesUnfit")("ClausesUnfit", {
  run: Schema.String,
  pack: Schema.String,
  clauses: Schema.Array(
    Schema.Struct({
      clause: Schema.String,
      path: Schema.String,
      found: Schema.String,
      expected: Schema.String,
      hint: Schema.optionalKey(Schema.String)
    })
  )
}) {
  override get message(): string {
    const lines = this.clauses.map(
      ({ expected, found, hint, path }) =>
        `  ${path}: found ${found}, expected ${expected}${hint === undefined ? "" : `. ${hint}`}`
    )
    const count = lines.length === 1 ? "a clause" : `${lines.length} clauses`
    return `Run ${this.run} was not begun: ${count} of it did not fit ${this.pack}\n${lines.join("\n")}`
  }
}

/** Errors of opening a run. */
export type OpenError =
  | ClausesUnfit
  | FoldChanged
  | PackChanged
  | Claims.ClaimRefused
  | ClaimIndex.IndexLost
  | SecretFingerprint.SecretDiffers
  | SecretFingerprint.SecretUnknown
  | RunSecret.KeysDiffer
  | History.HistoryError
  | EdgeError
  | Sealing.BeginsInClear
  | UndoProof.UndoUnproven
  | Purity.Impure
  | TraceStore.TickConflict

/** Service that opens runs. */
export class Coordinator extends Context.Service<
  Coordinator,
  {
    /** Opens a run, beginning it if it does not exist. It is closed with the scope. */
    readonly open: (run: Run, opening: Opening) => Effect.Effect<RunHandle.RunHandle, OpenError, Scope.Scope>
    /** Begins a run; fails if it exists. */
    readonly begin: (
      run: Run,
      opening: Opening
    ) => Effect.Effect<RunHandle.RunHandle, OpenError | RunExists, Scope.Scope>
    /** Opens a run that exists, as it was begun. */
    readonly reopen: (run: Run) => Effect.Effect<RunHandle.RunHandle, OpenError, Scope.Scope>
  }
>()("@backstitch/runtime/Coordinator") {}

/**
 * Settings of a coordinator. `secret` is the tenant's secret for keys; `snapshots` is what the topology of a run's pack
 * says by default, and else `auto`.
 *
 * **Details**
 *
 * A store knows the first secret by its fingerprint, and no run is opened with another one. Nor is a run that has keys
 * of another one, unless a person has accepted that, which is among the `Notes` if the coordinator has them. An empty
 * secret is for runs that derive no key.
 */
export interface Settings {
  readonly kernel?: Kernel.Kernel | undefined
  readonly secret: string
  readonly snapshots?: SnapshotDial.SnapshotDial | undefined
}

/** The place at which a run is opened, its first ancestor, and the pack in force. */
interface Beginning {
  readonly at: History.At
  readonly lineage: RunId
  readonly pack: TaskPack.TaskPack | undefined
}

/** Creates a coordinator. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const executor = yield* ToolExecutor.ToolExecutor
  const sealing = Option.getOrUndefined(yield* Effect.serviceOption(Sealing.Sealing))
  const kernel = settings.kernel ?? Kernel.standard

  const services = Context.make(TraceStore.TraceStore, store).pipe(
    Context.add(History.History, history),
    Context.add(PackLibrary.PackLibrary, library),
    Context.add(ToolExecutor.ToolExecutor, executor)
  )

  const notes = yield* Effect.serviceOption(Notes.Notes)
  const noted = Option.isSome(notes) ? Context.add(services, Notes.Notes, notes.value) : services

  const recognised = new Set<Tenant>()

  const isExempt = RunSecret.isExempt(settings.secret, executor)

  const recognise = Effect.fnUntraced(function* (tenant: Tenant, how: "check" | "take") {
    if (isExempt || recognised.has(tenant)) return
    const { secret } = settings
    yield* Effect.provideService(ClaimIndex.check(tenant), TraceStore.TraceStore, store)
    const asked = how === "take" ? SecretFingerprint.take(secret, tenant) : SecretFingerprint.check(secret, tenant)
    yield* Effect.provideService(Effect.asVoid(asked), TraceStore.TraceStore, store)
    if (how === "take") recognised.add(tenant)
  })

  const handle = (run: Run, { at, lineage, pack }: Beginning) =>
    RunHandle.make({
      run,
      at,
      lineage,
      kernel,
      sealing,
      secret: settings.secret,
      snapshots: settings.snapshots ?? dialOf(pack)
    }).pipe(Effect.provideContext(noted))

  const start = Effect.fnUntraced(function* (run: Run, opening: Opening) {
    const unfit = opening.pack === undefined ? [] : ClauseValues.check(opening.pack, opening.clauses ?? {})
    if (opening.pack !== undefined && unfit.length > 0) {
      const { id, version } = opening.pack
      return yield* new ClausesUnfit({ run: run.id, pack: `${id} ${version}`, clauses: unfit })
    }
    const inClear = opening.pack === undefined ? [] : clearIn(opening.pack, opening.initial)
    if (inClear.length > 0) return yield* new Sealing.BeginsInClear({ run: run.id, fields: inClear })
    yield* recognise(run.tenant, "check")
    if (!isExempt) yield* Effect.provideContext(RunSecret.checkSeeds(run, opening.seeds ?? [], settings.secret), noted)
    if (opening.pack !== undefined && opening.isDrill !== true) {
      const demanded = UndoProof.demand(run, opening.pack, yield* Clock.currentTimeMillis)
      yield* Effect.provideContext(demanded, services)
    }
    // If another process was faster, the first commit is refused, and the transitions of that process are read.
    const at = RunHandle.unwritten(run)
    const opened = yield* handle(run, { at, lineage: run.id, pack: opening.pack })
    // Tells whether impure functions are only named: before the last stage of enforcement the run then continues.
    const isFlagged = opening.enforcement !== undefined && opening.enforcement.stage < 3
    const impure = isFlagged && opening.pack !== undefined ? PackPurity.findings(opening.pack) : []
    const pack =
      opening.pack === undefined
        ? undefined
        : yield* library.keepPack(opening.pack, { impure: isFlagged ? "flag" : "refuse" })
    const sections = opening.initial ?? initialOf(opening)
    const initial =
      opening.initial === undefined ? Fold.initialDigest(sections) : yield* library.keepInitial(opening.initial)
    const began = yield* opened.start({
      goal: opening.goal,
      text: opening.text ?? opening.goal,
      clauses: Specification.values(opening.pack?.specification ?? {}, opening.clauses ?? {}),
      pack,
      initial,
      ontology: ontologyFor(opening.pack),
      source: opening.source,
      enforcement: opening.enforcement,
      impure: impure.map(({ id, reason }) => ({ id, reason })),
      seeds: opening.seeds,
      follows: opening.follows
    })
    yield* recognise(run.tenant, "take")
    // If another process was faster, the run continues as that process began it.
    return { opened, isNew: began._tag === "Done" && began.adopted === undefined }
  })

  const reopen = Effect.fnUntraced(function* (run: Run) {
    const at = yield* history.at(run)
    const { head } = at
    const pinned = PackInForce.of(at.state).fold
    if (pinned !== undefined && !Fold.continues(history.fold, pinned)) {
      return yield* new FoldChanged({ run: run.id, pinned, given: history.fold.version })
    }
    yield* recognise(run.tenant, "take")
    if (!isExempt) yield* Effect.provideContext(RunSecret.check(run, at, settings.secret), noted)
    const pack = yield* library.inForce(at.state, head.tick + 1)
    const opened = yield* handle(run, { at, lineage: (at.root ?? (yield* history.root(run))).id, pack })
    if (Enforcement.isReplayed(at.state)) yield* replayed(run, opened, at.state)
    return opened
  })

  /** Names the first state that does not come out again, because an impure function has folded it. */
  const replayed = Effect.fnUntraced(function* (run: Run, opened: RunHandle.RunHandle, state: State) {
    const { divergences } = yield* Effect.provideContext(StrictReplay.of(run), services)
    const [first] = divergences
    if (first === undefined || Anomalies.first(state, diverged) !== undefined) return
    yield* opened.annotate("kernel.anomaly", { at: first.tick, kind: diverged, states: divergences.length })
  })

  const initialOf = (opening: Opening): Rules.Sections =>
    opening.pack === undefined ? { world: {}, working: {} } : library.initial(opening.pack)

  return Coordinator.of({
    reopen,
    begin: Effect.fnUntraced(function* (run, opening) {
      const known = yield* store.info(run)
      if (known !== undefined) return yield* new RunExists({ run: run.id, tick: known.head.tick })
      const { isNew, opened } = yield* start(run, opening)
      if (isNew) return opened
      return yield* new RunExists({ run: run.id, tick: (yield* opened.position).head.tick })
    }),
    open: Effect.fnUntraced(function* (run, opening) {
      const known = yield* store.info(run)
      if (opening.pack !== undefined) library.hold(opening.pack)
      const opened = known === undefined ? (yield* start(run, opening)).opened : yield* reopen(run)
      const pinned = yield* opened.packDigest
      if (opening.pack !== undefined && pinned !== opening.pack.digest) {
        return yield* new PackChanged({ run: run.id, pinned, given: opening.pack.digest })
      }
      return opened
    })
  })
})

/**
 * The version of the ontology that a run under a pack needs: the third for revisions, the second for subtasks and undo
 * windows, and else the first, which every reader has.
 */
const ontologyFor = (pack: TaskPack.TaskPack | undefined): number => {
  if (pack?.revisions !== undefined) return Ontology.introducedIn("revision.injected")
  const isSecond =
    LiftedRun.make(pack) !== undefined ||
    Object.values(pack?.tools ?? {}).some(({ undo }) => undo.withinMillis !== undefined)
  return isSecond ? Ontology.introducedIn("checkpoint.entry") : Ontology.first
}

/** The dial of a pack: a loop with fast steps keeps a snapshot every few ticks, and not at each step. */
const dialOf = (pack: TaskPack.TaskPack | undefined): SnapshotDial.SnapshotDial => {
  const ticks = pack?.topology?.checkpointTicks
  return ticks === undefined || ticks === 0 ? SnapshotDial.auto : SnapshotDial.every(ticks)
}

/** Sensitive fields for which a run would begin with a value in clear. */
const clearIn = (pack: TaskPack.TaskPack, sections: Rules.Sections | undefined): ReadonlyArray<string> =>
  (["world", "working"] as const).flatMap((section) =>
    Object.entries(sections?.[section] ?? {}).flatMap(([name, value]) => {
      const field = pack.fields[section][name]
      if (field === undefined || !Sensitive.isIn(field) || value === null) return []
      return Field.check(field, value).length === 0 ? [] : [`${section}.${name}`]
    })
  )

const diverged = "replay.diverged" satisfies Anomalies.AnomalyKind

/** Layer that provides a coordinator. */
export const layer = (
  settings: Settings
): Layer.Layer<
  Coordinator,
  never,
  TraceStore.TraceStore | History.History | PackLibrary.PackLibrary | ToolExecutor.ToolExecutor
> => Layer.effect(Coordinator, make(settings))

/** Layer of a coordinator that calls no tool, for decisions of people: they derive no key, so it needs no secret. */
export const layerDeciding = (kernel?: Settings["kernel"]) =>
  layer({ kernel, secret: "" }).pipe(Layer.provideMerge(ToolExecutor.layerFrom({})))
