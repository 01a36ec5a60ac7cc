/**
 * Exercises the undos that a contract declares against a sandbox of its tools, and keeps each as a run of its own.
 *
 * An effect is made as a run would make it, with its key and its readback, and undone by a plan as a recovery would.
 * The trace of the drill is the proof of the undo ({@link UndoProof}). A call needs arguments and a state: a test of
 * the pack that expects the tool to be allowed gives both, and so does the latest recorded success of the tool.
 */
import * as ClauseValues from "@backstitch/contracts/ClauseValues"
import * as Specification from "@backstitch/contracts/Specification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as PackTest from "@backstitch/kernel/PackTest"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as Rules from "@backstitch/reducer/Rules"
import * as AddressLookup from "@backstitch/runtime/AddressLookup"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as UndoProof from "@backstitch/runtime/UndoProof"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RecoveryDrill from "./RecoveryDrill.ts"
import { approved } from "./simulation/approving.ts"

/** A call that makes an effect to undo: its arguments, and the state in which it is proposed. */
export interface Exercise extends UndoProof.Declared {
  readonly params: Canonical.JsonObject
  readonly clauses: Canonical.JsonObject
  readonly initial: Rules.Sections
}

/** The result of a drill: the run that holds it, and the outcome that it ended with. */
export interface Drilled extends UndoProof.Declared {
  readonly run: string
  readonly isUndone: boolean
  readonly outcome: Outcome
}

/**
 * Finds a call for each undo that a pack declares: from the first test of the pack that expects its tool to be
 * allowed, or from a recorded success. If a tool has neither, its undo is reported as missing.
 */
export const exercises = (
  pack: TaskPack.TaskPack,
  recorded: ReadonlyArray<RecoveryDrill.DrilledAction> = []
): ReadonlyArray<Exercise> =>
  UndoProof.declared(pack).flatMap((undo): ReadonlyArray<Exercise> => {
    const test = pack.tests.find(({ expect, subject }) => subject === undo.tool && expect.allowed === true)
    if (test !== undefined) {
      const clauses = Specification.values(pack.specification, test.clauses)
      return [{ ...undo, params: test.args, clauses, initial: PackTest.sectionsOf(pack, test) }]
    }
    const success = recorded.findLast(({ tool }) => tool === undo.tool)
    if (success === undefined) return []
    const { clauses, initial, params } = success
    return [{ ...undo, params: Canonical.objectOf(params), clauses: ClauseValues.fitting(pack, clauses), initial }]
  })

/**
 * Makes an effect and undoes it, in a run of its own that stays in the store. Requests for approval are approved, by
 * "drill". The tools are called: they must be those of a sandbox.
 */
export const carryOut = Effect.fn("UndoDrill.carryOut")(function* (
  tenant: Run.Tenant,
  pack: TaskPack.TaskPack,
  { by, clauses, initial, params, tool }: Exercise
) {
  const coordinator = yield* Coordinator.Coordinator
  const run = Run.make(UndoProof.nameOf(pack, tool, yield* Clock.currentTimeMillis), tenant)
  const goal = `Exercise ${by}, which undoes ${tool}`
  const handle = yield* coordinator.begin(run, { pack, goal, clauses, initial, isDrill: true })
  const proposal: Proposal = { tool, params }
  const made = yield* approved(handle, proposal, yield* handle.propose(proposal))
  const actions = [...SettledActions.of((yield* handle.position).state)].flatMap(([id, each]) =>
    each.tool === tool && each.undo === "standing" ? [id] : []
  )
  if (made._tag !== "Done" || actions.length === 0) return { tool, by, run: run.id, isUndone: false, outcome: made }
  const undo = yield* handle.undo({ actions, because: goal, cause: "revision" })
  const outcome = undo._tag === "Parked" ? yield* approved(handle, proposal, undo) : undo
  const { state } = yield* handle.position
  const isUndone = actions.every((id) => SettledActions.of(state).get(id)?.undo === "undone")
  const drilled: Drilled = { tool, by, run: run.id, isUndone, outcome }
  return drilled
}, Effect.scoped)

/** A request for drills: the pack of the sandbox, if there is one, the undos to exercise, and their arguments. */
export interface DrillRequest {
  readonly sandbox: TaskPack.TaskPack | undefined
  /** Tools whose undo is exercised; all of them if there is none. */
  readonly tools: ReadonlyArray<string>
  /** Runs whose recorded successes give arguments. */
  readonly from: ReadonlyArray<string>
  /** `false` only lists the calls. */
  readonly yes: boolean
}

/** The calls of the drills, and the standing of each undo after them. */
export interface Summary {
  readonly pack: string
  readonly digest: string
  readonly isDry: boolean
  readonly calls: ReadonlyArray<UndoProof.Declared & { readonly params: Canonical.JsonObject }>
  /** Tools whose effect cannot be made, because neither a test nor a recorded success gives arguments. */
  readonly missing: ReadonlyArray<string>
  readonly drills: ReadonlyArray<Drilled>
  readonly proofs: ReadonlyArray<UndoProof.UndoProof>
}

/** Tells whether every undo of the pack is proven. */
export const isProven = ({ proofs }: Summary): boolean => proofs.every(({ standing }) => standing === "proven")

/** Error for a sandbox under another pack than the one whose undos are to be exercised. */
export class SandboxDiffers extends Schema.TaggedError<SandboxDiffers>("@backstitch/release/SandboxDiffers")(
  "SandboxDiffers",
  { pack: Schema.String, sandbox: Schema.String }
) {
  override get message(): string {
    return `The agent is under ${this.sandbox}, and the undos are of ${this.pack}. Name an agent under that pack`
  }
}

/** Error for a tool whose undo is asked for, and that declares none. */
export class UndoUndeclared extends Schema.TaggedError<UndoUndeclared>("@backstitch/release/UndoUndeclared")(
  "UndoUndeclared",
  { pack: Schema.String, tool: Schema.String, declared: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const known = this.declared.length === 0 ? "It declares none" : `It declares those of ${this.declared.join(", ")}`
    return `The pack ${this.pack} declares no undo of ${this.tool}. ${known}`
  }
}

/** Carries out the drills that are asked for, and answers the standing of every undo of a pack. */
export const run = Effect.fn("UndoDrill.run")(function* (
  tenant: Run.Tenant,
  pack: TaskPack.TaskPack,
  asked: DrillRequest
) {
  const { from, sandbox, tools, yes } = asked
  if (sandbox !== undefined && sandbox.digest !== pack.digest) {
    return yield* new SandboxDiffers({ pack: nameOf(pack), sandbox: nameOf(sandbox) })
  }
  const declared = UndoProof.declared(pack).map(({ tool }) => tool)
  for (const tool of tools) {
    if (!declared.includes(tool)) return yield* new UndoUndeclared({ pack: nameOf(pack), tool, declared })
  }
  const recorded = yield* Effect.forEach(from, (id) =>
    Effect.flatMap(AddressLookup.whole(id, tenant), RecoveryDrill.subjects)
  )
  const wanted = ({ tool }: UndoProof.Declared) => sandbox !== undefined && (tools.length === 0 || tools.includes(tool))
  const calls = exercises(pack, recorded.flat()).filter(wanted)
  const drills = yes ? yield* Effect.forEach(calls, (each) => carryOut(tenant, pack, each)) : []
  const proofs = yield* UndoProof.all(tenant, pack, yield* Clock.currentTimeMillis)
  const summary: Summary = {
    pack: `${pack.id} ${pack.version}`,
    digest: pack.digest,
    isDry: calls.length > 0 && !yes,
    calls: calls.map(({ by, params, tool }) => ({ tool, by, params })),
    missing: UndoProof.declared(pack)
      .filter((each) => wanted(each) && calls.every(({ tool }) => tool !== each.tool))
      .map(({ tool }) => tool),
    drills,
    proofs
  }
  return summary
})

const nameOf = ({ digest, id, version }: TaskPack.TaskPack): string => `${id} ${version} (${digest.slice(0, 12)}…)`
