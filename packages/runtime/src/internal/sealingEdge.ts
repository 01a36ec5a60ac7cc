/**
 * The edge of one run at which values are sealed and opened: proposals and
 * answers on the way in, requests on the way out.
 *
 * What a contract declares as sensitive is sealed. What it does not describe
 * at all is searched for the text of what the same call has sealed, as tools
 * repeat what they were given in messages and errors, and that is cut out.
 *
 * @since 0.1.0
 */
import * as Field from "@backstitch/contracts/Field"
import * as Normaliser from "@backstitch/contracts/Normaliser"
import * as Sensitive from "@backstitch/contracts/Sensitive"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Evidence } from "@backstitch/kernel/Evidence"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Sealing from "../Sealing.ts"
import type * as ToolExecutor from "../ToolExecutor.ts"
import { type Carried, concealed, concealedReason, mark } from "./concealing.ts"

/** What can go wrong at the edge. */
export type EdgeError = Sealing.SealedValueGone | Sealing.SealingError | Sealing.SealingUnavailable

/** A request in clear, with what it carries of sealed values. */
export interface Opened {
  readonly request: ToolExecutor.Request
  readonly carried: Carried
}

type Pack = TaskPack.TaskPack | undefined

/** Makes the edge of a run. `isRecorded`: answers come from a record, in which everything is sealed already. */
export const make = (options: {
  readonly run: Run
  readonly lineage: string
  readonly isRecorded: boolean
  readonly sealing: Sealing.Sealing["Service"] | undefined
}) => {
  const { isRecorded, lineage, run, sealing } = options
  const { tenant } = run

  const available: Effect.Effect<Sealing.Sealing["Service"], Sealing.SealingUnavailable> =
    sealing === undefined ? Effect.fail(new Sealing.SealingUnavailable({ run: run.id })) : Effect.succeed(sealing)

  /** Opens the sealed values in the sensitive fields of a record; `undefined` for one that is gone. */
  const opened = Effect.fnUntraced(function* (field: Field.Field, json: Json) {
    const values = Sensitive.find(field, json, {}).map(({ value }) => value)
    const sealed = values.filter(SealedValue.isSealedValue)
    if (sealed.length === 0) return { json, sealed, known: new Map<Digest, Sealing.Opened>() }
    const service = yield* available
    const known = yield* service.open(
      tenant,
      sealed.map(({ $sealed }) => $sealed)
    )
    const plain = values.map((value) =>
      SealedValue.isSealedValue(value) ? (known.get(value.$sealed)?.value ?? (value as Json)) : value
    )
    return { json: Sensitive.replace(field, json, plain), sealed, known }
  })

  /** Seals the sensitive values of a record in clear. `subjects` are those that are known already, by place. */
  const sealed = Effect.fnUntraced(function* (about: {
    readonly field: Field.Field
    readonly json: Json
    readonly found: ReadonlyArray<Sensitive.Found>
    readonly subjects: ReadonlyArray<Digest>
    readonly contract?: ToolContract.ToolContract | undefined
  }) {
    const { contract, field, found, json, subjects } = about
    const service = yield* available
    const recognised = found.map((each) => (contract === undefined ? unrecognised : recognition(contract, each)))
    const committed = yield* service.seal(
      { tenant, run: lineage },
      found.map((each, index) => ({
        subject: subjects[index]!,
        value: each.value,
        shown: each.declared.planner === true,
        identity: recognised[index]?.identity
      }))
    )
    const values = committed.map(({ commitment, identity }, index) =>
      Sensitive.sealedAs(found[index]!, commitment, { identity, unfit: recognised[index]?.unfit === true })
    )
    const carried: Carried = found.map(({ value }, index) => ({ value, sealed: values[index]! }))
    return { json: Sensitive.replace(field, json, values), carried }
  })

  const proposedIn = Effect.fnUntraced(function* (
    proposal: Proposal,
    about: {
      readonly field: Field.Field & { readonly type: "object" }
      readonly contract?: ToolContract.ToolContract
      readonly isOwn: boolean
    }
  ): Effect.fn.Return<Result.Result<Proposal, string>, EdgeError> {
    const { contract, field, isOwn } = about
    const given = (contract === undefined ? proposal.data : proposal.params) ?? {}
    const before = Sensitive.find(field, given, {}).map(({ value }) => value)
    const handles = before.map((value) => (SealedValue.isSealedValue(value) ? value.$sealed : undefined))
    if (isRecorded && handles.every((handle) => handle !== undefined)) return Result.succeed(proposal)
    const { json, known } = yield* opened(field, given)
    const unknown = handles.find((handle) => {
      const run = handle === undefined ? lineage : known.get(handle)?.run
      return run === undefined || (isOwn && run !== lineage)
    })
    if (unknown !== undefined) return Result.fail(`a sealed value that this run does not have: ${unknown}`)
    const found = Sensitive.find(field, json, { args: json })
    const service = yield* available
    const subjects: Array<Digest> = []
    for (const [index, each] of found.entries()) {
      const handle = handles[index]
      const subject = handle === undefined ? Sensitive.subjectOf(each) : undefined
      if (subject !== undefined && Result.isFailure(subject)) {
        return Result.fail(`a sensitive value of which ${subject.failure}`)
      }
      subjects.push(
        subject === undefined ? known.get(handle!)!.subject : yield* service.subject(tenant, subject.success)
      )
    }
    const { carried, json: safe } = yield* sealed({ field, json, found, subjects, contract })
    const { description, uncertainty } = proposal
    const shut = concealed(field, contract?.known === true ? closed(field, safe) : safe, carried)
    return Result.succeed({
      ...proposal,
      ...(contract === undefined ? { data: shut as JsonObject } : { params: shut }),
      ...(description === undefined ? {} : { description: String(concealed(undefined, description, carried)) }),
      ...(uncertainty === undefined ? {} : { uncertainty: String(concealed(undefined, uncertainty, carried)) })
    })
  })

  return {
    /** Seals what a proposal declares as sensitive; a reason where it is refused for what it declares so. */
    proposal: (
      pack: Pack,
      proposal: Proposal,
      { isOwn }: { readonly isOwn: boolean }
    ): Effect.Effect<Result.Result<Proposal, string>, EdgeError> => {
      const type = proposal.type ?? "action.request"
      const contract = type === "action.request" ? TaskPack.tool(pack, proposal.tool ?? "") : undefined
      if (pack === undefined) return Effect.succeed(Result.succeed(proposal))
      const asked = contract?.known === false ? Sensitive.argumentsOf(pack) : contract?.input
      const field = Field.object(asked ?? pack.transitions[type]?.data ?? {})
      if (!Sensitive.isIn(field)) return Effect.succeed(Result.succeed(proposal))
      return proposedIn(proposal, { field, isOwn, ...(contract === undefined ? {} : { contract }) })
    },

    /** Opens what a tool has to know. */
    request: Effect.fnUntraced(function* (
      pack: Pack,
      request: ToolExecutor.Request
    ): Effect.fn.Return<Opened, EdgeError> {
      const contract = TaskPack.tool(pack, request.tool)
      const input = Field.object(contract.input)
      const output: Field.Field = contract.output ?? { type: "json" }
      if (isRecorded || (!Sensitive.isIn(input) && !Sensitive.isIn(output))) return { request, carried: [] }
      const params = yield* opened(input, request.params)
      const observed = yield* opened(output, request.observed ?? null)
      const all = [...params.sealed, ...observed.sealed]
      const known = new Map([...params.known, ...observed.known])
      const gone = all.filter(({ $sealed }) => !known.has($sealed))
      if (gone.length > 0) {
        const { action, tool } = request
        const commitments = [...new Set(gone.map(({ $sealed }) => $sealed))]
        return yield* new Sealing.SealedValueGone({ run: run.id, action, tool, commitments })
      }
      const carried = all.map((each) => ({ value: known.get(each.$sealed)!.value, sealed: each }))
      const open = { ...request, params: params.json }
      return { request: request.observed === undefined ? open : { ...open, observed: observed.json }, carried }
    }),

    /** Seals what came back, and cuts out what it repeats of what was sent. */
    evidence: Effect.fnUntraced(function* (
      pack: Pack,
      { carried, request }: Opened,
      evidence: Evidence
    ): Effect.fn.Return<Evidence, EdgeError> {
      if (isRecorded) return evidence
      switch (evidence._tag) {
        case "Error":
          return { ...evidence, error: concealed(undefined, evidence.error, carried) }
        case "Unknown":
          return { ...evidence, reason: concealedReason(evidence.reason, carried) }
        case "NotFound":
        case "Pending":
          return evidence
        default: {
          const field = TaskPack.tool(pack, request.tool).output
          if (field === undefined || !Sensitive.isIn(field)) {
            return { ...evidence, output: concealed(field, evidence.output, carried) }
          }
          const { output } = evidence
          const found = Sensitive.find(field, output, { args: request.params, observed: output, actual: output })
          const service = yield* available
          // An answer is kept whatever it is about: of nobody who can be named it is sealed all the same.
          const subjects = yield* Effect.forEach(found, (each) =>
            service.subject(
              tenant,
              Result.getOrElse(Sensitive.subjectOf(each), () => "")
            )
          )
          const own = yield* sealed({ field, json: output, found, subjects })
          return { ...evidence, output: concealed(field, own.json, [...carried, ...own.carried]) }
        }
      }
    })
  }
}

/** The edge of one run. */
export type SealingEdge = ReturnType<typeof make>

/** What a contract does not name is refused, and may be a sensitive value under another name: its text is not kept. */
const closed = (field: Field.Field & { readonly type: "object" }, json: Json): Json =>
  Canonical.isObject(json)
    ? Object.fromEntries(
        Object.entries(json).map(([name, each]) => [name, Object.hasOwn(field.fields, name) ? each : mark])
      )
    : mark

interface Recognition {
  readonly identity: Sealing.Plain["identity"]
  readonly unfit: boolean
}

const unrecognised: Recognition = { identity: undefined, unfit: false }

/**
 * By what a sealed argument is recognised: a field of the identity by its normal form, another by what it is. What has
 * no normal form is none that its field could have.
 */
const recognition = (contract: ToolContract.ToolContract, { name, value }: Sensitive.Found): Recognition => {
  const { identity, input } = contract
  if (identity === undefined) return unrecognised
  const across = identity.scope !== "run"
  const declared = identity.fields.find(({ field }) => field === name)
  if (declared === undefined) {
    return across ? { identity: { request: Normaliser.compose(value), across }, unfit: false } : unrecognised
  }
  const normal = Normaliser.read(declared.normaliser, value, input[declared.field])
  if (Result.isFailure(normal)) return { identity: undefined, unfit: true }
  return { identity: { key: normal.success.key, request: normal.success.spelling, across }, unfit: false }
}
