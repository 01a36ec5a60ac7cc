/** The branches of a bench: it is forked, or its contract is extended. */
import * as PackExtension from "@backstitch/contracts/PackExtension"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as PackRules from "@backstitch/reducer/PackRules"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Commit from "../src/decision/Commit.ts"
import type { Decided } from "../src/decision/Decision.ts"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as Kernel from "../src/Kernel.ts"
import type { Bench } from "./lab.ts"

/** Goes on as a fork: the state of the parent, and a run.fork. */
export const forks = (bench: Bench, data: JsonObject = {}): void => {
  const stamp = { asOf: bench.now }
  bench.commits([{ body: { author: "kernel", data, type: "run.fork" }, stamp, envelope: { ts: bench.now } }])
}

/** Proposes under the contract that binds at the next tick, extensions included, and commits. */
export const proposes = (bench: Bench, proposal: Proposal): Decided => {
  const binding = PackInForce.bindingAt(PackInForce.of(bench.state), bench.terms.tick)
  const terms = { ...bench.terms, pack: PackExtension.extendAll(bench.pack, binding) }
  const decision = Kernel.decide(terms, bench.state, { _tag: "Propose", proposal })
  const fold = Fold.make({
    parts: Kernel.standard.parts,
    sources: { rules: (_, extensions) => PackRules.of(PackExtension.extendAll(bench.pack, extensions)) }
  })
  const commit = Commit.assemble(fold, { run: bench.run, at: bench.at, drafts: decision.drafts })
  bench.at = commit.position
  bench.transitions.push(...commit.transitions)
  return decision
}
