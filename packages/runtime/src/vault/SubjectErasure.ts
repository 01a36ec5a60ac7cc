/**
 * Erases a person's data: the keys of a subject with all values sealed under them, in one run, in all runs, or for
 * all subjects of a tenant.
 *
 * The erasure is committed first, in each run whose trace has a commitment to an erased value. It reveals nothing
 * about the value. Then keys and ciphertexts are destroyed, and the files of the store are rewritten. An erasure that
 * was stopped at any point is finished by the same call. No committed byte changes, so every chain verifies and every
 * state folds as before.
 *
 * @source docs/decisions/0028
 */
import * as Payload from "@backstitch/kernel/Payload"
import type { Digest } from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import * as Vault from "@backstitch/trace/Vault"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Limits from "../Limits.ts"
import * as Coordinator from "../run/Coordinator.ts"
import * as Sealing from "../sealing/Sealing.ts"

/** The scope of an erasure: one subject or everybody, in the lineage of one run or in all. */
export interface ErasureScope {
  readonly tenant: Tenant
  readonly subject?: string | undefined
  readonly run?: Run | undefined
}

/** The part of one run in an erasure. */
export interface Concerned {
  readonly run: Run
  /** Commitments in its trace whose values exist. */
  readonly values: ReadonlyArray<Digest>
  /** Those of them that its trace does not call erased yet. */
  readonly unrecorded: ReadonlyArray<Digest>
}

/** The plan of an erasure: keys, all values sealed under them, and the runs whose traces have commitments to these. */
export interface ErasurePlan {
  readonly wanted: ErasureScope
  readonly reach: Reach
  readonly keys: ReadonlyArray<string>
  readonly values: number
  readonly runs: ReadonlyArray<Concerned>
  /** An earlier erasure was stopped after its keys were deleted: the files of the store are to be rewritten. */
  readonly isStopped: boolean
  /** Other lineages in which an act has an equal value: whoever reads the value there knows the erased one. */
  readonly sharing: ReadonlyArray<string>
}

/**
 * The reach of an erasure as it is committed: a subject in a lineage, all subjects of a lineage, a subject, or a
 * tenant.
 */
export type Reach = "subject_in_run" | "run" | "subject" | "tenant"

/** Finds what an erasure would destroy. Nothing changes. */
export const plan = Effect.fn("SubjectErasure.plan")(function* (wanted: ErasureScope) {
  const { run, subject, tenant } = wanted
  const history = yield* History.History
  const sealing = yield* Sealing.Sealing
  const vault = yield* Vault.Vault
  const isStopped = yield* vault.isStopped(tenant)
  // If nothing is sealed, no subject is computed, and no key is needed.
  if ((yield* vault.keys(tenant, {})).length === 0) return { ...nothing(wanted), isStopped }
  const lineage = run === undefined ? undefined : (yield* history.root(run)).id
  const named = subject === undefined ? undefined : yield* sealing.subject(tenant, subject)
  const keys = yield* vault.keys(tenant, { run: lineage, subject: named })
  const ids = keys.map(({ id }) => id)
  const { runs, values } = yield* concerned(tenant, keys)
  const sharing = [...new Set((yield* vault.sharing(tenant, ids)).map((key) => key.run))]
  const found: ErasurePlan = { wanted, reach: reachOf(wanted), keys: ids, values, runs, isStopped, sharing }
  return found
})

/** Counts the values under keys, and lists the runs whose traces have commitments to them. */
const concerned = Effect.fnUntraced(function* (tenant: Tenant, keys: ReadonlyArray<Vault.SubjectKey>) {
  const history = yield* History.History
  const store = yield* TraceStore.TraceStore
  const vault = yield* Vault.Vault
  const ids = keys.map(({ id }) => id)
  const sealed = new Set(yield* vault.sealedUnder(tenant, ids))
  const lineages = new Set(keys.map((key) => key.run))
  const runs: Array<Concerned> = []
  for (const each of keys.length === 0 ? [] : yield* store.runs(tenant)) {
    if (!lineages.has((yield* history.root(each.run)).id)) continue
    const { erased, named } = yield* commitmentsOf(each.run)
    const values = [...named].filter((commitment) => sealed.has(commitment)).sort()
    if (values.length === 0) continue
    runs.push({ run: each.run, values, unrecorded: values.filter((commitment) => !erased.has(commitment)) })
  }
  return { values: sealed.size, runs }
})

const nothing = (wanted: ErasureScope): Omit<ErasurePlan, "isStopped"> => ({
  wanted,
  reach: reachOf(wanted),
  keys: [],
  values: 0,
  runs: [],
  sharing: []
})

const reachOf = ({ run, subject }: ErasureScope): Reach =>
  run === undefined ? (subject === undefined ? "tenant" : "subject") : subject === undefined ? "run" : "subject_in_run"

/** Lists the commitments of a trace, and those that it calls erased. */
export const commitmentsOf = Effect.fnUntraced(function* (run: Run) {
  const store = yield* TraceStore.TraceStore
  const named = new Set<Digest>()
  const erased = new Set<string>()
  for (let from = 1; ; from += Limits.pacing.pageRowsMax) {
    const page = yield* store.read(run, { from, limit: Limits.pacing.pageRowsMax })
    for (const { body } of page) {
      for (const commitment of SealedValue.commitmentsIn(body)) named.add(commitment)
      if (body.includes('"sealed.erased"')) for (const commitment of erasedIn(body)) erased.add(commitment)
    }
    if (page.length < Limits.pacing.pageRowsMax) return { named, erased }
  }
})

const erasedIn = (text: string): ReadonlyArray<string> => {
  return Payload.of(JsonText.read(text) as Transition.Body, "sealed.erased")?.values ?? []
}

/**
 * The result of an erasure. `unrecorded` lists runs in whose traces it could not be committed, each with the reason.
 */
export interface Erased {
  readonly keys: number
  readonly values: number
  readonly runs: ReadonlyArray<{ readonly run: string; readonly tick: number; readonly values: number }>
  readonly unrecorded: ReadonlyArray<{ readonly run: string; readonly why: string }>
  readonly sharing: ErasurePlan["sharing"]
}

/**
 * Commits an erasure, and carries it out. A run that cannot be written does not prevent it. Values that were sealed
 * after the plan was made are erased with their keys, and committed, too.
 */
export const erase = Effect.fn("SubjectErasure.erase")(function* (
  planned: ErasurePlan,
  said: { readonly by: string; readonly reason: string; readonly as: "institution" | "user" }
) {
  const { keys, reach, sharing, wanted } = planned
  const vault = yield* Vault.Vault
  const runs: Array<Erased["runs"][number]> = []
  const unrecorded = new Map<string, string>()
  const recordIn = Effect.fnUntraced(function* ({ run, unrecorded: values }: Concerned) {
    if (values.length === 0) return
    const recorded = yield* Effect.result(record(run, { ...said, reach, values }))
    if (recorded._tag === "Failure") unrecorded.set(run.id, recorded.failure.message)
    else {
      unrecorded.delete(run.id)
      runs.push({ run: run.id, tick: recorded.success, values: values.length })
    }
  })
  for (const each of planned.runs) yield* recordIn(each)
  const present = (yield* vault.keys(wanted.tenant, {})).filter(({ id }) => keys.includes(id))
  const since = yield* concerned(wanted.tenant, present)
  for (const each of since.runs) yield* recordIn(each)
  yield* vault.erase(wanted.tenant, keys)
  const erased: Erased = {
    keys: keys.length,
    values: Math.max(planned.values, since.values),
    runs,
    unrecorded: [...unrecorded].map(([run, why]) => ({ run, why })),
    sharing
  }
  return erased
})

const record = (
  run: Run,
  about: {
    readonly by: string
    readonly reason: string
    readonly as: "institution" | "user"
    readonly reach: Reach
    readonly values: ReadonlyArray<Digest>
  }
) =>
  Effect.gen(function* () {
    const { as: author, ...data } = about
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.reopen(run)
    const outcome = yield* handle.propose({ type: "sealed.erased", author, data })
    if (outcome._tag === "Done") return outcome.tick
    return yield* Effect.fail(new Error(Wording.why(outcome)))
  }).pipe(Effect.scoped)
