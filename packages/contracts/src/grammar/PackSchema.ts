/**
 * The JSON Schema of a pack file, for editors.
 *
 * It describes the shape: which keys there are and what kind of value each
 * takes. What it cannot say (names in scope, contradictions, cycles) is said
 * by reading the pack. The reader takes its key lists from here, so the two
 * cannot disagree about what may be written.
 *
 * @source JSON Schema, draft 2020-12
 */

import * as Field from "@backstitch/expressions/Field"
import * as Budget from "../rules/Budget.ts"
import * as MessagePolicy from "../rules/MessagePolicy.ts"
import * as Topology from "../rules/Topology.ts"
import * as Expectation from "../tool/Expectation.ts"
import * as Normaliser from "../tool/Normaliser.ts"
import * as Readback from "../tool/Readback.ts"
import * as ToolContract from "../tool/ToolContract.ts"
import * as VerificationCheck from "../tool/VerificationCheck.ts"
import * as WebhookForm from "../tool/WebhookForm.ts"

/** A JSON Schema, as far as packs use the language. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` })
const text: JsonSchema = { type: "string" }
const texts: JsonSchema = { type: "array", items: text }
const flag: JsonSchema = { type: "boolean" }
const count: JsonSchema = { type: "integer", minimum: 0 }
const any: JsonSchema = {}
const record = (values: JsonSchema): JsonSchema => ({ type: "object", additionalProperties: values })
const oneOf = (values: ReadonlyArray<string>): JsonSchema => ({ type: "string", enum: values })
const either = (...options: ReadonlyArray<JsonSchema>): JsonSchema => ({ anyOf: options })
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] })

const object = (
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: ReadonlyArray<string> = []
) => ({
  type: "object",
  description,
  properties,
  additionalProperties: false,
  ...(required.length === 0 ? {} : { required })
})

const expectation = either(ref("condition"), ref("expectation"))
const expression = ref("expression")
const condition = ref("condition")
const duration = ref("duration")
const fields = ref("fields")
const field = ref("field")
const template = ref("template")

const precision: JsonSchema = { type: "integer", minimum: 0, maximum: 18 }

const tableShape = { key: text, row: either(field, fields) }

const fieldProperties = {
  type: oneOf(Field.types),
  precision,
  values: texts,
  fields,
  key: text,
  row: either(field, fields),
  item: field,
  decimal: precision,
  float: precision,
  enum: texts,
  object: fields,
  list: field,
  table: object("Rows by key.", tableShape, ["row"]),
  nullable: flag,
  optional: flag,
  sensitive: object(
    "Sealed under the key of a subject, with facts in clear beside it. With planner, planners are shown the value.",
    { subject: expression, facts: record(expression), planner: flag },
    ["subject"]
  ),
  initial: any,
  description: text
}

const shapes = {
  pack: object("A task pack: everything that people decide in advance.", {
    pack: text,
    namespace: text,
    id: text,
    version: either(text, { type: "number" }),
    description: text,
    state: nullable(ref("state")),
    specification: nullable(record(either(condition, ref("clause")))),
    transitions: nullable(record(ref("transition"))),
    contracts: nullable(record(ref("transition"))),
    tools: nullable(record(ref("tool"))),
    guards: nullable({ type: "array", items: ref("guard") }),
    violations: nullable({ type: "array", items: ref("violation") }),
    approvals: nullable(record(ref("approval"))),
    budgets: nullable(ref("budgets")),
    messages: nullable(ref("messages")),
    topology: nullable(either(oneOf(Topology.kinds), ref("topology"))),
    progress: nullable(ref("progress")),
    skeletons: nullable(record(ref("skeleton"))),
    reducers: nullable(ref("reducers")),
    tests: nullable({ type: "array", items: ref("test") })
  }),
  state: object("Declared fields, by section.", { world: nullable(fields), working: nullable(fields) }),
  clause: object("A named clause of the goal.", { holds: condition, value: field, default: any, description: text }, [
    "holds"
  ]),
  transition: object("What a governed transition carries as data, and needs to find in the state.", {
    data: nullable(fields),
    required_state: nullable(either(texts, fields)),
    hash_seeds: texts,
    advisory: texts,
    match: texts,
    description: text
  }),
  tool: object(
    "The contract of one tool.",
    {
      description: text,
      class: oneOf(ToolContract.sideEffects),
      idempotency: oneOf(ToolContract.idempotencies),
      input: nullable(fields),
      output: either(field, fields),
      target: expression,
      tenant: expression,
      identity: either({ const: "none" }, ref("identity")),
      transaction: oneOf(ToolContract.transactions),
      times: ref("times"),
      cost: either(expression, ref("cost")),
      status: either(oneOf(["by_key", "none"]), ref("status")),
      readback: ref("readback"),
      webhook: ref("webhook"),
      undo: either(oneOf(ToolContract.reversibilities), ref("undo")),
      keeps: ref("keeps"),
      waives: ref("waives"),
      accepts_word: ref("accepts_word"),
      reads: texts,
      writes: texts,
      assumes: texts,
      on_reconciled: ref("reduction"),
      on_recorded: ref("reduction"),
      model: ref("function")
    },
    ["class"]
  ),
  identity: object(
    "What a call is: two calls with the same identity in the same scope are one.",
    {
      scope: oneOf(ToolContract.identityScopes),
      fields: either(record(ref("normaliser")), { type: "array", items: either(text, record(ref("normaliser"))) })
    },
    ["scope", "fields"]
  ),
  times: object("Without these, not found proves nothing.", {
    sendWithin: duration,
    settleAfter: duration,
    keyRetention: duration
  }),
  cost: object("What a call takes from the budgets.", {
    amount: expression,
    actual: expression,
    currency: text,
    tokens: expression
  }),
  status: object(
    "That a tool is asked by its key, how often, and until when after the start.",
    { by: { const: "key" }, poll: either(duration, ref("poll")), within: duration },
    ["by"]
  ),
  poll: object(
    "Waits that grow: the first, by how much each is longer, and the longest.",
    { first: duration, factor: { type: "number", minimum: 1 }, max: duration },
    ["first"]
  ),
  readback: object(
    "How the system of record is asked what really happened.",
    {
      source: text,
      from: oneOf(Readback.origins),
      expect: either(expectation, { type: "array", items: expectation }),
      within: duration,
      poll: either(duration, ref("poll")),
      consistency: oneOf(Readback.consistencies),
      scope: ref("scope"),
      before: oneOf(["permit", "refuse"]),
      version: ref("version"),
      parts: record(condition),
      token: expression,
      strong: ref("strong"),
      sources: { type: "array", items: ref("source") }
    },
    ["source", "expect"]
  ),
  scope: object(
    "What the record shows of the tenant, the target and whoever else an action is authorised for.",
    Object.fromEntries(Readback.scopes.map((name) => [name, either(expression, ref("scoped"))]))
  ),
  scoped: object("What the record shows, and what it has to be.", { shows: expression, expects: expression }, [
    "shows",
    "expects"
  ]),
  source: object(
    "A further source that has to agree. Without expect, it is held against the same conditions.",
    {
      source: text,
      from: oneOf(Readback.origins),
      expect: either(expectation, { type: "array", items: expectation })
    },
    ["source"]
  ),
  strong: object(
    "The source of a strong read, where the first may lag. It has to show the same.",
    { source: text, from: oneOf(Readback.origins) },
    ["source"]
  ),
  webhook: object(
    "How a provider tells what became of a request. The secrets are named, and are in the environment.",
    {
      form: oneOf(WebhookForm.names),
      secret: either(text, texts),
      tolerance: either(duration, { const: "none" }),
      header: text,
      key: expression,
      done: expression,
      failed: expression,
      output: expression,
      sent: expression,
      id: expression
    },
    ["secret", "key", "done"]
  ),
  expectation: object(
    "What has to hold of the system of record, and what it is taken for where it does not.",
    {
      id: text,
      holds: condition,
      otherwise: oneOf(Expectation.discrepancies),
      checks: either(oneOf(VerificationCheck.names), { type: "array", items: oneOf(VerificationCheck.names) })
    },
    ["id", "holds"]
  ),
  version: object(
    "The version of the target that the plan was made on, and the one that the record shows.",
    { planned: expression, actual: expression },
    ["planned", "actual"]
  ),
  waives: object(
    "Checks of its class that do not apply to a tool, each with the reason.",
    Object.fromEntries(VerificationCheck.names.map((name) => [name, text]))
  ),
  accepts_word: object(
    "Names who accepts what a tool answers where much is at stake and nothing can be checked, and why.",
    { by: text, why: text },
    ["by", "why"]
  ),
  keeps: object(
    "What a reversal keeps of the money that it gives back, by its own record. An amount with decimal is in minor units.",
    { amount: expression, currency: text, decimal: { type: "integer", minimum: 0, maximum: 8 } },
    ["amount", "currency"]
  ),
  undo: object(
    "How the effect is undone.",
    { class: oneOf(ToolContract.reversibilities), by: text, with: record(template), narrows: expression },
    ["class"]
  ),
  set: object(
    "Gives a field, or a field of a row, a value.",
    { field: text, value: template, table: text, key: expression },
    ["field", "value"]
  ),
  add: object(
    "Adds to a field, or to a field of a row.",
    { field: text, value: template, table: text, key: expression },
    ["field", "value"]
  ),
  put: object("Puts a row into a table.", { table: text, key: expression, row: template }, ["table", "key", "row"]),
  remove: object("Removes a row from a table.", { table: text, key: expression }, ["table", "key"]),
  append: object("Appends an item to a list.", { list: text, item: template }, ["list", "item"]),
  operation: object("One change of state: exactly one of the five, and when.", {
    set: ref("set"),
    add: ref("add"),
    put: ref("put"),
    remove: ref("remove"),
    append: ref("append"),
    when: expression
  }),
  guard: object(
    "Refuses an intent before anything happens.",
    { id: text, name: text, on: either(text, texts), refuse_if: condition, description: text },
    ["id", "on", "refuse_if"]
  ),
  violation: object(
    "Reports that the run has left its contract.",
    {
      id: text,
      name: text,
      when: condition,
      condition,
      base_predicate: condition,
      at: oneOf(["before", "after"]),
      state: oneOf(["before", "after"]),
      scope: either(text, texts),
      monotone: either(flag, { const: "lift" }),
      monotone_lift: flag,
      bisect_predicate: { const: "monotone_lift" },
      each: text,
      // biome-ignore lint/suspicious/noThenProperty: it is the word of the pack, and nothing awaits a schema
      then: { const: "halt_mutations" },
      pure: flag,
      description: text
    },
    ["id"]
  ),
  approval: object("When a person has to say yes.", { when: condition, by: either(text, texts), expires: duration }),
  budgets: object("What a run may use up.", {
    ...Object.fromEntries(Budget.counts.map((name) => [name, count])),
    elapsed: duration,
    money: either(ref("money"), { type: "array", items: ref("money") }),
    calls: record(count),
    shared: flag,
    verification: ref("verification")
  }),
  verification: object("How often the world may be asked what became of actions.", { run: count, action: count }),
  money: object("A limit on money.", { currency: text, decimal: precision, max: either({ type: "number" }, text) }, [
    "max"
  ]),
  messages: object("What is demanded of messages to people.", {
    reports: oneOf(MessagePolicy.demands),
    unreconciled: oneOf(MessagePolicy.treatments)
  }),
  topology: object(
    "The shape in which agents work together.",
    {
      kind: oneOf(Topology.kinds),
      agents: record(text),
      order: texts,
      steps: count,
      rounds: count,
      queue: count,
      silence: duration,
      plan: duration
    },
    ["kind"]
  ),
  progress: object("How near a run is to its goal. A heuristic for watching.", {
    subgoals: texts,
    weights: ref("weights"),
    recent: count
  }),
  weights: object("Weights of the signals of progress.", {
    completion: { type: "number" },
    constraints: { type: "number" },
    survival: { type: "number" }
  }),
  skeleton: object("The reviewed shape of a subtask.", {
    entity: expression,
    states: texts,
    entry: texts,
    commit: condition,
    exit: condition,
    inputs: texts,
    outputs: texts,
    tools: texts,
    effects: oneOf(["rollback", "compensate", "forbid"]),
    pivot: texts,
    aborts: texts,
    forward: { type: "array", items: either(text, ref("forward")) },
    undo_behind_pivot: texts,
    after: texts,
    description: text
  }),
  forward: object(
    "A step that is completed behind the pivot of a subtask.",
    { tool: text, with: record(template), within: duration, poll: either(duration, ref("poll")) },
    ["tool"]
  ),
  reducers: object("How transitions change the working section.", { on: record(ref("reduction")) }, ["on"]),
  test: object(
    "A proposal and what the contract answers.",
    {
      name: text,
      given: record(any),
      clauses: record(any),
      propose: record(nullable({ type: "object" })),
      expect: ref("expect")
    },
    ["propose", "expect"]
  ),
  expect: object("What a test expects.", {
    refused: text,
    allowed: flag,
    approval: flag,
    violated: either(text, texts),
    holds: texts
  })
} satisfies Readonly<Record<string, JsonSchema>>

/** Names of the objects that a pack is made of. */
export type Shape = keyof typeof shapes | "field" | "tableShape" | "sensitive"

const propertiesOf: Readonly<Record<Shape, Readonly<Record<string, unknown>>>> = {
  ...(Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, shape.properties])) as Record<
    keyof typeof shapes,
    Readonly<Record<string, unknown>>
  >),
  field: fieldProperties,
  tableShape,
  sensitive: fieldProperties.sensitive.properties
}

/** The keys that an object of a pack may have. */
export const keys = (shape: Shape): ReadonlyArray<string> => Object.keys(propertiesOf[shape])

/** The JSON Schema of a pack file. */
export const schema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Backstitch task pack",
  $ref: "#/$defs/pack",
  $defs: {
    ...shapes,
    expression: {
      type: ["string", "number", "boolean", "null"],
      description: "An expression, or a value that is not text."
    },
    condition: either(expression, ref("function")),
    duration: { type: "string", pattern: "^(\\d+(d|h|m|s|ms))+$", description: "Such as 500ms, 10s or 1h30m." },
    normaliser: { type: "string", pattern: `^(${Normaliser.names.join("|")})(@${Normaliser.version})?$` },
    function: object("JavaScript that has earned its purity.", { function: text }, ["function"]),
    fields: record(field),
    field: either(oneOf(Field.types), { type: "object", properties: fieldProperties, additionalProperties: false }),
    template: either(
      expression,
      { type: "object", additionalProperties: template },
      { type: "array", items: template }
    ),
    reduction: either({ type: "array", items: ref("operation") }, ref("function"))
  }
}
