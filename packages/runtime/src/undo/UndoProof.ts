/**
 * Proofs of undos: drill runs in which an effect was made and undone, each step confirmed by the system of record.
 *
 * A pack declares the call that undoes a tool's effect. Before a drill the declaration is unproven. A drill is a
 * run like any other, so its trace is the proof, and `verify` checks it. A proof counts for the contracts under which
 * the drill was run: those of the tool and of the tool that undoes it.
 *
 * | standing | the latest drill of the undo |
 * | --- | --- |
 * | `proven` | undid the effect, under the same contracts |
 * | `stale` | undid it, but longer ago than the contract accepts |
 * | `changed` | undid it, but under other contracts |
 * | `failed` | did not undo the effect |
 * | `never` | there is no drill |
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Limits from "../Limits.ts"

/** The standing of an undo, by its latest drill. */
export type Proof = keyof Words["rollbacks"]["proofs"]

/** An undo that a pack declares. */
export interface Declared {
  readonly tool: string
  readonly by: string
}

/** A declared undo, with its standing and its latest drill. `at` is the end of that drill, in epoch milliseconds. */
export interface UndoProof extends Declared {
  readonly standing: Proof
  readonly drill?: { readonly run: string; readonly at: number; readonly pack: string } | undefined
}

/** Error for a run under a pack that demands proofs of its undos, and does not have all of them. */
export class UndoUnproven extends Schema.TaggedError<UndoUnproven>("@backstitch/runtime/UndoUnproven")("UndoUnproven", {
  run: Schema.String,
  pack: Schema.String,
  undos: Schema.Array(Schema.Struct({ tool: Schema.String, by: Schema.String, standing: Schema.String }))
}) {
  override get message(): string {
    const lines = this.undos.map(({ by, standing, tool }) => `  ${tool}, undone by ${by}: ${standing}`)
    return (
      `Run ${this.run} was not begun: ${this.pack} demands that each undo has passed a drill lately, and these have not\n` +
      `${lines.join("\n")}\nDrill them against a sandbox of the tools, and begin the run again`
    )
  }
}

/** Lists the undos that a pack declares, by the name of their tool. */
export const declared = ({ tools }: Pick<TaskPack.TaskPack, "tools">): ReadonlyArray<Declared> =>
  Object.values(tools)
    .flatMap((contract) =>
      ToolContract.isReversible(contract) ? [{ tool: contract.name, by: contract.undo.by! }] : []
    )
    .sort((one, other) => (one.tool < other.tool ? -1 : 1))

/** The name of a drill run that begins at the given time. By these names the drills of one undo are listed in order. */
export const nameOf = (pack: Pick<TaskPack.TaskPack, "id">, tool: string, at: number): string =>
  `${prefixOf(pack, tool)}${new Date(at).toISOString().replaceAll(/[-:.]/g, "")}`

const prefixOf = ({ id }: Pick<TaskPack.TaskPack, "id">, tool: string): string => `drill.${id}.${tool}.`

/** Answers the standing of each undo that a pack declares, at a time in epoch milliseconds. */
export const all = Effect.fn("UndoProof.all")(function* (tenant: Run.Tenant, pack: TaskPack.TaskPack, now: number) {
  return yield* Effect.forEach(declared(pack), (undo) => of(tenant, { pack, undo, now }))
})

/** Answers the standing of each undo that the pack of a run declares; none if no pack is in force. */
export const ofRun = Effect.fnUntraced(function* (run: Run.Run, now: number) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head, state } = yield* history.at(run)
  const pack = yield* library.inForce(state, head.tick)
  return pack === undefined ? [] : yield* all(run.tenant, pack, now)
})

/** Fails if a pack demands proofs of its undos and one of them is not proven. */
export const demand = Effect.fnUntraced(function* (run: Run.Run, pack: TaskPack.TaskPack, now: number) {
  const wanted = declared(pack).filter(({ tool }) => pack.tools[tool]?.undo.proofMillis !== undefined)
  const proofs = yield* Effect.forEach(wanted, (undo) => of(run.tenant, { pack, undo, now }))
  const undos = proofs.flatMap(({ by, standing, tool }) => (standing === "proven" ? [] : [{ tool, by, standing }]))
  if (undos.length > 0) {
    return yield* new UndoUnproven({ run: run.id, pack: `${pack.id} ${pack.version}`, undos })
  }
})

const of = Effect.fnUntraced(function* (
  tenant: Run.Tenant,
  { now, pack, undo }: { readonly pack: TaskPack.TaskPack; readonly undo: Declared; readonly now: number }
): Effect.fn.Return<
  UndoProof,
  History.HistoryError,
  TraceStore.TraceStore | History.History | PackLibrary.PackLibrary
> {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const latest = yield* latestOf(tenant, prefixOf(pack, undo.tool))
  if (latest === undefined) return { ...undo, standing: "never" }
  const { asOf, head, state } = yield* history.at(latest.run, latest.head.tick)
  const drilled = yield* library.inForce(state, head.tick)
  const isUndone = [...SettledActions.of(state).values()].some(
    (each) => each.tool === undo.tool && each.undo === "undone"
  )
  const { proofMillis } = TaskPack.tool(pack, undo.tool).undo
  const isStale = proofMillis !== undefined && now - asOf > proofMillis
  const standing = !isUndone ? "failed" : !isSame(pack, drilled, undo) ? "changed" : isStale ? "stale" : "proven"
  return { ...undo, standing, drill: { run: latest.run.id, at: asOf, pack: drilled?.digest ?? "" } }
})

const latestOf = Effect.fnUntraced(function* (tenant: Run.Tenant, prefix: string) {
  const store = yield* TraceStore.TraceStore
  let latest: TraceStore.RunInfo | undefined
  let after = Run.make(prefix.slice(0, -1), tenant).id
  for (;;) {
    const page = yield* store.runs(tenant, { after, limit: Limits.pacing.pageRowsMax })
    const own = page.filter(({ run }) => run.id.startsWith(prefix))
    latest = own.at(-1) ?? latest
    if (own.length < Limits.pacing.pageRowsMax) return latest
    after = own.at(-1)!.run.id
  }
})

/** Tells whether a pack declares the same contracts for an undo as another. */
const isSame = (one: TaskPack.TaskPack, other: TaskPack.TaskPack | undefined, { by, tool }: Declared): boolean =>
  [tool, by].every((name) => {
    const [mine, theirs] = [one, other].map((pack) => Canonical.objectOf(pack?.definition["tools"])[name])
    return mine !== undefined && theirs !== undefined && Canonical.equals(withoutProof(mine), withoutProof(theirs))
  })

/** The accepted age of a proof is left out, because it changes nothing about the undo. */
const withoutProof = (contract: Canonical.Json): Canonical.Json => {
  const { undo, ...rest } = Canonical.objectOf(contract)
  if (undo === undefined || typeof undo === "string") return contract
  const { proof: _, ...own } = Canonical.objectOf(undo)
  return { ...rest, undo: own }
}
