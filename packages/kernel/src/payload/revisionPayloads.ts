/** The payloads of revisions: the changes of the goal that a user asks for, and their absorption by the run. */
import * as Absorption from "@backstitch/absorber/Absorption"
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as RevisionPolicy from "@backstitch/contracts/RevisionPolicy"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"

const { Json, Mark, Names, Written, closed, optional, words } = Payload
const { Array: List, Literal, Natural, String: Text, Union } = Schema

/** One change of the clauses of a goal. */
export const Change = Union([
  closed({
    change: Literal("add"),
    clause: Text,
    description: optional(Written),
    holds: Written,
    value: optional(Json)
  }),
  closed({ change: Literal("prioritise"), clauses: Names }),
  closed({ change: Literal("set"), clause: Text, value: Json }),
  closed({ change: Literal("withdraw"), clause: Text })
]).annotate({ identifier: "clause_change" })

const Kind = words("revision_kind", RevisedSpecification.kinds)
const Rule = words("revision_rule", RevisionPolicy.rules)
const Treatment = words("reversible", RevisionPolicy.treatments)
const Class = words("reversibility", ToolContract.reversibilities)
const Answer = words("revision_answer", Absorption.answersOf)

/** Payloads by type. */
export const payloads = {
  "revision.absorbed": closed({
    answers: optional(Schema.Record(Text, Answer)),
    barred: optional(Names),
    conflicts: List(closed({ action: Text, answered: optional(Mark), class: Class, clauses: Names, tool: Text })),
    discarded: Names,
    keptTo: Natural,
    lost: List(closed({ action: Text, clauses: Names, tool: Text })),
    reversible: Treatment,
    revisions: List(Natural),
    rule: Rule,
    stale: Names,
    truncated: optional(Mark),
    undo: Names,
    widened: optional(Mark)
  }),
  "revision.injected": closed({
    by: optional(Written),
    changes: List(Change),
    followUp: optional(Text),
    keeps: optional(Names),
    kind: Kind,
    readBy: optional(Written),
    said: optional(Written),
    widens: optional(Mark)
  })
} as const
