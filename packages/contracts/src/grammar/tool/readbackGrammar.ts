/**
 * Readbacks as a contract writes them: the sources to ask (`source`, `strong`, `sources`), the conditions that confirm
 * a call (`expect`, `scope`, `parts`), and how late a read may be (`consistency`, `token`, `version`, `within`,
 * `poll`).
 */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import { defined } from "@backstitch/trace/Defined"
import * as Sensitive from "../../state/Sensitive.ts"
import * as Expectation from "../../tool/Expectation.ts"
import * as Readback from "../../tool/Readback.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { condition, conditionOr, duration, expression } from "../language.ts"
import { type DeclaredNames, stateNames } from "../scope.ts"
import { checks } from "./depthGrammar.ts"
import { poll } from "./pollGrammar.ts"

const { complete, key, needed, object, oneOf, text } = Grammar

/** Names that are in scope after a tool has answered and was read back. */
export const toolNames = (
  declared: DeclaredNames,
  input: Field.Fields,
  output: Field.Field | undefined
): Expression.Names => ({
  ...stateNames(declared),
  args: Field.object(input),
  observed: output ?? "any",
  // A record is sealed like the answer: fields that are sensitive in one are sensitive in the other.
  actual: output !== undefined && Sensitive.isIn(output) ? output : "any"
})

/** Names that are also in scope when a record is checked: the action's own scope, key, times and versions. */
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

/** The origin of a source. An origin that lags can only give a hint. */
const origin: Grammar.Grammar<Readback.ReadOrigin, Readback.ReadOrigin> = complete(
  oneOf(Readback.origins),
  (from, node) => {
    if (Readback.isLagging(from)) {
      node.warn({
        found: `a readback from a ${from}`,
        expected: "the system of record",
        hint: "A source that lags behind confirms nothing: the action is never reported as done"
      })
    }
    return from
  }
)

/** A condition with the discrepancy that it stands for if it is not met. */
const named = complete(
  object(
    "expectation",
    "A condition on the system of record, and the discrepancy that an unmet condition stands for.",
    {
      id: key("The name of the failure that it notices.", needed(text, "the failure that it notices")),
      holds: key("The condition over `actual`, the record.", needed(condition, "a condition over actual")),
      otherwise: key("The discrepancy that an unmet condition stands for.", oneOf(Expectation.discrepancies)),
      checks: key("Checks that it makes, if the condition does not show them.", checks)
    }
  ),
  ({ holds, id, ...rest }): Expectation.Expectation | undefined =>
    holds === undefined || id === undefined ? undefined : { ...holds, indicator: id, ...rest }
)

/** A bare condition over the record, or a named one. A condition that does not read the record leads to a warning. */
const expectation = complete(conditionOr(named), (read: Expectation.Expectation, node): Expectation.Expectation => {
  if (read._tag === "Expression" && !read.expression.reads.some((path) => /^actual(?:\.|$)/.test(path))) {
    const hint = "It holds whatever the record shows"
    node.warn({ found: "an expectation that does not look at the record", expected: "a condition over actual", hint })
  }
  return read
})

const expectations = complete(Grammar.oneOrMany(expectation), (read, node) => {
  const nodes = Grammar.nodesOf(node)
  if (nodes.length === 0) node.fail({ found: "nothing", expected: "at least one condition over actual" })
  refuseSecond(nodes)
  return read
})

const refuseSecond = (nodes: ReadonlyArray<Node>): void => {
  const ids = nodes.map((each) => each.at("id"))
  ids.forEach((id, index) => {
    if (id.isAbsent || ids.findIndex(({ value }) => value === id.value) === index) return
    id.fail({ found: `a second expectation ${String(id.value)}`, expected: "another name" })
  })
}

const scoped = object("scoped", "The value that the record shows, and the value that it has to have.", {
  shows: key("The value in the record, over `actual`.", needed(expression)),
  expects: key("The value that it has to have.", needed(expression))
})

/** A part of the scope as the record shows it, and optionally the value that it has to have. */
const scopeOf = (name: Readback.ScopeName) => ({
  ...Grammar.bareOr(expression, scoped),
  read: (node: Node, names: Expression.Names): Readback.Scoped | undefined => {
    if (node.isRecord()) {
      const { expects, shows } = scoped.read(node, names) ?? {}
      return shows === undefined ? undefined : { shows, ...defined({ expects }) }
    }
    const shows = expression.read(node, names)
    if (name !== "tenant" && name !== "target") {
      node.fail({ found: `${name} without what it has to be`, expected: "shows and expects" })
    }
    return shows === undefined ? undefined : { shows }
  }
})

const scope = object(
  "scope",
  "The tenant, the target and the other parties that an action is authorised for, as the record shows them.",
  Object.fromEntries(
    Readback.scopes.map((name) => [name, key(`The ${name} that the record shows.`, scopeOf(name))])
  ) as { readonly [Name in Readback.ScopeName]: ReturnType<typeof scopeOf> & Grammar.Key }
)

const source = object(
  "source",
  "A further source that has to agree. Without expect, it is held against the same conditions.",
  {
    source: key("The name of the source, under which the tool's code reads it.", needed(text, "a further source")),
    from: key("Its origin.", origin),
    expect: key("Its own conditions.", expectations)
  }
)

/** The source of a strong read, which may not lag itself. */
const strong = complete(
  object("strong", "The source of a strong read, where the first may lag. It has to show the same.", {
    source: key(
      "The name of the source, under which the tool's code reads it.",
      needed(text, "the source of a strong read")
    ),
    from: key("Its origin, which may not lag.", oneOf(Readback.origins))
  }),
  ({ from, source }, node): Readback.Strong | undefined => {
    if (Readback.isLagging(from)) {
      return node.at("from").fail({ found: String(from), expected: "an origin that does not lag, such as primary" })
    }
    return source === undefined ? undefined : { source, ...defined({ from }) }
  }
)

const version = complete(
  object("version", "The version of the target that the plan was made on, and the one that the record shows.", {
    planned: key("The version that the plan was made on.", needed(expression)),
    actual: key("The version that the record shows, over `actual`.", needed(expression))
  }),
  ({ actual, planned }) => (planned === undefined || actual === undefined ? undefined : { planned, actual })
)

const record = object("readback", "The read of the system of record that shows the effect.", {
  source: key("A name for the system of record.", needed(text, "the system of record")),
  from: key("Its origin. A replica and a cache confirm nothing.", origin),
  expect: key("Conditions over `actual`, the record: all have to hold.", needed(expectations)),
  within: key("The time within which the record has to show the effect.", duration),
  poll: key("When the record is read again until then.", poll),
  consistency: key(
    "The state that a read shows: the latest (default), at a named commit, or an older one.",
    oneOf(Readback.consistencies)
  ),
  scope: key("The parties that the action is authorised for, as the record shows them.", scope),
  before: key(
    "Reads the record before anything is sent: an effect that is there already counts, or needs a person.",
    oneOf(["permit", "refuse"])
  ),
  version: key("Sends nothing unless the record has the version of the plan.", version),
  parts: key(
    "Named parts of the effect, each with its condition, to recognise a partial one.",
    Grammar.record(condition)
  ),
  token: key("The commit that the tool's answer names; an earlier version does not show it yet.", expression),
  strong: key("The source that is read where the first one may lag.", strong),
  sources: key("Further sources that have to agree.", Grammar.list(source))
})

/** A readback, with the names that are in scope after a tool has answered. */
export const readback: Grammar.Grammar<Grammar.WrittenOf<typeof record>, Readback.Readback> = {
  ...record,
  read: (node, names) => (node.hasKeysOf(record.keys) ? readReadback(node, names) : undefined)
}

const readReadback = (node: Node, given: Expression.Names): Readback.Readback | undefined => {
  const names = recordNames(given)
  const { actual: _, ...before } = names
  const {
    consistency = "strong",
    expect = [],
    scope = {},
    source,
    sources = [],
    ...rest
  } = Grammar.pick(
    record,
    node,
    names,
    "source",
    "from",
    "expect",
    "within",
    "poll",
    "consistency",
    "scope",
    "strong",
    "sources"
  )
  const { parts = {}, ...known } = Grammar.pick(record, node, given, "before", "version", "parts")
  const { token } = Grammar.pick(record, node, before, "token")
  if (token !== undefined && known.version === undefined) {
    node.at("token").fail({ found: "token without version", expected: "the version that the record shows", key: true })
  }
  if (consistency === "token" && token === undefined) {
    node.at("consistency").fail({ found: "token", expected: "the commit that the answer names, as token" })
  }
  const further = sources.flatMap(({ expect: own = expect, from, source }) =>
    source === undefined ? [] : [{ source, ...defined({ from }), expect: own }]
  )
  const all = [
    source,
    ...(rest.strong === undefined ? [] : [rest.strong.source]),
    ...further.map((each) => each.source)
  ]
  const twice = all.find((name, index) => all.indexOf(name) !== index)
  if (twice !== undefined) {
    node.at("sources").fail({ found: `the source ${twice} twice`, expected: "sources that can disagree" })
  }
  if (source === undefined) return undefined
  return {
    source,
    ...rest,
    expect,
    consistency,
    scope,
    ...known,
    ...(Object.keys(parts).length === 0 ? {} : { parts }),
    ...defined({ token }),
    sources: further
  }
}
