/** Reads what a contract says of the depth of its verification, and holds it against what its class asks for. */
import type * as Expression from "@backstitch/expressions/Expression"
import type { Node } from "../grammar/reader.ts"
import { readExpression } from "../grammar/scope.ts"
import * as CheckCoverage from "../tool/CheckCoverage.ts"
import * as ToolContract from "../tool/ToolContract.ts"
import * as VerificationCheck from "../tool/VerificationCheck.ts"
import * as VerificationLatency from "../tool/VerificationLatency.ts"
import { readCurrency } from "./rules.ts"

/** Reads which checks of its class a tool does without, and why. */
export const readWaives = (
  node: Node,
  sideEffect: ToolContract.SideEffect | undefined
): VerificationCheck.Waivers | undefined => {
  if (node.isAbsent || !node.shape("waives")) return undefined
  const waives: { [Name in VerificationCheck.VerificationCheck]?: string } = {}
  for (const name of VerificationCheck.names) {
    const child = node.at(name)
    const reason = child.text()
    if (reason === undefined) continue
    waives[name] = reason
    if (sideEffect === undefined || CheckCoverage.required[sideEffect].includes(name)) continue
    const asked = CheckCoverage.required[sideEffect].join(", ")
    child.warn({ found: `${name}, which nothing asks of a ${sideEffect}`, expected: `one of ${asked}`, key: true })
  }
  return waives
}

/** Reads who accepts what a tool answers, and why. */
export const readAcceptsWord = (node: Node): ToolContract.AcceptsWord | undefined => {
  if (node.isAbsent || !node.shape("accepts_word")) return undefined
  const by = node.at("by").required("who accepts it, by name or role")
  const why = node.at("why").required("the reason")
  return by === undefined || why === undefined ? undefined : { by, why }
}

/** Reads what a reversal keeps of the money. */
export const readKeeps = (node: Node, names: Expression.Names): ToolContract.Keeps | undefined => {
  if (node.isAbsent || !node.shape("keeps")) return undefined
  const amount = node.at("amount").isAbsent
    ? node.at("amount").fail({ found: "nothing", expected: "an amount over actual, the record that the reversal left" })
    : readExpression(node.at("amount"), names)
  const currency = node.at("currency").isAbsent
    ? node.at("currency").fail({ found: "nothing", expected: "a currency such as CHF" })
    : readCurrency(node.at("currency"))
  const decimal = node.at("decimal").count(8) ?? 0
  return amount === undefined || currency === undefined ? undefined : { amount, currency, decimal }
}

/** Reads which checks an expectation makes where that cannot be told from it. */
export const readChecks = (node: Node): ReadonlyArray<VerificationCheck.VerificationCheck> | undefined => {
  if (node.isAbsent) return undefined
  const nodes = Array.isArray(node.value) ? node.items() : [node]
  return nodes.flatMap((each) => each.oneOf(VerificationCheck.names) ?? [])
}

/** Says what the class asks for and the contract leaves out, and what it waits for longer than its class tolerates. */
export const depthAdvice = (node: Node, contract: ToolContract.ToolContract): void => {
  const { missing, waived } = CheckCoverage.coverage(contract)
  // The answer of a read is evidence, and what cannot be verified at all is said elsewhere. The audit shows them all.
  const isDeclared =
    contract.class === "read_only" ? contract.readback !== undefined : ToolContract.isVerifiable(contract)
  if (missing.length > 0 && isDeclared) {
    const at = contract.readback === undefined ? node.at("class") : node.at("readback")
    at.warn({
      found: `a ${contract.class} without the ${missing.length === 1 ? "check" : "checks"} ${missing.join(", ")}`,
      expected: "an expectation that compares each of them, or a reason in waives why it does not apply",
      hint: hintOf(contract.class),
      key: true
    })
  }
  // No reason makes one source two.
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
    ? "What it did is verified in part, and never reported as done"
    : "What it did is reported as done, with the names of what was not checked"
