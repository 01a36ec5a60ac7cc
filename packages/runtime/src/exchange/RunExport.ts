/**
 * Exports a run from a store as one file, with all that it names, and imports such a file.
 *
 * A fork is exported with its shared history, from the genesis of its root. An import is verified first, and appended
 * unchanged: links, digests and names are the same in every store.
 *
 * @source docs/FORMAT.md
 */
import * as Payload from "@backstitch/kernel/Payload"
import * as RequestedActions from "@backstitch/ledger/RequestedActions"
import * as Branded from "@backstitch/trace/Branded"
import type * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import type * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import * as TransitionCheck from "@backstitch/trace/TransitionCheck"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import { bodyOf, readAncestors } from "../history/readAncestors.ts"
import { readStateNodes } from "../history/readStateNodes.ts"
import * as Limits from "../Limits.ts"
import { pinnedTexts } from "./pinnedTexts.ts"
import * as RecordedAppend from "./RecordedAppend.ts"
import * as UntrustedExport from "./UntrustedExport.ts"

/** Error for a run that the store has under the same name with another history. */
export class HistoryDiffers extends Schema.TaggedError<HistoryDiffers>("@backstitch/runtime/HistoryDiffers")(
  "HistoryDiffers",
  { run: Schema.String, tick: Schema.Natural }
) {
  override get message(): string {
    return (
      `Run ${this.run} is in the store already with another history: tick ${this.tick} is not that of the file. ` +
      "Import the file into another store"
    )
  }
}

/** Error for a file with a run of another tenant than the acting one. */
export class TenantDiffers extends Schema.TaggedError<TenantDiffers>("@backstitch/runtime/TenantDiffers")(
  "TenantDiffers",
  { run: Schema.String, tenant: Schema.String, asked: Schema.String }
) {
  override get message(): string {
    return (
      `The file holds run ${this.run} of tenant ${this.tenant}, and you act for tenant ${this.asked}. ` +
      `Nothing was imported: act for tenant ${this.tenant}, if you may`
    )
  }
}

/**
 * Exports a run, verified in the same way as by an import.
 *
 * **Details**
 *
 * A broken trace is refused. With `evidence` it is exported as far as it can be read, and {@link problem} names the
 * fault.
 */
export const exportRun = Effect.fn("RunExport.exportRun")(function* (
  run: Run.Run,
  options: { readonly evidence?: boolean | undefined } = {}
) {
  const exported = yield* behind(run, 0)
  const wrong = problem(exported)
  if (wrong !== undefined && options.evidence !== true) return yield* wrong
  return exported
})

/**
 * Exports what a run has behind a tick, for a reader who has the rest. With the transitions up to that tick after its
 * header it is the export of the run, which the reader verifies: nothing is verified here.
 */
export const behind = Effect.fn("RunExport.behind")(function* (run: Run.Run, tick: number) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const { head } = yield* history.info(run)
  const transitions: Array<Transition.Sealed> = []
  while (tick + transitions.length < head.tick) {
    const from = tick + transitions.length + 1
    const page = yield* store.read(run, { from, to: head.tick, limit: Limits.pacing.pageRowsMax })
    if (page.length === 0) break
    for (const sealed of page) transitions.push(sealed)
  }
  const exported: Export.Export = {
    run,
    ontology: ontologyOf(tick === 0 ? transitions : yield* store.read(run, { from: 1, to: 1 })),
    lineage: yield* readAncestors(run),
    head,
    transitions,
    blobs: yield* blobs(transitions)
  }
  return exported
})

/** Names the fault of an export; `undefined` if it can be imported. */
export const problem = (
  exported: Export.Export
): HashChain.ChainBroken | Export.BlobCorrupt | UntrustedExport.ExportPartial | undefined => {
  const verified = Export.verify(exported)
  if (Result.isSuccess(verified)) return UntrustedExport.lack(exported)
  const { failure } = verified
  return failure._tag === "ChainBroken" ? new HashChain.ChainBroken({ ...failure, run: exported.run.id }) : failure
}

/** The result of an import: the head of the run, and whether the run was in the store already. */
export interface Imported {
  readonly run: string
  readonly ticks: number
  readonly head: string
  readonly blobs: number
  readonly present: boolean
  /** Types of embedders that are not declared here. They are kept, and not checked. */
  readonly unknown: ReadonlyArray<string>
}

/** A part of a run that the store does not have. */
export interface Arriving {
  readonly run: Run.Run
  /** The link of the first transition that is the run's own in the file. */
  readonly first: Digest.Digest
  /** The last tick that the store has; `undefined` if it does not have the run. */
  readonly known: number | undefined
  /** The last tick that the file has. */
  readonly ticks: number
}

/**
 * Verifies an export and imports it, with the ancestors of a fork.
 *
 * **Details**
 *
 * Existing transitions stay, and a run that the store has in part is continued. If the file has no transition of an
 * ancestor, because the fork left it within history that it shares with its own ancestor, that ancestor is not
 * created: the fork is then attached to the run that committed the tick. A file names its tenant, which its chain
 * proves; with `tenant`, a file of another tenant is refused (L15). `admit` is asked before anything is appended to a
 * run, and may refuse it.
 */
export const importRun = Effect.fn("RunExport.importRun")(function* <E = never, R = never>(
  exported: Export.Export,
  options: ImportOptions<E, R> = {}
) {
  return yield* imported(exported, options, verifying(exported, options.vocabularies))
})

/** Options of an import. */
interface ImportOptions<E, R> {
  readonly tenant?: Run.Tenant | undefined
  readonly vocabularies?: ReadonlyArray<Vocabulary.Vocabulary> | undefined
  readonly admit?: ((part: Arriving) => Effect.Effect<void, E, R>) | undefined
}

/**
 * Imports a run that goes on elsewhere: the whole of it with the first call, and with each later one what has come
 * behind that, as {@link behind} exports it. Each transition is verified once. After a refusal, begin anew.
 */
export const following = (tenant: Run.Tenant) => {
  let verify: ReturnType<typeof verifying> | undefined
  return Effect.fn("RunExport.following")(function* (exported: Export.Export) {
    if (verify === undefined) {
      verify = verifying(exported)
      return void (yield* imported<never, never>(exported, { tenant }, verify))
    }
    const { run, transitions } = exported
    const before = verify.head()
    yield* verify(exported)
    const store = yield* TraceStore.TraceStore
    yield* store.putBlobs(exported.blobs)
    yield* RecordedAppend.append({ run, expected: before, transitions })
  })
}

const imported = Effect.fnUntraced(function* <E, R>(
  exported: Export.Export,
  { admit = () => Effect.void, tenant = exported.run.tenant }: ImportOptions<E, R>,
  verify: ReturnType<typeof verifying>
) {
  const store = yield* TraceStore.TraceStore
  if (tenant !== exported.run.tenant) {
    return yield* new TenantDiffers({ run: exported.run.id, tenant: exported.run.tenant, asked: tenant })
  }
  const unknown = yield* verify(exported)
  yield* store.putBlobs(exported.blobs)
  const { lineage, run, transitions } = exported
  let present = true
  let parent: TraceStore.Parent | undefined
  let from = 0
  const line = [...lineage, { id: run.id, tick: transitions.length }]
  for (const { id, tick: to } of line) {
    const own = { run: { tenant: run.tenant, id }, parent, from, to }
    const isAbsent = from === to && (yield* store.info(own.run)) === undefined
    if (!isAbsent && !(yield* append(own, transitions, admit))) present = false
    parent = { id: isAbsent && parent !== undefined ? parent.id : id, tick: to }
    from = to
  }
  const brought: Imported = {
    run: run.id,
    ticks: transitions.length,
    head: exported.head.link,
    blobs: exported.blobs.size,
    present,
    unknown: [...unknown].sort()
  }
  return brought
})

/** Makes the check of a run's transitions, each behind those before: it answers the types that it does not know. */
const verifying = (told: Export.Export, vocabularies: ReadonlyArray<Vocabulary.Vocabulary> = []) => {
  const chain = new Export.Verifier(told)
  // Hashes prove which bytes were written, not that a fold can read them.
  const unknown = new Set<string>()
  const unrequested = RequestedActions.follow()
  const verify = Effect.fnUntraced(function* (part: Pick<Export.Export, "blobs" | "head" | "transitions">) {
    yield* Effect.fromResult(chain.take(part))
    for (const sealed of part.transitions) {
      const { body, tick } = yield* Effect.fromResult(readable(sealed, vocabularies))
      const problem = unrequested(body)?.message
      if (problem !== undefined) return yield* new TransitionCheck.TransitionInvalid({ tick, problem })
      const { type } = body
      if (Vocabulary.isUnknown(vocabularies, type)) unknown.add(type)
    }
    return unknown
  })
  return Object.assign(verify, { head: () => chain.head })
}

const readable = (
  sealed: Transition.Sealed,
  vocabularies: ReadonlyArray<Vocabulary.Vocabulary>
): Result.Result<Transition.Transition, TransitionCheck.TransitionInvalid> =>
  Result.try({
    try: () => TransitionCheck.openUntrusted(sealed, { malformed: Payload.malformed, vocabularies }),
    catch: (cause) => {
      if (Branded.isError(cause, TransitionCheck.TransitionInvalid)) return cause
      throw cause
    }
  })

/** Appends the run's own transitions that the store does not have; answers whether it had all of them. */
const append = Effect.fnUntraced(function* <E, R>(
  own: {
    readonly run: Run.Run
    readonly parent: TraceStore.Parent | undefined
    readonly from: number
    readonly to: number
  },
  transitions: ReadonlyArray<Transition.Sealed>,
  admit: (part: Arriving) => Effect.Effect<void, E, R>
) {
  const store = yield* TraceStore.TraceStore
  const { parent, run, to } = own
  const known = yield* store.info(run)
  let tick = own.from
  if (known !== undefined) {
    // An ancestor may have continued after the fork. The shared part has to be equal.
    tick = Math.min(known.head.tick, to)
    const [standing] = yield* store.read(run, { from: tick, to: tick })
    if (standing !== undefined && standing.link !== transitions[tick - 1]?.link) {
      return yield* new HistoryDiffers({ run: run.id, tick })
    }
  }
  const present = known !== undefined && tick >= to
  const first = transitions[own.from]?.link
  if (tick < to && first !== undefined) yield* admit({ run, first, known: known?.head.tick, ticks: to })
  yield* RecordedAppend.append({
    run,
    expected: headBefore(run, transitions, tick, parent),
    transitions: transitions.slice(tick, to),
    parent: known === undefined ? parent : undefined
  })
  return present
})

const headBefore = (
  run: Run.Run,
  transitions: ReadonlyArray<Transition.Sealed>,
  tick: number,
  parent: TraceStore.Parent | undefined
): HashChain.Head => {
  const sealed = transitions[tick - 1]
  return sealed === undefined
    ? HashChain.genesis(parent === undefined ? run : { ...run, id: parent.id })
    : HashChain.headOf(sealed)
}

/** Packs, initial states and their nodes: everything that a fold of the run needs from a store. */
const blobs = Effect.fnUntraced(function* (transitions: ReadonlyArray<Transition.Sealed>) {
  const store = yield* TraceStore.TraceStore
  const wanted = new Set<Digest.Digest>()
  for (const sealed of transitions) {
    // Only these types name packs and states. The text shows the type without parsing.
    if (!/"type":"run\.(started|fork|migrated)"/.test(sealed.body)) continue
    for (const digest of pinnedTexts(sealed)) wanted.add(digest)
  }
  const found = new Map(yield* store.getBlobs([...wanted]))
  for (const text of [...found.values()]) {
    if (!text.startsWith("backstitch.initial.1\n")) continue
    for (const [digest, node] of yield* readStateNodes(text)) if (node !== undefined) found.set(digest, node)
  }
  return found
})

const ontologyOf = ([first]: ReadonlyArray<Transition.Sealed>): number => {
  const began = first && bodyOf(first)
  const pinned = began && Payload.of(began, "run.started")?.ontology
  return typeof pinned === "number" ? pinned : 1
}
