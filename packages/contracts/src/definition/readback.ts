/** Reads how a tool is proven: its readback, how it is asked about a key, and what a provider delivers. */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import type { Node } from "../grammar/reader.ts"
import { type Declared, isFunctionNode, readCondition, readExpression, stateNames } from "../grammar/scope.ts"
import type * as Condition from "../state/Condition.ts"
import * as Sensitive from "../state/Sensitive.ts"
import * as Expectation from "../tool/Expectation.ts"
import * as Polling from "../tool/Polling.ts"
import * as Readback from "../tool/Readback.ts"
import type * as ToolContract from "../tool/ToolContract.ts"
import * as Webhook from "../tool/Webhook.ts"
import * as WebhookForm from "../tool/WebhookForm.ts"
import { readChecks } from "./depth.ts"

/** Names that are in scope once a tool has answered and been read back. */
export const toolNames = (
  declared: Declared,
  input: Field.Fields,
  output: Field.Field | undefined
): Expression.Names => ({
  ...stateNames(declared),
  args: Field.object(input),
  observed: output ?? "any",
  // A record is sealed as the answer is: what is sensitive there is sensitive here.
  actual: output !== undefined && Sensitive.isIn(output) ? output : "any"
})

/** Beside those, what a record is held against: the action's own scope, key, times and versions. */
const recordNames = (names: Expression.Names): Expression.Names => ({
  ...names,
  actor: "any",
  key: { type: "string" },
  planned: "any",
  startedAt: { type: "string" },
  target: { type: "string" },
  tenant: { type: "string" },
  token: "any",
  version: "any"
})

/** Reads whether and how a tool is asked about a key. */
export const readStatus = (
  node: Node
): { readonly status: ToolContract.ToolContract["status"]; readonly asking: ToolContract.Asking } => {
  if (!node.isRecord()) return { status: node.oneOf(["by_key", "none"] as const) ?? "none", asking: {} }
  if (!node.shape("status")) return { status: "none", asking: {} }
  if (node.at("by").value !== "key") node.at("by").fail({ found: String(node.at("by").value), expected: "key" })
  const poll = readPoll(node.at("poll"))
  const withinMillis = node.at("within").duration()
  const asking = { ...(poll === undefined ? {} : { poll }), ...(withinMillis === undefined ? {} : { withinMillis }) }
  return { status: "by_key", asking }
}

/** Reads a schedule: one duration, or waits that grow. */
export const readPoll = (node: Node): Polling.Polling | undefined => {
  if (node.isAbsent) return undefined
  if (!node.isRecord()) {
    const millis = node.duration()
    return millis === undefined ? undefined : Polling.every(positive(node, millis))
  }
  if (!node.shape("poll")) return undefined
  const first = node.at("first").isAbsent
    ? node.at("first").fail({ found: "nothing", expected: "the first wait, such as 250ms" })
    : node.at("first").duration()
  if (first === undefined) return undefined
  const given = node.at("factor").value ?? Polling.standard.factor
  const factor = typeof given === "number" && given >= 1 ? given : node.at("factor").expected("a number of at least 1")
  const firstMillis = positive(node.at("first"), first)
  const maxMillis = node.at("max").duration() ?? Math.max(firstMillis, Polling.standard.maxMillis)
  if (maxMillis < firstMillis) {
    node.at("max").fail({ found: String(node.at("max").value), expected: "at least the first wait" })
  }
  return { firstMillis, factor: factor ?? Polling.standard.factor, maxMillis }
}

const positive = (node: Node, millis: number): number => {
  if (millis === 0) node.fail({ found: String(node.value), expected: "a wait of at least 1ms" })
  return millis
}

/** Reads how the system of record is read. */
export const readReadback = (node: Node, given: Expression.Names): Readback.Readback | undefined => {
  if (node.isAbsent || !node.shape("readback")) return undefined
  const names = recordNames(given)
  const source = node.at("source").required("the system of record")
  const from = readOrigin(node.at("from"))
  const expect = readExpect(node.at("expect"), names)
  const withinMillis = node.at("within").duration()
  const poll = readPoll(node.at("poll"))
  const consistency = node.at("consistency").oneOf(Readback.consistencies) ?? "strong"
  const before = readBefore(node, given)
  const token = readOptional(node.at("token"), without(names, ["actual"]))
  if (token !== undefined && before.version === undefined) {
    node.at("token").fail({ found: "token without version", expected: "the version that the record shows", key: true })
  }
  if (consistency === "token" && token === undefined) {
    node.at("consistency").fail({ found: "token", expected: "the commit that the answer names, as token" })
  }
  const sources = node
    .at("sources")
    .items()
    .flatMap((each) => readSource(each, names, expect))
  const strong = readStrong(node.at("strong"))
  const named = [source, ...(strong === undefined ? [] : [strong.source]), ...sources.map((each) => each.source)]
  const twice = named.find((name, index) => named.indexOf(name) !== index)
  if (twice !== undefined) {
    node.at("sources").fail({ found: `the source ${twice} twice`, expected: "sources that can disagree" })
  }
  if (source === undefined) return undefined
  return {
    source,
    ...(from === undefined ? {} : { from }),
    expect,
    ...(withinMillis === undefined ? {} : { withinMillis }),
    ...(poll === undefined ? {} : { poll }),
    consistency,
    scope: readScope(node.at("scope"), names),
    ...before,
    ...(token === undefined ? {} : { token }),
    ...(strong === undefined ? {} : { strong }),
    sources
  }
}

const readOptional = (node: Node, names: Expression.Names): Expression.Expression | undefined =>
  node.isAbsent ? undefined : readExpression(node, names)

const without = (names: Expression.Names, gone: ReadonlyArray<string>): Expression.Names =>
  Object.fromEntries(Object.entries(names).filter(([name]) => !gone.includes(name)))

const readExpect = (node: Node, names: Expression.Names): ReadonlyArray<Expectation.Expectation> => {
  const nodes = Array.isArray(node.value) ? node.items() : node.isAbsent ? [] : [node]
  if (nodes.length === 0) node.fail({ found: "nothing", expected: "at least one condition over actual" })
  const expect = nodes.flatMap((each) => {
    const read = readExpectation(each, names)
    if (read !== undefined) adviseToLook(each, read)
    return read ?? []
  })
  refuseSecond(nodes)
  return expect
}

/** A condition that does not look at the record holds whatever became of the action. */
const adviseToLook = (node: Node, expectation: Expectation.Expectation): void => {
  if (expectation._tag !== "Expression") return
  if (expectation.expression.reads.some((path) => /^actual(?:\.|$)/.test(path))) return
  const hint = "It holds whatever the record shows"
  node.warn({ found: "an expectation that does not look at the record", expected: "a condition over actual", hint })
}

/** What lags behind is named for what it is, and can then only hint. */
const readOrigin = (node: Node): Readback.Origin | undefined => {
  const origin = node.oneOf(Readback.origins)
  if (Readback.isLagging(origin)) {
    node.warn({
      found: `a readback from a ${origin}`,
      expected: "the system of record",
      hint: "What lags behind confirms nothing: the action is never reported as done"
    })
  }
  return origin
}

/** What is known of the record before anything is sent, and of the parts of an effect. */
const readBefore = (node: Node, names: Expression.Names): Pick<Readback.Readback, "before" | "parts" | "version"> => {
  const isVersioned = !node.at("version").isAbsent && node.at("version").shape("version")
  const planned = isVersioned ? readExpression(node.at("version").at("planned"), names) : undefined
  const actual = isVersioned ? readExpression(node.at("version").at("actual"), names) : undefined
  const before = node.at("before").isAbsent ? undefined : node.at("before").oneOf(["permit", "refuse"] as const)
  const parts: Record<string, Condition.Condition> = {}
  for (const [name, child] of node.at("parts").entries()) {
    const condition = readCondition(child, names)
    if (condition !== undefined) parts[name] = condition
  }
  return {
    ...(before === undefined ? {} : { before }),
    ...(planned === undefined || actual === undefined ? {} : { version: { planned, actual } }),
    ...(Object.keys(parts).length === 0 ? {} : { parts })
  }
}

/** A bare condition, or one that says what it is taken for where it is not met. */
const readExpectation = (node: Node, names: Expression.Names): Expectation.Expectation | undefined => {
  if (!node.isRecord() || isFunctionNode(node)) return readCondition(node, names)
  if (!node.shape("expectation")) return undefined
  const indicator = node.at("id").required("the failure that it notices")
  const otherwise = node.at("otherwise").oneOf(Expectation.discrepancies)
  if (node.at("holds").isAbsent) return node.at("holds").fail({ found: "nothing", expected: "a condition over actual" })
  const condition = readCondition(node.at("holds"), names)
  if (condition === undefined || indicator === undefined) return undefined
  const checks = readChecks(node.at("checks"))
  return {
    ...condition,
    indicator,
    ...(otherwise === undefined ? {} : { otherwise }),
    ...(checks === undefined ? {} : { checks })
  }
}

const refuseSecond = (nodes: ReadonlyArray<Node>): void => {
  const ids = nodes.map((each) => each.at("id"))
  ids.forEach((id, index) => {
    if (id.isAbsent || ids.findIndex(({ value }) => value === id.value) === index) return
    id.fail({ found: `a second expectation ${String(id.value)}`, expected: "another name" })
  })
}

const readScope = (node: Node, names: Expression.Names): Readback.Readback["scope"] => {
  if (node.isAbsent || !node.shape("scope")) return {}
  const scope: { [Name in Readback.ScopeName]?: Readback.Scoped } = {}
  for (const name of Readback.scopes) {
    const child = node.at(name)
    if (child.isAbsent) continue
    const isFull = child.isRecord() && child.shape("scoped")
    const shows = readExpression(isFull ? child.at("shows") : child, names)
    const expects = isFull ? readExpression(child.at("expects"), names) : undefined
    if (!isFull && name !== "tenant" && name !== "target") {
      child.fail({ found: `${name} without what it has to be`, expected: "shows and expects" })
    }
    if (shows !== undefined) scope[name] = { shows, ...(expects === undefined ? {} : { expects }) }
  }
  return scope
}

/** What is read for certainty may not lag itself. */
const readStrong = (node: Node): Readback.Strong | undefined => {
  if (node.isAbsent || !node.shape("strong")) return undefined
  const source = node.at("source").required("the source of a strong read")
  const from = node.at("from").oneOf(Readback.origins)
  if (Readback.isLagging(from)) {
    return node.at("from").fail({ found: String(from), expected: "an origin that does not lag, such as primary" })
  }
  return source === undefined ? undefined : { source, ...(from === undefined ? {} : { from }) }
}

const readSource = (
  node: Node,
  names: Expression.Names,
  fallback: ReadonlyArray<Expectation.Expectation>
): ReadonlyArray<Readback.Source> => {
  if (!node.shape("source")) return []
  const source = node.at("source").required("a further source")
  const from = readOrigin(node.at("from"))
  const expect = node.at("expect").isAbsent ? fallback : readExpect(node.at("expect"), names)
  return source === undefined ? [] : [{ source, ...(from === undefined ? {} : { from }), expect }]
}

/** Reads what a provider delivers. */
export const readWebhook = (node: Node, given: Expression.Names): Webhook.Webhook | undefined => {
  if (node.isAbsent || !node.shape("webhook")) return undefined
  const names: Expression.Names = { ...without(given, ["actual", "observed", "args"]), body: "any" }
  const form = node.at("form").oneOf(WebhookForm.names) ?? "hmac"
  const secrets = readSecrets(node.at("secret"))
  const header = node.at("header").text()
  const key = readExpression(node.at("key"), names)
  const done = readExpression(node.at("done"), names, "bool")
  const failed = node.at("failed").isAbsent ? undefined : readExpression(node.at("failed"), names, "bool")
  const output = readOptional(node.at("output"), names)
  const sent = readOptional(node.at("sent"), names)
  const id = readOptional(node.at("id"), names)
  const isTimeless = node.at("tolerance").value === "none"
  const toleranceMillis = isTimeless ? "none" : (node.at("tolerance").duration() ?? Webhook.standardToleranceMillis)
  refuseForm(node, form)
  if (secrets.length === 0 || key === undefined || done === undefined) return undefined
  return {
    form,
    secrets,
    toleranceMillis,
    ...(header === undefined ? {} : { header: header.toLowerCase() }),
    key,
    done,
    ...(failed === undefined ? {} : { failed }),
    ...(output === undefined ? {} : { output }),
    ...(sent === undefined ? {} : { sent }),
    ...(id === undefined ? {} : { id })
  }
}

/** Names of variables: one, or several while a secret is being replaced. */
const readSecrets = (node: Node): ReadonlyArray<string> => {
  const secrets = Array.isArray(node.value)
    ? node.texts()
    : [node.required("the name of an environment variable")].filter((name) => name !== undefined)
  if (Array.isArray(node.value) && secrets.length === 0) {
    node.fail({ found: "no name", expected: "the name of an environment variable, such as PAYMENTS_SECRET" })
  }
  if (secrets.some((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))) {
    node.fail({
      found: "something that is no name of a variable",
      expected: "the name of an environment variable, such as PAYMENTS_SECRET",
      hint: "The secret itself is written nowhere"
    })
  }
  return secrets
}

/** A form says what is signed: nothing is declared that it has no room for, or that has no effect. */
const refuseForm = (node: Node, form: WebhookForm.WebhookForm): void => {
  const isTimed = form === "stripe" || form === "standard_webhooks"
  if (form !== "hmac" && !node.at("header").isAbsent) {
    node.at("header").fail({ found: `a header of the form ${form}`, expected: "none: the form names its own" })
  }
  if (form === "standard_webhooks" && !node.at("id").isAbsent) {
    node.at("id").fail({ found: `an id of the form ${form}`, expected: "none: webhook-id is signed" })
  }
  const isTimeless = node.at("tolerance").value === "none"
  const isSent = !node.at("sent").isAbsent
  if (isTimeless && (isTimed || isSent)) {
    const time = isSent ? "sent reads" : `the form ${form} signs`
    node.at("tolerance").fail({ found: `no tolerance of the time that ${time}`, expected: "a duration such as 5m" })
  }
  if (!isTimeless && !isTimed && !isSent) {
    node.fail({
      found: `a delivery of the form ${form}, which signs no time`,
      expected: "sent, when the body says that it was written, or tolerance: none",
      hint: "Without a time an old delivery is as good as a new one: its id, or its body, keeps it from counting twice"
    })
  }
}
