/**
 * The contract of a tool as it is written: its class, arguments and answer (`input`, `output`), `identity` and `times`,
 * `status` by key, `undo` with `narrows`, and the changes of state (`on_reconciled`, `on_recorded`, `model`).
 *
 * `readback`, `webhook`, `cost`, `assumes`, `waives`, `accepts_word` and `keeps` have grammars of their own, which this
 * one puts together. `toolCheck` finds contradictions between them.
 */
import { isRecord } from "@backstitch/expressions/Container"
import type * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import { defined } from "@backstitch/trace/Defined"
import * as Order from "effect/Order"
import * as Condition from "../../state/Condition.ts"
import type { DataKey } from "../../state/DataKey.ts"
import * as Operation from "../../state/Operation.ts"
import * as Sensitive from "../../state/Sensitive.ts"
import * as Normaliser from "../../tool/Normaliser.ts"
import type * as Readback from "../../tool/Readback.ts"
import * as ToolContract from "../../tool/ToolContract.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { duration, type FunctionScope, functionOf, template, textExpression } from "../language.ts"
import { checkSealed, type DeclaredNames, stateNames } from "../scope.ts"
import { assumes, readAssumptions } from "./assumptionGrammar.ts"
import * as CostGrammar from "./costGrammar.ts"
import { dataKeys, readKeys } from "./dataKeyGrammar.ts"
import { acceptsWord, adviseOnWaivers, depthAdvice, keeps, waives } from "./depthGrammar.ts"
import { fieldOrFields, fields, readFields } from "./fieldGrammar.ts"
import { readReduction, reduction } from "./operationGrammar.ts"
import { poll } from "./pollGrammar.ts"
import { readback, toolNames } from "./readbackGrammar.ts"
import { adviseOnTool, refuseContradictions } from "./toolCheck.ts"
import { webhook } from "./webhookGrammar.ts"

const { complete, emptied, key, needed, object, oneOf, text, texts } = Grammar

/** Facts of all tools that are known before any tool is read in full. */
export interface KnownTools {
  readonly declared: DeclaredNames
  readonly inputs: ReadonlyMap<string, Field.Fields>
  readonly names: ReadonlyArray<string>
  /** Currencies in which money is limited; `undefined` for a limit without a currency. */
  readonly currencies: ReadonlyArray<string | undefined>
}

const normaliser = Grammar.named(
  "normaliser",
  Grammar.leaf<string, unknown>(
    {
      type: "string",
      pattern: `^(${Normaliser.names.join("|")})(@${Normaliser.version})?$`,
      description: `The rule by which two values are the same: ${Normaliser.names.join(", ")}.`
    },
    (node) => node.value
  )
)

const identified = Grammar.record(normaliser)

const identity = object(
  "identity",
  "The identity of a call: two calls with the same identity in the same scope are one.",
  {
    scope: key(
      "The reach of an identity: one run with its forks, all runs of a goal, or all runs of the tenant.",
      needed(oneOf(ToolContract.identityScopes), `one of ${ToolContract.identityScopes.join(", ")}`)
    ),
    fields: key(
      "The arguments that make the act, each with a normaliser. A bare name is compared exactly.",
      needed(Grammar.bareOr(identified, Grammar.list(Grammar.bareOr(text, identified))))
    )
  }
)

/** The three times, of which the last has to cover the first two. */
const times = complete(
  object("times", "Without these, not found proves nothing.", {
    sendWithin: key("The time in which a request is sent and its answer awaited; a later sender drops it.", duration),
    settleAfter: key("The time after the last send by which the system of record shows an effect.", duration),
    keyRetention: key("The time for which the tool recognises a key.", duration)
  }),
  (read, node): ToolContract.Times => {
    const { keyRetentionMillis, sendWithinMillis = 0, settleAfterMillis = 0 } = read
    if (keyRetentionMillis !== undefined && keyRetentionMillis < sendWithinMillis + settleAfterMillis) {
      node.at("keyRetention").fail({
        found: String(node.at("keyRetention").value),
        expected: "at least sendWithin and settleAfter together",
        hint: "A key that is forgotten before the effect can show itself cannot be asked about"
      })
    }
    return read
  }
)

const status = object("status", "The questions to a tool about a key: how often, and until when after the start.", {
  by: key("The only way: by the idempotency key.", needed({ ...Grammar.word("key"), read: readBy })),
  poll: key("When it is asked again.", poll),
  within: key("The time after the start at which it is asked no more.", duration)
})

function readBy(node: Node): "key" | undefined {
  return node.value === "key" ? "key" : node.expected("key")
}

const undo = object("undo", "The call that undoes the effect.", {
  class: key(
    "I: changes nothing. R: has an exact inverse. K: can be compensated, with residue. X: cannot be undone.",
    needed(oneOf(ToolContract.reversibilities), "one of I, R, K, X")
  ),
  by: key("The tool that undoes it.", text),
  with: key("The arguments of that tool, over `args`, `observed`, `actual` and the state.", Grammar.record(template)),
  narrows: key("The class of one call, such as K for a fare that is not refunded.", textExpression),
  within: key("The time since it was reconciled in which it can be undone.", duration),
  proof: key("The greatest age of the drill that has exercised the undo, for a run to begin.", duration)
})

/** The model of the tool. */
const model = functionOf<(scope: FunctionScope) => { readonly output?: unknown; readonly world?: object }>()

/** The contract of one tool. */
export const tool = object("tool", "The contract of one tool.", {
  description: key("A text for people and models.", text),
  class: key(
    "The side-effect class, which decides how deeply a call is verified.",
    needed(oneOf(ToolContract.sideEffects), `a side-effect class: ${ToolContract.sideEffects.join(", ")}`)
  ),
  idempotency: key(
    "The effect of a repetition. Default: `idempotent_write` with an identity and status by key, otherwise `effectful`.",
    oneOf(ToolContract.idempotencies)
  ),
  input: key("The arguments.", emptied(fields)),
  output: key("The answer.", fieldOrFields({ row: false })),
  target: key(
    "The resource that a call changes, and holds until it is settled; `none` if calls do not exclude one another.",
    textExpression
  ),
  tenant: key("The tenant that a call acts for.", textExpression),
  identity: key(
    "The arguments that make a call the same act; `none` if each call is a new one.",
    Grammar.bareOr(Grammar.word("none"), identity)
  ),
  transaction: key(
    "`local`: the effect stays in an open transaction until the record was judged.",
    oneOf(ToolContract.transactions)
  ),
  times: key("The times that bound a request.", times),
  cost: key("The amounts that a call takes from the budgets.", CostGrammar.grammar),
  status: key(
    "`by_key`: the tool answers what became of the request under a key.",
    Grammar.bareOr(oneOf(["by_key", "none"]), status)
  ),
  readback: key("The read of the system of record that shows the effect.", readback),
  webhook: key("The deliveries by which the provider tells the outcome of a request.", webhook),
  undo: key(
    "The undo of the effect. Default: `X`, nothing undoes it.",
    Grammar.bareOr(oneOf(ToolContract.reversibilities), undo)
  ),
  keeps: key("The money that a reversal does not return.", keeps),
  waives: key("Checks of the class that do not apply, each with a reason.", waives),
  accepts_word: key("The person who lets the tool's own answer count.", acceptsWord),
  reads: key("Fields or other data that a call reads.", dataKeys),
  writes: key("Fields or other data that a call writes, beside those of `on_reconciled`.", dataKeys),
  assumes: key("Clauses of the goal that calls rest on, each with a condition of its own or none.", assumes),
  serves: key("Clauses for whose sake calls are made: withdrawn, the calls are no longer wanted.", texts),
  on_reconciled: key(
    "Changes of the state once the effect is reconciled, over `args`, `observed` and `actual`.",
    reduction
  ),
  on_recorded: key("Changes of the state by a call of an imported run, which nobody verified.", reduction),
  model: key("A function of `world` and `args` that answers what the tool would.", model)
})

/** Reads only the input of a tool, so that tools can refer to each other. */
export const readInput = (node: Node): Field.Fields => (node.isRecord() ? readFields(node.at("input")) : {})

/** Reads a tool; `undefined` if it has too many mistakes to continue. */
export const readTool = (name: string, node: Node, tools: KnownTools): ToolContract.ToolContract | undefined => {
  if (!node.hasKeysOf(tool.keys)) return undefined
  const input = tools.inputs.get(name) ?? {}
  const said = Grammar.pick(tool, node, {}, "description", "class", "output", "transaction", "times", "waives")
  const { class: sideEffect, output, ...plain } = said
  const names = toolNames(tools.declared, input, output)
  const before: Expression.Names = { ...stateNames(tools.declared), args: Field.object(input) }
  const isRead = sideEffect === "read_only"
  const proof = Grammar.pick(tool, node, names, "readback", "webhook", "keeps")
  const undone = readUndo(name, node.at("undo"), { names, isRead, tools })
  const identity = readIdentity(node.at("identity"), input, sideEffect)
  const asked = readStatus(node.at("status"), names)
  const cost = CostGrammar.readCost(node.at("cost"), { before, names, currencies: tools.currencies })
  const changes = readChanges(node, { names, before }, { isRead, tools })
  unsealable(node, input, output)
  unreadable(node.at("readback"), proof.readback, { input, output })
  const { accepts_word: acceptsWord } = Grammar.pick(tool, node, {}, "accepts_word")
  if (sideEffect !== undefined && plain.waives !== undefined)
    adviseOnWaivers(node.at("waives"), plain.waives, sideEffect)
  const contract: ToolContract.ToolContract = {
    name,
    known: true,
    times: {},
    ...plain,
    class: sideEffect ?? "critical_mutation",
    idempotency: readIdempotency(node, isRead, identity, asked.status),
    input,
    ...defined({ output }),
    ...readScope(node, before),
    ...defined({ identity, cost }),
    ...asked,
    ...proof,
    undo: undone,
    ...defined({ acceptsWord }),
    reads: readKeys(node.at("reads"), tools.declared, before),
    ...readPurpose(node, tools.declared, names),
    ...changes
  }
  refuseContradictions(node, contract)
  adviseOnTool(node, contract)
  if (!node.at("class").isAbsent) depthAdvice(node, contract)
  return contract
}

/** The target and the tenant of a call. `none` says that calls do not exclude one another. */
const readScope = (node: Node, before: Expression.Names): Pick<ToolContract.ToolContract, "target" | "tenant"> => ({
  ...(node.at("target").value === "none" ? {} : Grammar.pick(tool, node, before, "target")),
  ...Grammar.pick(tool, node, before, "tenant")
})

/** The clauses of the goal that calls assume, and those for whose sake calls are made. */
const readPurpose = (
  node: Node,
  declared: DeclaredNames,
  names: Expression.Names
): Pick<ToolContract.ToolContract, "assumes" | "serves"> => {
  const assumes = readAssumptions(node.at("assumes"), { declared, names })
  return {
    ...defined({ assumes }),
    serves: node.at("serves").references(Object.keys(declared.clauses), "clause")
  }
}

/** The changes of the state by a call, and the fields that they write. */
const readChanges = (
  node: Node,
  { before, names }: { readonly before: Expression.Names; readonly names: Expression.Names },
  { isRead, tools: { declared } }: { readonly isRead: boolean; readonly tools: KnownTools }
): Pick<ToolContract.ToolContract, "model" | "onReconciled" | "onRecorded" | "writes"> => {
  const { actual: _, ...recorded } = names
  const context = { declared, sections: ["world", "working"] as const }
  const { model } = Grammar.pick(tool, node, names, "model")
  const onReconciled = readReduction(node.at("on_reconciled"), { ...context, names })
  const written = readReduction(node.at("on_recorded"), { ...context, names: recorded })
  const onRecorded = written ?? (model === undefined || isRead ? undefined : effectOf(model))
  const declaredKeys = readKeys(node.at("writes"), declared, before)
  const changed = new Set([...writesOf(onReconciled), ...writesOf(onRecorded)])
  for (const { name } of declaredKeys) changed.delete(name)
  return {
    writes: [...declaredKeys, ...[...changed].map((name) => ({ name }))].sort(byName),
    ...defined({ model, onReconciled, onRecorded })
  }
}

/**
 * Refuses a webhook that would commit sensitive values. Before a delivery is decided, its subject is unknown. So
 * nothing of its body is kept, and no digest of it that would allow a value to be guessed.
 */
const unsealable = (node: Node, input: Field.Fields, output: Field.Field | undefined): void => {
  if (!Sensitive.isIn(Field.object(input)) && (output === undefined || !Sensitive.isIn(output))) return
  undescribed(node, input, output)
  const webhook = node.at("webhook")
  if (webhook.isAbsent) return
  const told = webhook.at("output").value
  if (typeof told !== "string" || told.trim() !== "null") {
    webhook.at("output").fail({
      found: "what a provider tells of a tool with sensitive values",
      expected: 'output: "null", and a readback that shows the rest',
      hint: "A delivery of the provider would be committed in clear"
    })
  }
  if (webhook.at("form").value !== "standard_webhooks" && webhook.at("id").isAbsent) {
    webhook.fail({
      found: "no id of what a provider tells of a tool with sensitive values",
      expected: "id as well: what the provider calls the delivery",
      hint: "Without one a delivery is known by the digest of its body, from which a value can be guessed"
    })
  }
}

/** Refuses undeclared parts of a tool with sensitive values, because they would be sealed as a whole. */
const undescribed = (node: Node, input: Field.Fields, output: Field.Field | undefined): void => {
  const hint = "A value that is not declared is sealed as a whole, and no expression can read it"
  if (output === undefined) {
    node.at("output").fail({
      found: "no output of a tool with sensitive values",
      expected: "the fields that it answers",
      hint
    })
  }
  for (const [name, field] of [["input", Field.object(input)] as const, ["output", output] as const]) {
    if (field === undefined || !Sensitive.hasAny(field)) continue
    node.at(name).fail({ found: "json beside sensitive values", expected: "fields, or json that is sensitive", hint })
  }
}

/**
 * Warns of a condition on a field of the record that is not declared beside sensitive arguments: it is sealed, so the
 * condition never has an answer. If the output itself is sensitive, the checker of expressions says so.
 */
const unreadable = (
  node: Node,
  readback: Readback.Readback | undefined,
  { input, output }: { readonly input: Field.Fields; readonly output: Field.Field | undefined }
): void => {
  if (output?.type !== "object" || Sensitive.isIn(output) || !Sensitive.isIn(Field.object(input))) return
  const read = (readback?.expect ?? []).flatMap((condition) => {
    const paths = Condition.reads(condition)
    return paths === "any" ? [] : paths.map((path) => path.split("."))
  })
  for (const [root, field = ""] of read) {
    if (root !== "actual" || field === "" || Object.hasOwn(output.fields, field)) continue
    node.warn({
      found: `a condition on actual.${field}, a field that the output does not declare beside sensitive values`,
      expected: `${field} in the output`,
      hint: "It is sealed as a whole: the condition never has an answer, and the action is held"
    })
  }
}

/**
 * The changes of a model without its answer. A recorded call made these changes, unless the contract says otherwise.
 */
const effectOf = (model: ToolContract.EffectModel): Operation.Reduction => ({
  _tag: "Function",
  function: model.function,
  run: (scope) => {
    const answer = model.run(scope)
    if (!isRecord(answer)) throw new TypeError(`the model answered ${Field.nameOf(answer)}, expected { output, world }`)
    return answer["world"] === undefined ? {} : { world: answer["world"] }
  }
})

const readIdempotency = (
  node: Node,
  isRead: boolean,
  identity: ToolContract.Identity | undefined,
  status: ToolContract.ToolContract["status"]
): ToolContract.Idempotency => {
  const { idempotency } = Grammar.pick(tool, node, {}, "idempotency")
  if (idempotency !== undefined) return idempotency
  return isRead ? "read" : identity !== undefined && status === "by_key" ? "idempotent_write" : "effectful"
}

const readStatus = (node: Node, names: Expression.Names): Pick<ToolContract.ToolContract, "asking" | "status"> => {
  if (!node.isRecord()) return { status: node.oneOf(["by_key", "none"] as const) ?? "none", asking: {} }
  const { by: _, ...asking } = status.read(node, names) ?? {}
  return { status: "by_key", asking }
}

const readIdentity = (
  node: Node,
  input: Field.Fields,
  sideEffect: ToolContract.SideEffect | undefined
): ToolContract.Identity | undefined => {
  if (node.value === "none") return undefined
  if (node.isAbsent) {
    if (sideEffect === undefined || sideEffect === "read_only") return undefined
    const expected = "{ scope, fields }, or none where no two calls are one act"
    return node.fail({
      found: "nothing",
      expected,
      hint: "Without an identity no key can be derived, and every retry is a new call"
    })
  }
  if (!node.hasKeysOf(identity.keys)) return undefined
  const { scope } = Grammar.pick(identity, node, {}, "scope")
  const fields = readIdentityFields(node.at("fields"), Object.keys(input))
  return scope === undefined ? undefined : { scope, fields }
}

const readIdentityFields = (node: Node, known: ReadonlyArray<string>): ToolContract.Identity["fields"] => {
  const pairs = Array.isArray(node.value)
    ? node.items().flatMap((item) => {
        if (item.isRecord()) return item.entries()
        const isBare = typeof item.value === "string" || typeof item.value === "number"
        return isBare ? [[String(item.value), item] as const] : (item.expected("a field of the input") ?? [])
      })
    : node.entries()
  if (pairs.length === 0) node.fail({ found: "no fields", expected: "at least one field of the input" })
  return pairs.flatMap(([field, item]) => {
    if (!known.includes(field)) {
      const expected = `a field of the input (declared: ${known.join(", ") || "none"})`
      item.fail({ found: `the field ${field}`, expected, key: true })
    }
    // In a list, a field is a bare name; in a mapping, `name: name` names the normaliser.
    const isBare = typeof item.path[item.path.length - 1] === "number"
    if (isBare) return [{ field, normaliser: "exact" as const }]
    const [word, version = String(Normaliser.version)] = String(item.value).split("@")
    if (Normaliser.isNormaliser(word) && version === String(Normaliser.version)) return [{ field, normaliser: word }]
    if (item.value === field) return [{ field, normaliser: "exact" as const }]
    item.expected(`a normaliser: ${Normaliser.names.join(", ")} (version ${Normaliser.version})`)
    return []
  })
}

const readUndo = (
  name: string,
  node: Node,
  options: { readonly names: Expression.Names; readonly isRead: boolean; readonly tools: KnownTools }
): ToolContract.Undo => {
  const fallback: ToolContract.Undo = { class: options.isRead ? "I" : "X", with: {} }
  if (node.isAbsent) return fallback
  if (typeof node.value === "string") {
    const reversibility = node.oneOf(ToolContract.reversibilities)
    if (reversibility === "R" || reversibility === "K") refuseMissingUndo(node, reversibility)
    return reversibility === undefined ? fallback : { class: reversibility, with: {} }
  }
  const read = undo.read(node, options.names)
  if (read === undefined) return fallback
  const { class: reversibility = fallback.class, with: filled = {}, narrows, proofMillis, withinMillis } = read
  const by = node.at("by").isAbsent ? undefined : node.at("by").reference(options.tools.names, "tool")
  if (node.at("by").isAbsent && (read.class === "R" || read.class === "K")) refuseMissingUndo(node, read.class)
  if (by === name && node.at("with").isAbsent) {
    node.at("by").fail({
      found: `${by}, the tool itself`,
      expected: "another tool, or arguments in with that put back what was there"
    })
  }
  if (by !== undefined) checkArguments(node.at("with"), by, filled, options.tools)
  return {
    class: reversibility,
    ...defined({ by }),
    with: filled,
    ...defined({ narrows, withinMillis, proofMillis })
  }
}

const refuseMissingUndo = (node: Node, reversibility: "R" | "K"): void => {
  const found = `${reversibility} without by`
  node.fail({ found, expected: "the tool that undoes it, as by", hint: "Declare X where nothing can undo it" })
}

/** Refuses arguments that a tool does not accept, and missing required ones. */
export const checkArguments = (
  node: Node,
  by: string,
  given: Readonly<Record<string, Operation.Template>>,
  tools: KnownTools
): void => {
  const input = tools.inputs.get(by)
  if (input === undefined) return
  for (const [name, template] of Object.entries(given)) {
    if (node.at(name).isAbsent) continue
    checkArgument(node.at(name), name, input)
    if (Object.hasOwn(input, name)) checkSealed(node.at(name), input[name] as Field.Field, template)
  }
  const missing = Object.entries(input).filter(
    ([name, field]) => field.optional !== true && !Object.hasOwn(given, name)
  )
  for (const [name] of missing) {
    node.fail({ found: `no ${name}`, expected: `every argument that ${by} needs: ${Object.keys(input).join(", ")}` })
  }
}

const checkArgument = (node: Node, name: string, input: Field.Fields): void => {
  if (Object.hasOwn(input, name)) return
  node.fail({ found: `the argument ${name}`, expected: `one of ${Object.keys(input).join(", ")}`, key: true })
}

const byName: Order.Order<DataKey> = Order.mapInput(Order.String, ({ name }) => name)

const writesOf = (reduction: Operation.Reduction | undefined): ReadonlyArray<string> => {
  const writes = reduction === undefined ? [] : Operation.writes(reduction)
  return writes === "any" ? [] : writes
}
