/**
 * Recognises the secret from which the keys of a run derive, before anybody goes on with the run.
 *
 * A store knows the secret of a tenant, and a run may have come from a store with another one. None of the settled acts
 * of such a run is recognised here, so an agent that proposes one of them again would do it again. One recorded key
 * tells: it is derived again, from the request that is on record.
 *
 * So do the runs from which a run was seeded, as long as it has no keyed act of its own, and a run from which a call is
 * carried over: what they have done is taken over by its key.
 *
 * A person who accepts a secret accepts that for the runs that the store has by then, as far as they have come. A run
 * that is imported afterwards is refused until somebody accepts the secret once more.
 *
 * **Gotchas**
 *
 * The key is the last of {@link Limits.pacing}`.keysComparedMax`. A run with more keys, of which some came with an
 * import and derive from another secret, may be taken for one of this store.
 *
 * @source docs/decisions/0020
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Payload from "@backstitch/kernel/Payload"
import * as RequestIdentity from "@backstitch/kernel/RequestIdentity"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { State } from "@backstitch/reducer/State"
import * as ActionId from "@backstitch/trace/ActionId"
import type { Json } from "@backstitch/trace/Canonical"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Descent from "@backstitch/version-control/Descent"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Limits from "../Limits.ts"
import type * as ToolExecutor from "../ports/ToolExecutor.ts"
import * as SecretFingerprint from "../sealing/SecretFingerprint.ts"

/** Error for a run whose keys do not derive from the secret at hand. */
export class KeysDiffer extends Schema.TaggedError<KeysDiffer>("@backstitch/runtime/KeysDiffer")("KeysDiffer", {
  run: Schema.String,
  tenant: Schema.String,
  /** The action under whose key the run was recognised as one of another secret, and the tick of its request. */
  action: Schema.String,
  tick: Schema.Natural,
  /** The run that has the action, if the run was seeded from it. */
  from: Schema.optional(Schema.String)
}) {
  override get message(): string {
    const [whose, which] =
      this.from === undefined ? ["", "it"] : [` of run ${this.from}, from which it was seeded,`, "that run"]
    return (
      `Run ${this.run} is not gone on with: the key of ${this.action} (tick ${this.tick})${whose} does not derive ` +
      `from the secret of tenant ${this.tenant}. So ${which} came from another store, or that secret was replaced ` +
      "since. What it has done would not be recognised here, and could be done again. Go on with it where it was " +
      "made, or under the secret of then, or accept that expressly for the runs that this store has now"
    )
  }
}

const kind = "secret"

const Text = Schema.fromJsonString(Schema.Struct({ fingerprint: Schema.String, tick: Schema.Natural }))
const decode = Notes.reader(Text)
const encode = Schema.encodeSync(Text)

/**
 * Tells whether keys are derived from no secret that could differ: an executor that answers from the record calls
 * nobody, and may keep its keys apart under another secret.
 */
export const isExempt = (secret: string, { mode }: Pick<ToolExecutor.ToolExecutor["Service"], "mode">): boolean =>
  secret === "" || mode === "recorded"

/**
 * Refuses a run, folded to its head, if the key of its last keyed action does not derive from the secret, and nobody
 * has accepted the secret for it. Of a run without such an action, the runs are judged from which it was seeded.
 */
export const check = Effect.fnUntraced(function* (run: Run.Run, at: History.At, secret: string) {
  const found = yield* compared(run, at, secret)
  if (found === undefined) return yield* checkSeeds(run, yield* seedsOf(run), secret)
  if (found.isOwn || (yield* isAccepted(run, found.tick, secret))) return
  const { tick } = found
  return yield* new KeysDiffer({ run: run.id, tenant: run.tenant, action: ActionId.at(tick), tick })
})

/** Refuses to carry a call over from another run of the tenant: what came of it there would not be recognised. */
export const checkSource = Effect.fnUntraced(function* ({ tenant }: Run.Run, id: string, secret: string) {
  const source = Run.make(id, tenant)
  yield* check(source, yield* (yield* History.History).at(source), secret)
})

/** Refuses a run that would believe what runs of another secret have done, and not recognise it. */
export const checkSeeds = Effect.fnUntraced(function* (run: Run.Run, seeds: Seeds, secret: string) {
  const history = yield* History.History
  const seen = new Set<string>()
  const left = [...seeds]
  for (let seed = left.pop(); seed !== undefined; seed = left.pop()) {
    if (seen.has(seed.run) || !seed.field.startsWith("world.")) continue
    seen.add(seed.run)
    // A file that was imported may name anything: what can name no run is of none.
    const from = { ...run, id: seed.run as Run.RunId }
    const at = yield* readable(history.at(from, seed.tick))
    const found = at === undefined ? undefined : yield* compared(from, at, secret)
    if (at !== undefined && found === undefined) left.push(...((yield* readable(seedsOf(from))) ?? []))
    if (found === undefined || found.isOwn || (yield* isAccepted(from, found.tick, secret))) continue
    const { tick } = found
    const about = { run: run.id, tenant: run.tenant, action: ActionId.at(tick), tick }
    return yield* new KeysDiffer({ ...about, from: from.id })
  }
})

/** The fields with which a run began, and the runs that they are from. */
type Seeds = NonNullable<Payload.Of<"run.started">["seeds"]>

const seedsOf = Effect.fnUntraced(function* (run: Run.Run) {
  const [first] = yield* (yield* History.History).transitions(run, { from: 1, to: 1 })
  const started = first && Payload.of(first.body, "run.started")
  return started?.seeds ?? []
})

/**
 * Replaces the secret that the store knows, for the runs that it has as well. Answers the earlier fingerprint, and the
 * runs whose acts are not recognised under the secret.
 */
export const accept = Effect.fn("RunSecret.accept")(function* (secret: string, tenant: Run.Tenant) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const notes = yield* Notes.Notes
  const before = yield* SecretFingerprint.accept(secret, tenant)
  const fingerprint = SecretFingerprint.of(secret, tenant)
  const runs: Array<string> = []
  for (const { head, run } of yield* store.runs(tenant)) {
    const found = yield* readable(Effect.flatMap(history.at(run), (at) => compared(run, at, secret)))
    if (found?.isOwn !== false) continue
    yield* notes.put({ tenant, kind, name: run.id, text: encode({ fingerprint, tick: head.tick }) })
    runs.push(run.id)
  }
  return { before, runs }
})

/** Tells whether the secret was accepted for a run, or for an ancestor, when it had come to a tick. */
const isAccepted = Effect.fnUntraced(function* (run: Run.Run, tick: number, secret: string) {
  const notes = Option.getOrUndefined(yield* Effect.serviceOption(Notes.Notes))
  if (notes === undefined) return false
  const own = SecretFingerprint.of(secret, run.tenant)
  for (const { id } of yield* (yield* History.History).lineage(run)) {
    const note = yield* notes.find({ tenant: run.tenant, kind, name: id })
    const accepted = note === undefined ? undefined : Result.getOrUndefined(decode(note))
    if (accepted?.fingerprint === own && tick <= accepted.tick) return true
  }
  return false
})

/** Answers `undefined` for what is damaged or missing: no secret follows from it, and its readers are told. */
const readable = <A, R>(effect: Effect.Effect<A, History.HistoryError, R>) =>
  effect.pipe(
    Effect.catchIf(
      ({ _tag }) => _tag !== "TraceStoreError",
      () => Effect.succeed(undefined)
    ),
    Effect.catchDefect(() => Effect.succeed(undefined))
  )

/** Compares the key of the last keyed action of a run, if it has one. */
const compared = Effect.fnUntraced(function* (run: Run.Run, at: History.At, secret: string) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const keyed = yield* library.folding(() => lastKeyed(at.state))
  if (keyed === undefined) return undefined
  const { key, tick } = keyed
  const request = keyed.request ?? (yield* requestAt(run, tick))
  const owner = request.undoes === undefined ? undefined : Descent.owner(yield* history.lineage(run), tick)
  const lineage = (at.root ?? (yield* history.root(run))).id
  const derivesIn = (state: State) =>
    library.folding(() => {
      const pack = library.packAt(state, tick)
      const terms = { run: Run.make(owner ?? run.id, run.tenant), lineage, now: at.asOf, tick, secret, pack } as const
      return RequestIdentity.derives(terms, state, { ...request, contract: TaskPack.tool(pack, request.tool), key })
    })
  if ((yield* derivesIn(at.state)) === true) return { tick, isOwn: true }
  // A fork may be under another pack or goal than the parent with whom it shares the request.
  const then = yield* readable(Effect.flatMap(history.at(run, tick - 1), ({ state }) => derivesIn(state)))
  return { tick, isOwn: then !== false }
})

/** A request as its key is derived from it. */
interface Request {
  readonly tool: string
  readonly params: Json
  readonly occurrence: number
  readonly undoes?: string | undefined
}

/** The last keyed action of a state. The request of one that is open is part of the state. */
const lastKeyed = (
  state: State
): { readonly tick: number; readonly key: string; readonly request?: Request } | undefined => {
  const open = Object.values(OpenActions.of(state)).flatMap((each) => {
    if (each?.key === undefined) return []
    const { key, occurrence = 1, params, tick, tool, undoes } = each
    return [{ tick, key, request: { tool, params, occurrence, undoes } }]
  })
  const used = UsedKeys.lastUsed(state, Limits.pacing.keysComparedMax)
  const settled = used === undefined ? [] : [{ tick: ActionId.tickOf(used.action) ?? 0, key: used.key }]
  return [...settled, ...open].sort((one, other) => other.tick - one.tick)[0]
}

/** Reads the request that a tick has. */
const requestAt = Effect.fnUntraced(function* (run: Run.Run, tick: number) {
  const [read] = yield* (yield* History.History).transitions(run, { from: tick, to: tick })
  const { action, intent } = read?.body ?? {}
  const request: Request = {
    tool: action?.tool ?? "",
    params: action?.params ?? null,
    occurrence: intent?.occurrence ?? 1,
    undoes: action?.undoes
  }
  return request
})
