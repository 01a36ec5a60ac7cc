/**
 * The depth of verification as a contract writes it: `waives`, `accepts_word`, `checks` and, of a reversal, `keeps`.
 * They are checked against the demands of its class.
 */

import * as CheckCoverage from "../../tool/CheckCoverage.ts"
import * as ToolContract from "../../tool/ToolContract.ts"
import * as VerificationCheck from "../../tool/VerificationCheck.ts"
import * as VerificationLatency from "../../tool/VerificationLatency.ts"
import * as VerificationSource from "../../tool/VerificationSource.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { expression } from "../language.ts"
import { currency } from "./costGrammar.ts"

/** Checks of its class that do not apply to a tool. */
export const waives = Grammar.object(
  "waives",
  "Checks of its class that do not apply to a tool, each with the reason.",
  Object.fromEntries(
    VerificationCheck.names.map((name) => [
      name,
      Grammar.key(`The reason not to check ${VerificationCheck.facts[name]}.`, Grammar.text)
    ])
  ) as { readonly [Name in VerificationCheck.VerificationCheck]: typeof Grammar.text & Grammar.Key }
)

/** A person who accepts the tool's own word, and the reason. */
export const acceptsWord = Grammar.complete(
  Grammar.object(
    "accepts_word",
    "Names who accepts what a tool answers where much is at stake and nothing can be checked, and why.",
    {
      by: Grammar.key("Their name or role.", Grammar.needed(Grammar.text, "who accepts it, by name or role")),
      why: Grammar.key("The reason.", Grammar.needed(Grammar.text, "the reason"))
    }
  ),
  ({ by, why }): ToolContract.AcceptsWord | undefined =>
    by === undefined || why === undefined ? undefined : { by, why }
)

/** The money that a reversal does not return. */
export const keeps = Grammar.complete(
  Grammar.object(
    "keeps",
    "The money that a reversal does not return, by its own record. An amount with decimal is in minor units.",
    {
      amount: Grammar.key(
        "The amount, over `actual`, the record that the reversal left.",
        Grammar.needed(expression, "an amount over actual, the record that the reversal left")
      ),
      currency: Grammar.key("Its currency.", Grammar.needed(currency, "a currency such as CHF")),
      decimal: Grammar.key("Digits behind the point of an amount in minor units.", Grammar.count(8))
    }
  ),
  ({ amount, currency, decimal = 0 }): ToolContract.Keeps | undefined =>
    amount === undefined || currency === undefined ? undefined : { amount, currency, decimal }
)

/** The checks that an expectation makes, if its condition does not show them. */
export const checks = Grammar.oneOrMany(Grammar.oneOf(VerificationCheck.names))

/** Warns of waivers for checks that the class does not demand. */
export const adviseOnWaivers = (
  node: Node,
  waived: VerificationCheck.Waivers,
  sideEffect: ToolContract.SideEffect
): void => {
  const asked = CheckCoverage.required[sideEffect]
  for (const name of VerificationCheck.names) {
    if (waived[name] === undefined || asked.includes(name)) continue
    const found = `${name}, which nothing asks of a ${sideEffect}`
    node.at(name).warn({ found, expected: `one of ${asked.join(", ")}`, key: true })
  }
}

/**
 * Warns of checks that the class demands and the contract omits, and of waits that are longer than the class permits.
 */
export const depthAdvice = (node: Node, contract: ToolContract.ToolContract): void => {
  const { missing, waived } = CheckCoverage.coverage(contract)
  // Reads are skipped, since their answer is evidence, and so are tools that cannot be verified, which another
  // warning covers. The audit shows them all.
  const isDeclared =
    contract.class === "read_only" ? contract.readback !== undefined : ToolContract.isVerifiable(contract)
  if (missing.length > 0 && isDeclared) {
    const at = contract.readback === undefined ? node.at("class") : node.at("readback")
    at.warn({
      found: `a ${contract.class} without the ${missing.length === 1 ? "check" : "checks"} ${missing.join(", ")}`,
      expected: `an expectation that compares ${missing.length === 1 ? "it" : "each of them"}, or a reason in waives`,
      hint: hintOf(contract.class),
      key: true
    })
  }
  // A waiver cannot replace a second source.
  if (contract.readback !== undefined && waived.includes("every_source")) {
    node
      .at("waives")
      .at("every_source")
      .warn({
        found: `a ${contract.class} that one source alone confirms`,
        expected: "another one in sources of its readback: two have to agree, whatever is waived",
        hint: hintOf(contract.class)
      })
  }
  for (const { at, origin } of VerificationSource.misfits(contract)) {
    at.reduce<Node>((inner, key) => inner.at(key), node).warn({
      found: `a readback of a ${contract.class} from a ${origin}`,
      expected: `one of ${VerificationSource.ofClass[contract.class].join(", ")}`,
      hint: "It confirms nothing for this class: the action is held, whatever the record shows"
    })
  }
  const latency = VerificationLatency.ofClass[contract.class]
  for (const { at, found } of VerificationLatency.contradictions(contract)) {
    at.reduce<Node>((inner, key) => inner.at(key), node).warn({
      found: `${found} for a ${contract.class}, whose proof is ${latency}`,
      expected: `at most ${VerificationLatency.longestMillis[latency] / 1000} s, or another class`
    })
  }
}

const hintOf = (sideEffect: ToolContract.SideEffect): string =>
  sideEffect === "critical_mutation"
    ? "Its effect is verified in part, and never reported as done"
    : "Its effect is reported as done, with the names of the checks that were not made"
