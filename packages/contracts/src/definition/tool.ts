/** Reads the contract of a tool, and refuses what contradicts itself. */

import { isRecord } from "@backstitch/expressions/Container"
import type * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import type { Node } from "../grammar/reader.ts"
import { checkSealed, type Declared, readExpression, readFunction, readTemplate, stateNames } from "../grammar/scope.ts"
import * as Operation from "../state/Operation.ts"
import * as Sensitive from "../state/Sensitive.ts"
import * as Normaliser from "../tool/Normaliser.ts"
import * as Readback from "../tool/Readback.ts"
import * as ToolContract from "../tool/ToolContract.ts"
import { readCost } from "./cost.ts"
import { depthAdvice, readAcceptsWord, readKeeps, readWaives } from "./depth.ts"
import { readFieldOrFields, readFields } from "./field.ts"
import { readReduction, resolveField } from "./operation.ts"
import { readReadback, readStatus, readWebhook, toolNames } from "./readback.ts"

/** What is known of all tools before any of them is read in full. */
export interface Tools {
  readonly declared: Declared
  readonly inputs: ReadonlyMap<string, Field.Fields>
  readonly names: ReadonlyArray<string>
  /** Currencies in which money is limited; `undefined` for a limit that names none. */
  readonly currencies: ReadonlyArray<string | undefined>
}

/** Reads the input of a tool alone, so that tools can refer to one another. */
export const readInput = (node: Node): Field.Fields => (node.isRecord() ? readFields(node.at("input")) : {})

/** Reads a tool; `undefined` where it is too broken to go on with. */
export const readTool = (name: string, node: Node, tools: Tools): ToolContract.ToolContract | undefined => {
  if (!node.shape("tool")) return undefined
  const sideEffect = readClass(node.at("class"))
  const input = tools.inputs.get(name) ?? {}
  const output = node.at("output").isAbsent ? undefined : readFieldOrFields(node.at("output"), { row: false })
  const names = toolNames(tools.declared, input, output)
  const before: Expression.Names = { ...stateNames(tools.declared), args: Field.object(input) }
  const read = sideEffect === "read_only"
  const undo = readUndo(name, node.at("undo"), { names, read, tools })
  const identity = readIdentity(node.at("identity"), input, sideEffect)
  const { asking, status } = readStatus(node.at("status"))
  const context = { declared: tools.declared, names, sections: ["world", "working"] as const }
  const model = node.at("model").isAbsent ? undefined : readFunction(node.at("model"))
  const onReconciled = readReduction(node.at("on_reconciled"), context)
  const recorded = readReduction(node.at("on_recorded"), { ...context, names: without(names, "actual") })
  const onRecorded = recorded ?? (model === undefined || read ? undefined : effectOf(model))
  const target = readTarget(node.at("target"), before)
  const tenant = node.at("tenant").isAbsent ? undefined : readExpression(node.at("tenant"), before, "string")
  const cost = readCost(node.at("cost"), { before, names, currencies: tools.currencies })
  const readback = readReadback(node.at("readback"), names)
  const webhook = readWebhook(node.at("webhook"), names)
  unsealable(node, input, output)
  const transaction = node.at("transaction").isAbsent
    ? undefined
    : node.at("transaction").oneOf(ToolContract.transactions)
  const keeps = readKeeps(node.at("keeps"), names)
  const waives = readWaives(node.at("waives"), sideEffect)
  const acceptsWord = readAcceptsWord(node.at("accepts_word"))
  const description = node.at("description").text()
  const declaredWrites = readKeys(node.at("writes"), tools.declared)
  const contract: ToolContract.ToolContract = {
    name,
    known: true,
    ...(description === undefined ? {} : { description }),
    class: sideEffect ?? "critical_mutation",
    idempotency: readIdempotency(node.at("idempotency"), read, identity, status),
    input,
    ...(output === undefined ? {} : { output }),
    ...(target === undefined ? {} : { target }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(identity === undefined ? {} : { identity }),
    ...(transaction === undefined ? {} : { transaction }),
    times: readTimes(node.at("times")),
    ...(cost === undefined ? {} : { cost }),
    status,
    asking,
    ...(readback === undefined ? {} : { readback }),
    ...(webhook === undefined ? {} : { webhook }),
    undo,
    ...(keeps === undefined ? {} : { keeps }),
    ...(waives === undefined ? {} : { waives }),
    ...(acceptsWord === undefined ? {} : { acceptsWord }),
    reads: readKeys(node.at("reads"), tools.declared),
    writes: [...new Set([...declaredWrites, ...writesOf(onReconciled), ...writesOf(onRecorded)])].sort(),
    assumes: node.at("assumes").references(Object.keys(tools.declared.clauses), "clause"),
    ...(model === undefined ? {} : { model }),
    ...(onReconciled === undefined ? {} : { onReconciled }),
    ...(onRecorded === undefined ? {} : { onRecorded })
  }
  contradictions(node, contract)
  advice(node, contract)
  if (!node.at("class").isAbsent) depthAdvice(node, contract)
  return contract
}

/**
 * What a provider tells of its own accord is not known to be about anybody before it is decided: nothing of the body is
 * kept, and no digest of it by which a value could be guessed.
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
      hint: "What a provider sends would be committed in clear"
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

/** What a tool with sensitive values is given or answers, and its contract does not declare, is sealed as a whole. */
const undescribed = (node: Node, input: Field.Fields, output: Field.Field | undefined): void => {
  const hint = "What is not declared is sealed as a whole, and no expression can read it"
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

const without = (names: Expression.Names, name: string): Expression.Names =>
  Object.fromEntries(Object.entries(names).filter(([key]) => key !== name))

/** What a model changes, without what it answers: what a recorded call did, unless the contract says otherwise. */
const effectOf = (model: ToolContract.Model): Operation.Reduction => ({
  _tag: "Function",
  function: model.function,
  run: (scope) => {
    const answer = model.run(scope)
    if (!isRecord(answer)) throw new TypeError(`the model answered ${Field.nameOf(answer)}, expected { output, world }`)
    return answer["world"] === undefined ? {} : { world: answer["world"] }
  }
})

const readClass = (node: Node): ToolContract.SideEffect | undefined => {
  if (!node.isAbsent) return node.oneOf(ToolContract.sideEffects)
  return node.fail({ found: "nothing", expected: `a side-effect class: ${ToolContract.sideEffects.join(", ")}` })
}

const readIdempotency = (
  node: Node,
  read: boolean,
  identity: ToolContract.Identity | undefined,
  status: "by_key" | "none"
): ToolContract.Idempotency => {
  const declared = node.isAbsent ? undefined : node.oneOf(ToolContract.idempotencies)
  if (declared !== undefined) return declared
  return read ? "read" : identity !== undefined && status === "by_key" ? "idempotent_write" : "effectful"
}

/** `none` says that calls do not exclude one another. */
const readTarget = (node: Node, names: Expression.Names): Expression.Expression | undefined =>
  node.isAbsent || node.value === "none" ? undefined : readExpression(node, names, "string")

const readTimes = (node: Node): ToolContract.Times => {
  if (node.isAbsent || !node.shape("times")) return {}
  const sendWithinMillis = node.at("sendWithin").duration()
  const settleAfterMillis = node.at("settleAfter").duration()
  const keyRetentionMillis = node.at("keyRetention").duration()
  if (keyRetentionMillis !== undefined && keyRetentionMillis < (sendWithinMillis ?? 0) + (settleAfterMillis ?? 0)) {
    node.at("keyRetention").fail({
      found: String(node.at("keyRetention").value),
      expected: "at least sendWithin and settleAfter together",
      hint: "A key that is forgotten before the effect can show itself cannot be asked about"
    })
  }
  return {
    ...(sendWithinMillis === undefined ? {} : { sendWithinMillis }),
    ...(settleAfterMillis === undefined ? {} : { settleAfterMillis }),
    ...(keyRetentionMillis === undefined ? {} : { keyRetentionMillis })
  }
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
  if (!node.shape("identity")) return undefined
  const scope = node.at("scope").isAbsent
    ? node.at("scope").fail({ found: "nothing", expected: `one of ${ToolContract.identityScopes.join(", ")}` })
    : node.at("scope").oneOf(ToolContract.identityScopes)
  const fields = readIdentityFields(node.at("fields"), Object.keys(input))
  return scope === undefined ? undefined : { scope, fields }
}

const readIdentityFields = (node: Node, known: ReadonlyArray<string>): ToolContract.Identity["fields"] => {
  const pairs = Array.isArray(node.value)
    ? node.items().flatMap((item) => (item.isRecord() ? item.entries() : [[String(item.value), item] as const]))
    : node.entries()
  if (pairs.length === 0) node.fail({ found: "no fields", expected: "at least one field of the input" })
  return pairs.flatMap(([field, item]) => {
    if (!known.includes(field)) {
      const expected = `a field of the input (declared: ${known.join(", ") || "none"})`
      item.fail({ found: `the field ${field}`, expected, key: true })
    }
    // A field in a list stands for itself, whatever its name; in a mapping, `name: name` names the normaliser.
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
  options: { readonly names: Expression.Names; readonly read: boolean; readonly tools: Tools }
): ToolContract.Undo => {
  const fallback: ToolContract.Undo = { class: options.read ? "I" : "X", with: {} }
  if (node.isAbsent) return fallback
  if (typeof node.value === "string") {
    const reversibility = node.oneOf(ToolContract.reversibilities)
    if (reversibility === "R" || reversibility === "K") refuseMissingUndo(node, reversibility)
    return reversibility === undefined ? fallback : { class: reversibility, with: {} }
  }
  if (!node.shape("undo")) return fallback
  const reversibility = node.at("class").oneOf(ToolContract.reversibilities)
  const by = node.at("by").isAbsent ? undefined : node.at("by").reference(options.tools.names, "tool")
  if (node.at("class").isAbsent) node.at("class").fail({ found: "nothing", expected: "one of I, R, K, X" })
  if (node.at("by").isAbsent && (reversibility === "R" || reversibility === "K")) refuseMissingUndo(node, reversibility)
  if (by === name && node.at("with").isAbsent) {
    node.at("by").fail({
      found: `${by}, the tool itself`,
      expected: "another tool, or arguments in with that put back what was there"
    })
  }
  const filled: Record<string, Operation.Template> = {}
  for (const [key, child] of node.at("with").entries()) {
    const template = readTemplate(child, options.names)
    if (template !== undefined) filled[key] = template
  }
  if (by !== undefined) checkArguments(node.at("with"), by, filled, options.tools)
  const narrows = node.at("narrows").isAbsent ? undefined : readExpression(node.at("narrows"), options.names, "string")
  return {
    class: reversibility ?? fallback.class,
    ...(by === undefined ? {} : { by }),
    with: filled,
    ...(narrows === undefined ? {} : { narrows })
  }
}

const refuseMissingUndo = (node: Node, reversibility: "R" | "K"): void => {
  const found = `${reversibility} without by`
  node.fail({ found, expected: "the tool that undoes it, as by", hint: "Declare X where nothing can undo it" })
}

/** Refuses arguments that a tool does not take, and the lack of those that it needs. */
export const checkArguments = (
  node: Node,
  by: string,
  given: Readonly<Record<string, Operation.Template>>,
  tools: Tools
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

/** Interface keys: fields of the state, or names that skeletons agree on. */
const readKeys = (node: Node, declared: Declared): ReadonlyArray<string> => {
  const keys = node.texts()
  keys.forEach((key, index) => {
    if (!/^(?:world|working|state)\./.test(key)) return
    const resolved = resolveField(key, declared)
    if (resolved !== undefined && resolved !== "ambiguous") return
    const at = Array.isArray(node.value) ? node.at(index) : node
    const known = (["world", "working"] as const).flatMap((section) =>
      Object.keys(declared[section]).map((name) => `${section}.${name}`)
    )
    at.reference(known, "field")
  })
  return keys
}

const writesOf = (reduction: Operation.Reduction | undefined): ReadonlyArray<string> => {
  const writes = reduction === undefined ? [] : Operation.writes(reduction)
  return writes === "any" ? [] : writes
}

const contradictions = (node: Node, contract: ToolContract.ToolContract): void => {
  const read = contract.class === "read_only"
  const refuse = (key: string, found: string, expected: string, hint?: string) =>
    node.at(key).fail({ found, expected, hint, key: true })
  if (contract.transaction !== undefined) refuseTransaction(contract, refuse)
  if (read) {
    const changed = contract.writes.filter((path) => !path.startsWith("working."))
    if (changed.length > 0)
      refuse(
        node.at("writes").isAbsent ? "on_reconciled" : "writes",
        `read_only that writes ${changed.join(", ")}`,
        "a class that changes the world, or no writes"
      )
    if (contract.target !== undefined) refuse("target", "read_only with a target", "no target: reading excludes nobody")
    if (contract.undo.class !== "I") refuse("undo", `read_only with undo ${contract.undo.class}`, "I, or no undo")
    if (contract.undo.by !== undefined) refuse("undo", `read_only undone by ${contract.undo.by}`, "no undo")
    if (contract.idempotency !== "read") refuse("idempotency", `read_only that is ${contract.idempotency}`, "read")
    return
  }
  if (contract.idempotency === "read")
    refuse("idempotency", `${contract.class} declared as read`, "idempotent_write or effectful")
  if (contract.undo.class === "I" && !node.at("class").isAbsent) {
    refuse(
      "undo",
      `I on a tool that is ${contract.class}`,
      "R, K or X",
      "I means that the world does not change; a write that may be repeated is still R, K or X"
    )
  }
  if ((contract.undo.class === "X" || contract.undo.class === "I") && contract.undo.by !== undefined) {
    refuse("undo", `${contract.undo.class} with by`, "R or K, or no by")
  }
  if (contract.status === "by_key" && contract.identity === undefined) {
    refuse("status", "by_key without an identity", "an identity, from which the key is derived")
  }
  if (contract.webhook !== undefined && contract.identity === undefined) {
    refuse("webhook", "a webhook without an identity", "an identity, from which the key is derived")
  }
  if (contract.idempotency === "idempotent_write" && contract.identity === undefined && contract.status !== "by_key") {
    refuse("idempotency", "idempotent_write without an identity", "an identity, from which the key is derived")
  }
}

/** What is committed only after it was read inside has to be readable, strongly, and by nobody else's word. */
const refuseTransaction = (
  { class: sideEffect, readback, status, times, webhook }: ToolContract.ToolContract,
  refuse: (key: string, found: string, expected: string, hint?: string) => void
): void => {
  if (sideEffect === "read_only") {
    refuse("transaction", "read_only in a transaction", "a class that changes the world, or no transaction")
    return
  }
  if (readback === undefined) {
    const hint = "It is read inside before it is committed, and from outside afterwards"
    refuse("transaction", "a local transaction without a readback", "a readback and what it has to show", hint)
  } else if (readback.consistency !== "strong" || Readback.isLagging(readback.from)) {
    const hint = "That nothing remains of what was rolled back is believed of the system of record alone"
    refuse("transaction", "a local transaction that is read back late", "a strong readback from its own store", hint)
  }
  if (status === "by_key") {
    const hint = "What is open is on record under no key; what was committed is read back"
    refuse("status", "by_key on a local transaction", "none", hint)
  }
  if (webhook !== undefined) {
    refuse("webhook", "a webhook on a local transaction", "none: whoever holds it open settles it")
  }
  if (times.sendWithinMillis === undefined || times.settleAfterMillis === undefined) {
    const hint = "What a crash left open counts as aborted only when nobody can commit it any more"
    refuse("transaction", "a local transaction without its times", "times.sendWithin and times.settleAfter", hint)
  }
}

/** What cannot be verified is said, with what it comes to and what would change that. */
const adviseWord = (node: Node, contract: ToolContract.ToolContract): void => {
  const { acceptsWord, class: sideEffect, webhook } = contract
  const isGrave = ToolContract.isGrave(contract)
  if (ToolContract.isVerifiable(contract) || (isGrave && webhook !== undefined)) {
    if (acceptsWord === undefined) return
    const expected = "accepts_word only where much is at stake and nothing can be checked"
    node.at("accepts_word").warn({ found: "accepts_word on a tool that is verified", expected, key: true })
    return
  }
  if (acceptsWord !== undefined) {
    node.at("accepts_word").warn({
      found: `${sideEffect} whose own word ${acceptsWord.by} accepts`,
      expected: "a readback or status: by_key",
      hint: "What it did settles on its own word, and is never reported as verified",
      key: true
    })
    return
  }
  node.warn({
    found: `${sideEffect} without a readback`,
    expected: `a readback or status: by_key${isGrave ? ", or accepts_word with who accepts the tool's own word and why" : ""}`,
    hint: isGrave
      ? "Whatever it answers is held until a person decides (row 16 of the recovery table)"
      : "What it did can never be reported as done",
    key: true
  })
}

const advice = (node: Node, contract: ToolContract.ToolContract): void => {
  if (contract.class === "read_only" || node.at("class").isAbsent) return
  if (contract.status === "by_key" && !ToolContract.canBeAsked(contract)) {
    node.at("status").warn({
      found: "by_key without all three times",
      expected: "sendWithin, settleAfter and keyRetention",
      hint: "Without them a missing effect stays unknown and is held"
    })
  }
  adviseWord(node, contract)
  if (node.at("undo").isAbsent) {
    const hint = "It counts as X: nothing can undo it, and no saga goes back across it"
    node.warn({ found: "no undo", expected: "how it is undone, or X", hint, key: true })
  }
  adviseOnWrites(node, contract)
  if (contract.target === undefined && node.at("target").isAbsent) {
    const hint = "Without a target, two calls may change one thing at once"
    node.warn({ found: "no target", expected: "the resource that it changes, or none", hint, key: true })
  }
}

/** What reads of a tool what it changes goes by `writes`. */
const adviseOnWrites = (node: Node, { onReconciled, onRecorded, writes }: ToolContract.ToolContract): void => {
  if (writes.length === 0 && onReconciled?._tag !== "Function" && onRecorded?._tag !== "Function") {
    const hint = "Nothing of what it does is believed, and nothing can be told to depend on it"
    node.warn({ found: "no writes and no on_reconciled", expected: "the fields that it changes", hint, key: true })
  }
  const declared = node.at("writes").texts()
  const more = writes.filter((path) => !declared.includes(path))
  if (declared.length > 0 && more.length > 0) {
    const hint = "They are taken to be written as well"
    node
      .at("writes")
      .warn({ found: `writes without ${more.join(", ")}`, expected: "every field that it changes", hint })
  }
}
