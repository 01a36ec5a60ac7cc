/**
 * The edge of one run at which values are sealed and opened: proposals and answers are sealed on the way in, requests
 * are opened on the way out.
 *
 * Values that a contract declares as sensitive are sealed. Tools repeat their input in messages and errors. So the text
 * that others send about an action with such fields is sealed as a whole, where no field of it is declared. Its key is
 * that of the one person whom the fields are about. If they are about several people, the text is not kept.
 */
import * as ContextHash from "@backstitch/contracts/ContextHash"
import * as Normaliser from "@backstitch/contracts/Normaliser"
import * as Sensitive from "@backstitch/contracts/Sensitive"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Finding from "@backstitch/kernel/Finding"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Run } from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as ToolExecutor from "../ports/ToolExecutor.ts"
import { closed, type Hide, mark, refusal, silence, undeclared } from "../sealing/concealing.ts"
import * as Sealing from "../sealing/Sealing.ts"

/** Errors of sealing and opening at the edge. */
export type EdgeError = Sealing.SealedValueGone | Sealing.SealingError | Sealing.SealingUnavailable

/** A request in clear, with the sealed values that it contains. */
export interface OpenedRequest {
  readonly request: ToolExecutor.ToolRequest
  readonly carried: ReadonlyArray<Json>
}

/** A tool or a type: its fields, and the values from which their subjects are read. */
interface About {
  readonly fields: ReadonlyArray<Field.Field>
  readonly bindings: Expression.Bindings
}

type Pack = TaskPack.TaskPack | undefined

/** Makes the edge of a run. With `isRecorded`, answers come from a record in which everything is sealed already. */
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

  /** Opens the sealed values in the sensitive fields of a record; `undefined` if one of them is gone. */
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

  /** Seals the sensitive values of a record in clear. `subjects` are the subjects known already, by place. */
  const sealed = Effect.fnUntraced(function* (about: {
    readonly field: Field.Field
    readonly json: Json
    readonly found: ReadonlyArray<Sensitive.SensitiveValue>
    readonly subjects: ReadonlyArray<Digest>
    readonly contract?: ToolContract.ToolContract | undefined
  }) {
    const { contract, field, found, json, subjects } = about
    if (found.length === 0) return json
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
    return Sensitive.replace(field, json, values)
  })

  /** The one person whom sensitive fields are about, as far as the values in clear tell. */
  const personOf = Effect.fnUntraced(function* ({ bindings, fields }: About) {
    const declared = fields.flatMap(Sensitive.declaredIn)
    const names = new Set(
      declared.map((each) => Result.getOrElse(Sensitive.subjectOf({ bindings, declared: each }), () => undefined))
    )
    const [name] = names
    if (names.size !== 1 || name === undefined) return undefined
    return yield* (yield* available).subject(tenant, name)
  })

  /**
   * Seals each value to be hidden as a whole. A value about several people, or about nobody who is known, is not
   * kept.
   */
  const hiding = Effect.fnUntraced(function* <A>(about: About, apply: (hide: Hide) => A) {
    const values: Array<Json> = []
    const as = apply((value) => {
      values.push(value)
      return value
    })
    if (values.length === 0) return as
    const subject = yield* personOf(about)
    if (subject === undefined) return apply(() => mark)
    const shown = about.fields.flatMap(Sensitive.declaredIn).every(({ planner }) => planner === true)
    const plain = values.map((value) => ({ subject, value, shown }))
    const committed = yield* (yield* available).seal({ tenant, run: lineage }, plain)
    let index = 0
    return apply(() => ({ $sealed: committed[index++]!.commitment }))
  })

  const proposedIn = Effect.fnUntraced(function* (
    proposal: Proposal,
    about: {
      readonly field: Field.Field & { readonly type: "object" }
      readonly fields: ReadonlyArray<Field.Field>
      readonly contract?: ToolContract.ToolContract
      readonly isOwn: boolean
    }
  ): Effect.fn.Return<Result.Result<Proposal, string>, EdgeError> {
    const { contract, field, fields, isOwn } = about
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
    const bindings = { args: json }
    const found = Sensitive.find(field, json, bindings)
    const subjects: Array<Digest> = []
    for (const [index, each] of found.entries()) {
      const handle = handles[index]
      const subject = handle === undefined ? Sensitive.subjectOf(each) : undefined
      if (subject !== undefined && Result.isFailure(subject)) {
        return Result.fail(`a sensitive value of which ${subject.failure}`)
      }
      subjects.push(
        subject === undefined ? known.get(handle!)!.subject : yield* (yield* available).subject(tenant, subject.success)
      )
    }
    const safe = yield* sealed({ field, json, found, subjects, contract })
    const carried = found.map(({ value }) => value)
    const kept = yield* hiding({ fields, bindings }, (hide) =>
      contract === undefined
        ? ofType(proposal.type ?? "", field, safe, hide)
        : closed(field.fields, safe, { carried, hide })
    )
    return Result.succeed({
      ...proposal,
      ...(contract === undefined ? { data: kept as JsonObject } : { params: kept })
    })
  })

  /** Seals an answer. An answer is never refused, even if its subject is unknown. */
  const answered = Effect.fnUntraced(function* (field: Field.Field, json: Json, bindings: Expression.Bindings) {
    const found = Sensitive.find(field, json, bindings)
    const subjects = yield* Effect.forEach(found, (each) =>
      Effect.flatMap(available, (service) =>
        service.subject(
          tenant,
          Result.getOrElse(Sensitive.subjectOf(each), () => "")
        )
      )
    )
    return yield* sealed({ field, json, found, subjects })
  })

  /** Decrypts the arguments of a request, and the values that were observed. */
  const requested = Effect.fnUntraced(function* (
    request: ToolExecutor.ToolRequest,
    { input, output = { type: "json" } }: Pick<ToolContract.ToolContract, "input" | "output">
  ) {
    const params = yield* opened(Field.object(input), request.params)
    const observed = yield* opened(output, request.observed ?? null)
    const all = [...params.sealed, ...observed.sealed]
    const known = new Map([...params.known, ...observed.known])
    const gone = all.filter(({ $sealed }) => !known.has($sealed))
    if (gone.length > 0) {
      const { action, tool } = request
      const commitments = [...new Set(gone.map(({ $sealed }) => $sealed))]
      return yield* new Sealing.SealedValueGone({ run: run.id, action, tool, commitments })
    }
    const carried = all.map((each) => known.get(each.$sealed)!.value)
    const open = { ...request, params: params.json }
    return { request: request.observed === undefined ? open : { ...open, observed: observed.json }, carried }
  })

  /** Seals an answer of a tool that declares sensitive fields. */
  const told = Effect.fnUntraced(function* (
    { carried, request }: OpenedRequest,
    evidence: Evidence,
    { fields, output: field }: Pick<About, "fields"> & { readonly output: Field.Field | undefined }
  ): Effect.fn.Return<Evidence, EdgeError> {
    const asked = { fields, bindings: { args: request.params } }
    switch (evidence._tag) {
      case "Error":
        return { ...evidence, error: yield* hiding(asked, (hide) => refusal(evidence.error, carried, hide)) }
      case "Unknown": {
        const { reason } = evidence
        if (typeof reason !== "string") {
          return { ...evidence, reason: silence(reason, [request.tool, request.source ?? ""]) }
        }
        const written = yield* hiding(asked, (hide) => hide(reason))
        return { ...evidence, reason: Finding.make("answer.sealed", { written }) }
      }
      case "NotFound":
      case "Pending":
        return evidence
      default: {
        const { output } = evidence
        const bindings = { args: request.params, observed: output, actual: output }
        const safe = field === undefined ? output : yield* answered(field, output, bindings)
        return { ...evidence, output: yield* hiding({ fields, bindings }, (hide) => undeclared(field, safe, hide)) }
      }
    }
  })

  return {
    /**
     * Seals the sensitive and the undeclared values of a proposal, or answers why such a value refuses the proposal.
     */
    proposal: (
      pack: Pack,
      proposal: Proposal,
      { isOwn, state }: { readonly isOwn: boolean; readonly state: State }
    ): Effect.Effect<Result.Result<Proposal, string>, EdgeError> => {
      if (pack === undefined) return Effect.succeed(Result.succeed(proposal))
      const type = proposal.type ?? "action.request"
      const contract = type === "action.request" ? TaskPack.tool(pack, proposal.tool ?? "") : undefined
      const asked = contract?.known === false ? Sensitive.argumentsOf(pack) : contract?.input
      const field = Field.object(asked ?? pack.transitions[type]?.data ?? {})
      const fields = fieldsOf(field.fields, contract?.output)
      if (!fields.some(Sensitive.isIn)) return Effect.succeed(Result.succeed(proposal))
      const about = { field, fields, isOwn, ...(contract === undefined ? {} : { contract }) }
      return proposedIn(withoutWords(proposal, state), about)
    },

    /** Opens the values that a tool needs. */
    request: (pack: Pack, request: ToolExecutor.ToolRequest): Effect.Effect<OpenedRequest, EdgeError> => {
      const contract = TaskPack.tool(pack, request.tool)
      const isClear = !fieldsOf(contract.input, contract.output).some(Sensitive.isIn)
      return isRecorded || isClear ? Effect.succeed({ request, carried: [] }) : requested(request, contract)
    },

    /** Seals the declared sensitive values and all undeclared values of an answer. */
    evidence: (pack: Pack, opened: OpenedRequest, evidence: Evidence): Effect.Effect<Evidence, EdgeError> => {
      const { input, output } = TaskPack.tool(pack, opened.request.tool)
      const fields = fieldsOf(input, output)
      const isClear = !fields.some(Sensitive.isIn)
      return isRecorded || isClear ? Effect.succeed(evidence) : told(opened, evidence, { fields, output })
    }
  }
}

const fieldsOf = (input: Field.Fields, output: Field.Field | undefined): ReadonlyArray<Field.Field> =>
  output === undefined ? [Field.object(input)] : [Field.object(input), output]

/** Replaces the proposer's text, and dependencies that are no fields of the state, by a mark. */
const withoutWords = (proposal: Proposal, state: State): Proposal => {
  const { dependsOn, description, uncertainty } = proposal
  return {
    ...proposal,
    ...(dependsOn && { dependsOn: dependsOn.map((name) => (ContextHash.isField(state, name) ? name : mark)) }),
    ...(description === undefined ? {} : { description: mark }),
    ...(uncertainty === undefined ? {} : { uncertainty: mark })
  }
}

/** Hides the undeclared fields of a body. Fields in the schema of its type count as declared. */
const ofType = (type: string, field: Field.Field & { readonly type: "object" }, json: Json, hide: Hide): Json => {
  const names = Ontology.isType(type) ? Payload.namesOf(type) : []
  const entries = Object.entries(json as JsonObject) as ReadonlyArray<[string, Json]>
  const isOwn = ([name]: readonly [string, Json]) => names.includes(name) && !Object.hasOwn(field.fields, name)
  const said = undeclared(field, Object.fromEntries(entries.filter((entry) => !isOwn(entry))), hide)
  return { ...(said as JsonObject), ...Object.fromEntries(entries.filter(isOwn)) }
}

interface Recognition {
  readonly identity: Sealing.Plain["identity"]
  readonly unfit: boolean
}

const unrecognised: Recognition = { identity: undefined, unfit: false }

/**
 * The form by which a sealed argument is recognised: the normal form for an identity field, the value for another
 * field. A value without a normal form is not valid for its field.
 */
const recognition = (contract: ToolContract.ToolContract, { name, value }: Sensitive.SensitiveValue): Recognition => {
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
