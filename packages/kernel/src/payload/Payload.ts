/**
 * The schema of every payload, by type. A type without a schema does not compile.
 *
 * Packages declare the payloads of the types whose parts they fold. This module declares the payloads that only the
 * kernel decides: refusals, permissions and exhausted budgets. Types that no code writes yet have no payload, and are
 * refused from outside.
 */
import { signals } from "@backstitch/admissibility/FailureEvent"
import * as LedgerPayload from "@backstitch/ledger/Payload"
import * as ReducerPayload from "@backstitch/reducer/Payload"
import * as Digest from "@backstitch/trace/Digest"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import * as Transition from "@backstitch/trace/Transition"
import * as VersionPayload from "@backstitch/version-control/Payload"
import * as Schema from "effect/Schema"
import { payloads as actionPayloads } from "./actionPayloads.ts"
import { steps } from "./Check.ts"
import * as Finding from "./Finding.ts"
import { StandingName } from "./recoveryWords.ts"
import { payloads as revisionPayloads } from "./revisionPayloads.ts"

const { Json, Names, Written, closed, open, optional, words } = Payload
const { ActionRef, Met } = LedgerPayload
const { findingsOf } = Finding
const { Natural, String: Text } = Schema

/** The actions that a message reports, and those that it reports wrongly. */
const reported = {
  marked: optional(Schema.Array(closed({ action: Text, claimed: StandingName, found: StandingName }))),
  reports: optional(Schema.Array(closed({ action: Text, standing: StandingName })))
} as const

const Step = words("step", steps)

/** One condition of a decision. If it does not hold, `why` is the finding. */
const Check = closed({
  id: Written,
  observed: optional(Payload.Mark),
  step: Step,
  why: optional(findingsOf.checks)
}).annotate({ identifier: "check" })

/** A checkpoint that an instance of a subtask reached: it restores the run as it was after the tick `at`. */
const Reached = closed({ at: Natural, entity: Json, ordinal: Natural, skeleton: Text, state: Text })

/** The payload of a type that no code writes yet. */
const Unwritten = Schema.Never.annotate({ message: "Nothing writes this type yet" })

/** Payloads by type. */
export const payloads = {
  ...actionPayloads,
  ...ReducerPayload.payloads,
  ...VersionPayload.payloads,
  ...revisionPayloads,
  "budget.exhausted": closed({ budget: Text, why: findingsOf.budgets }),
  "checkpoint.commit": Reached,
  "checkpoint.entry": Reached,
  "checkpoint.exit": Reached,
  "failure.observed": closed({
    at: Natural,
    entity: optional(Json),
    failed: optional(Text),
    signal: words("signal", signals),
    state: Text,
    tool: Text
  }),
  "goal.complete": open({ ...reported, reachedSubgoal: optional(Text) }),
  "intent.adopted": closed({
    adopted: closed({ action: optional(Text), run: optional(Text), tick: Natural }),
    by: Schema.Literals(["command", "key"]),
    count: optional(Natural),
    params: optional(Json),
    proposed: Text,
    tool: optional(Text)
  }),
  "intent.dropped": Payload.Nothing,
  "intent.refused": closed({
    author: optional(Schema.Literals(["user", "institution"])),
    checks: optional(Schema.Array(Check)),
    completes: optional(Text),
    count: optional(Natural),
    holder: optional(ActionRef),
    params: optional(Json),
    proposed: optional(Text),
    tool: optional(Text)
  }),
  "message.sent": open(reported),
  "policy.decision": closed({
    awaits: optional(ActionRef),
    checks: optional(Schema.Array(Check)),
    completes: optional(Text),
    count: optional(Natural),
    met: optional(Met),
    needs: optional(Names),
    params: optional(Json),
    proposed: optional(Text),
    review: optional(Text),
    since: optional(Natural),
    tool: optional(Text),
    undoes: optional(Text),
    why: optional(findingsOf.asks)
  }),
  "run.fork": closed({
    ...VersionPayload.payloads["run.fork"].fields,
    undone: optional(Schema.Record(Text, closed({ by: Text, undo: LedgerPayload.Undo })))
  }),
  "run.rebase": closed({ ...VersionPayload.payloads["run.rebase"].fields, why: optional(Finding.schema) }),
  "sealed.erased": closed({
    by: Written,
    reach: Schema.Literals(["run", "subject", "subject_in_run", "tenant"]),
    reason: Written,
    values: Schema.Array(Digest.Digest)
  }),
  "topology.crack": Unwritten
} as const satisfies {
  readonly [T in Ontology.Type]: Schema.Decoder<
    Viewed<typeof Payload.claiming, T> &
      Viewed<typeof Payload.views, T> &
      Viewed<typeof ReducerPayload.views, T> &
      Viewed<typeof LedgerPayload.views, T> &
      Viewed<typeof VersionPayload.views, T>
  >
}

/** The fields of a payload that lower packages read. The whole payload must have them. */
type Viewed<P extends Payload.Schemas, T> = T extends keyof P ? P[T]["Type"] : unknown

/** The payload of a type, as it is read. */
export type Of<T extends Ontology.Type> = (typeof payloads)[T]["Type"]

/** A body, with the payload of its type. */
export type Body = Payload.Body<typeof payloads>

/** The body of a type, with the payload of that type. */
export type BodyOf<T extends Ontology.Type> = Payload.BodyOf<typeof payloads, T>

/** Reads a body; its type determines its payload. */
export const read = Payload.reader(payloads)

/** The payload of a body, if the body is of the given type and has one. */
export const of = Payload.getter(payloads)

/** The schema of a body without its type and its payload, in the words of the kernel. */
export const frame = closed({
  ...Transition.Body.fields,
  action: optional(
    closed({ ...Transition.Action.fields, class: optional(LedgerPayload.SideEffect) }).annotate({
      identifier: "action"
    })
  ),
  intent: optional(Transition.Intent.annotate({ identifier: "intent" })),
  policy: optional(
    closed({
      ...Transition.Policy.fields,
      checks: Schema.Array(Step),
      observed: optional(Schema.Array(closed({ id: Written, step: Step, why: findingsOf.checks })))
    }).annotate({ identifier: "policy" })
  ),
  result: optional(Transition.Outcome.annotate({ identifier: "result" }))
})

/**
 * Checks the payload of a body against the schema of its type. `undefined` if it fits, or if the type is not of the
 * ontology.
 */
export const misfit = ({
  data = {},
  type
}: Pick<Transition.Body, "data" | "type">): Payload.PayloadFault | undefined =>
  Ontology.isType(type) ? checkers[type](data) : undefined

const checkers = Object.fromEntries(
  Object.entries<Schema.Decoder<unknown>>(payloads).map(([type, schema]) => [
    type,
    Payload.checker(schema, Payload.place)
  ])
) as { readonly [T in Ontology.Type]: ReturnType<typeof Payload.checker> }

/** The parts that a body of a type must have beside its payload. Parts that are not named are optional. */
export const parts: { readonly [T in Ontology.Type]?: ReadonlyArray<"action" | "policy" | "result"> } = {
  "action.asked": ["action"],
  "action.reconciled": ["action", "result"],
  "action.request": ["action"],
  "action.result": ["action"],
  "action.started": ["action"],
  "action.verified": ["action", "result"],
  "intent.refused": ["policy"],
  "policy.decision": ["policy"]
}

const incomplete = (body: Transition.Body): Payload.PayloadFault | undefined => {
  const absent = (Ontology.isType(body.type) ? (parts[body.type] ?? []) : []).find((part) => body[part] === undefined)
  return absent === undefined ? undefined : { path: absent, problem: "Missing key" }
}

/**
 * Checks a whole body against the schema of its type, payload first. A body of a type outside of the ontology is
 * checked, too, without its payload.
 */
export const malformed = (body: Transition.Body): Payload.PayloadFault | undefined =>
  misfit(body) ?? incomplete(body) ?? framed(body)

const framed = Payload.checker(frame)

/** Lists the fields of a type's payload that the kernel writes, without the fields that the author writes. */
export const namesOf = (type: Ontology.Type): ReadonlyArray<string> => {
  const schema: object = payloads[type]
  const named = "schema" in schema ? schema.schema : schema
  const fields: object = hasFields(named) ? named.fields : {}
  return Object.entries(fields).flatMap(([name, field]) => (isSaid(field) ? [] : [name]))
}

const hasFields = (schema: unknown): schema is { readonly fields: object } =>
  typeof schema === "object" && schema !== null && "fields" in schema

const isSaid = (field: object): boolean => field === Json || ("schema" in field && field.schema === Json)
