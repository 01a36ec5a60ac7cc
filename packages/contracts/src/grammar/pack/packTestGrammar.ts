/** The tests of a pack as they are written: proposals, each with its expected answer. */

import type { Json } from "@backstitch/trace/Canonical"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { resolveField } from "../tool/operationGrammar.ts"
import type { Rules } from "./rulesGrammar.ts"

const expectation = Grammar.object("expect", "The decision that a test expects.", {
  refused: Grammar.key("The guard, or the check, that refuses the proposal.", Grammar.text),
  allowed: Grammar.key("`true` if the proposal is allowed.", Grammar.flag),
  approval: Grammar.key("`true` if a person has to approve it.", Grammar.flag),
  violated: Grammar.key("Violations that hold in the given state.", Grammar.textOrTexts),
  holds: Grammar.key("Clauses that hold in the given state.", Grammar.texts)
})

const values = Grammar.leaf<Readonly<Record<string, Json>>, unknown>({ type: "object" }, (node) => node.value)

/** A proposal and the expected answer of the contract. */
export const test = Grammar.object("test", "A proposal, and the answer of the pack.", {
  name: Grammar.key("The title of the test.", Grammar.text),
  given: Grammar.key("Values of fields of the state, by path.", Grammar.record(Grammar.any<Json>())),
  clauses: Grammar.key("Values of clauses, by name.", Grammar.record(Grammar.any<Json>())),
  propose: Grammar.key(
    "One tool or transition type, with its arguments.",
    Grammar.needed(Grammar.record(Grammar.emptied(values)))
  ),
  expect: Grammar.key("The answer that the pack has to give.", Grammar.needed(expectation))
})

/** A proposal and the answer that the pack expects for it. */
export interface PackTest {
  readonly name?: string
  readonly given: Readonly<Record<string, Json>>
  readonly clauses: Readonly<Record<string, Json>>
  readonly subject: string
  readonly args: Readonly<Record<string, Json>>
  readonly expect: Grammar.WrittenOf<typeof expectation>
}

/** Reasons for a refusal that are not guards. */
const reasons = ["schema", "required_state", "policy", "budget", "context", "approval", "halted", "author"]

/** Reads the tests. */
export const readTests = (
  node: Node,
  rules: Rules,
  known: { readonly guards: ReadonlyArray<string>; readonly violations: ReadonlyArray<string> }
): ReadonlyArray<PackTest> =>
  node.items().flatMap((child) => {
    if (!child.hasKeysOf(test.keys)) return []
    const given: Record<string, Json> = {}
    for (const [path, value] of child.at("given").entries()) {
      const found = resolveField(path, rules.declared)
      if (found !== undefined && found !== "ambiguous") given[`${found.section}.${found.name}`] = value.value as Json
      else value.fail({ found: `the field ${path}`, expected: "a field that the pack declares", key: true })
    }
    for (const [name, value] of child.at("clauses").entries()) {
      if (!Object.hasOwn(rules.declared.clauses, name))
        value.fail({ found: `clause ${name}`, expected: "a clause of the specification", key: true })
    }
    const [proposal, ...others] = child.at("propose").entries()
    if (proposal === undefined || others.length > 0) {
      child
        .at("propose")
        .fail({ found: `${others.length + (proposal === undefined ? 0 : 1)} proposals`, expected: "exactly one" })
      return []
    }
    const [subject, args] = proposal
    if (!rules.subjects.includes(subject)) {
      args.fail({ found: `${subject}`, expected: "a tool or transition type that the pack knows", key: true })
    }
    const expect = child.at("expect")
    if (!expect.hasKeysOf(expectation.keys)) return []
    if (!expect.at("refused").isAbsent) expect.at("refused").reference([...known.guards, ...reasons], "guard")
    if (!expect.at("violated").isAbsent) expect.at("violated").references(known.violations, "violation")
    if (!expect.at("holds").isAbsent) expect.at("holds").references(Object.keys(rules.declared.clauses), "clause")
    const name = child.at("name").text()
    return [
      {
        ...(name === undefined ? {} : { name }),
        given,
        clauses: (child.at("clauses").value ?? {}) as PackTest["clauses"],
        subject,
        args: (args.value ?? {}) as PackTest["args"],
        expect: expect.value as PackTest["expect"]
      }
    ]
  })
