/**
 * Keeps apart the runs that somebody sent over a network: they are evidence, and nobody acts on them here.
 *
 * The chain of a trace proves that its bytes belong together, and not who has written them. Whoever has a run can
 * continue it elsewhere with a decision in any name. So a run that was sent is noted as evidence before its first
 * transition is stored, and no import over a network continues a run that the store has already. The note names the
 * link of the first transition, so another run of the same name is not meant by it.
 */
import type * as Export from "@backstitch/trace/Export"
import * as Notes from "@backstitch/trace/Notes"
import type * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as ShownText from "@backstitch/wording/ShownText"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RunExport from "./RunExport.ts"

/** Error for an import over a network that would continue a run of the store. */
export class ImportContinues extends Schema.TaggedError<ImportContinues>("@backstitch/runtime/ImportContinues")(
  "ImportContinues",
  { run: Schema.String, tick: Schema.Natural, ticks: Schema.Natural }
) {
  override get message(): string {
    return (
      `Run ${this.run} is in the store up to tick ${this.tick}, and the file has ${this.ticks} ticks. A run is not ` +
      "continued from outside: an operator with access to the store imports the file from the command line"
    )
  }
}

/** Error for an act on a run that was sent over a network, or on a fork of one. */
export class RunForeign extends Schema.TaggedError<RunForeign>("@backstitch/runtime/RunForeign")("RunForeign", {
  run: Schema.String,
  /** The run that was sent: this one, or an ancestor of it. */
  sent: Schema.String,
  by: Schema.String,
  /** Epoch milliseconds. */
  at: Schema.Number
}) {
  override get message(): string {
    const which = this.sent === this.run ? `Run ${this.run}` : `Run ${this.run} is a fork of run ${this.sent}, which`
    return (
      `${which} was imported by ${this.by} at ${ShownText.moment(this.at)}. It is evidence, and nothing acts ` +
      "on it here until an operator with access to the store imports the same file from the command line"
    )
  }
}

const Text = Schema.fromJsonString(Schema.Struct({ at: Schema.Number, by: Schema.String, run: Schema.String }))
const decode = Notes.reader(Text)
const encode = Schema.encodeSync(Text)

const placeOf = ({ tenant }: Run.Run, link: string): Notes.NoteName => ({ tenant, kind: "evidence", name: link })

/** Imports a run as evidence, in the name of the caller. A run that the store has as long is answered as present. */
export const importRun = Effect.fn("EvidenceRun.importRun")(function* (
  exported: Export.Export,
  { by, tenant }: { readonly by: string; readonly tenant: Run.Tenant }
) {
  const notes = yield* Notes.Notes
  const at = yield* Clock.currentTimeMillis
  return yield* RunExport.importRun(exported, {
    tenant,
    admit: Effect.fnUntraced(function* ({ first, known, run, ticks }) {
      if (known !== undefined) return yield* new ImportContinues({ run: run.id, tick: known, ticks })
      yield* notes.put({ ...placeOf(run, first), text: encode({ at, by, run: run.id }) })
    })
  })
})

/** Refuses to act on a run that was imported as evidence, or that is a fork of such a run. */
export const refuse = Effect.fn("EvidenceRun.refuse")(function* (run: Run.Run) {
  const store = yield* TraceStore.TraceStore
  const notes = yield* Notes.Notes
  let info = yield* store.info(run)
  while (info !== undefined) {
    const link = yield* firstOf(info)
    const note = link === undefined ? undefined : yield* notes.find(placeOf(run, link))
    if (note !== undefined) {
      const { at, by } = yield* Effect.fromResult(decode(note))
      return yield* new RunForeign({ run: run.id, sent: info.run.id, by, at })
    }
    info = info.parent && (yield* store.info({ tenant: run.tenant, id: info.parent.id }))
  }
})

/** Takes a run for one of this store, and its ancestors, where the file has them as long as the store. */
export const vouch = Effect.fn("EvidenceRun.vouch")(function* ({ lineage, run, transitions }: Export.Export) {
  const store = yield* TraceStore.TraceStore
  const notes = yield* Notes.Notes
  for (const { id, tick } of [...lineage, { id: run.id, tick: transitions.length }]) {
    const info = yield* store.info({ tenant: run.tenant, id })
    if (info === undefined || info.head.tick !== tick) continue
    const link = yield* firstOf(info)
    if (link !== undefined) yield* notes.remove(placeOf(run, link))
  }
})

/** The link of the first transition that is a run's own. */
const firstOf = Effect.fnUntraced(function* ({ parent, run }: TraceStore.RunInfo) {
  const tick = (parent?.tick ?? 0) + 1
  const [own] = yield* (yield* TraceStore.TraceStore).read(run, { from: tick, to: tick })
  return own?.link
})
