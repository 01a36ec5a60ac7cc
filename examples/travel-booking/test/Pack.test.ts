import { fileURLToPath } from "node:url"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Commit from "@backstitch/kernel/Commit"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const pack = await Effect.runPromise(PackFile.load(fileURLToPath(new URL("../pack.yaml", import.meta.url))))

/** What the contract answers to a proposal in a state: nothing is asked of the world. */
const answer = ({ args, clauses, given, subject }: TaskPack.Test): Outcome | "allowed" => {
  const rules = PackRules.of(pack)
  const section = (name: "world" | "working") => ({
    ...rules.initial[name],
    ...Object.fromEntries(
      Object.entries(given).flatMap(([path, value]) =>
        path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), value] as const] : []
      )
    )
  })
  const initial = { world: section("world"), working: section("working") }
  const fold = Fold.make({
    parts: Kernel.standard.parts,
    sources: { rules: () => rules, initial: () => initial }
  })
  const run = Run.make("test")
  const terms = { run, lineage: "test", now: 1, tick: 1, secret: "secret", pack }
  const at = { head: HashChain.genesis(run), state: { world: {}, working: {}, kernel: {} }, asOf: 0 }
  const { drafts } = Kernel.decide(terms, at.state, {
    _tag: "Start",
    goal: "test",
    text: "test",
    clauses,
    pack: pack.digest,
    initial: Fold.initialDigest(initial),
    fold: fold.version
  })
  const { state } = Commit.assemble(fold, { run, at, drafts }).position
  const proposal = { tool: subject, params: args }
  const { next } = Kernel.decide({ ...terms, tick: 2 }, state, { _tag: "Propose", proposal })
  return next._tag === "End" ? next.outcome : "allowed"
}

describe("pack.yaml", () => {
  it("has nothing in it that deserves a warning", () => {
    assert.deepStrictEqual(pack.warnings, [])
  })

  it("declares for every mutation what resuming it needs (L5, L7)", () => {
    const mutations = Object.values(pack.tools).filter(ToolContract.isMutating)
    assert.strictEqual(mutations.length, 7)
    for (const tool of mutations) {
      assert.isTrue(ToolContract.canBeAsked(tool), tool.name)
      assert.isTrue(ToolContract.isVerifiable(tool), tool.name)
      assert.isDefined(tool.target, tool.name)
      assert.isDefined(tool.readback, tool.name)
    }
  })

  it("names for every booking what undoes it", () => {
    const undone = Object.fromEntries(Object.values(pack.tools).map(({ name, undo }) => [name, undo.by]))
    assert.deepInclude(undone, {
      book_flight: "cancel_flight",
      book_hotel: "cancel_hotel",
      charge_card: "refund_charge"
    })
  })

  for (const test of pack.tests) {
    it(`answers as it says: ${test.name}`, () => {
      const found = answer(test)
      const { allowed, approval, refused } = test.expect
      if (allowed === true) assert.strictEqual(found, "allowed")
      if (approval === true) assert.strictEqual((found as Outcome)._tag, "Parked")
      if (refused !== undefined) {
        const checks = found !== "allowed" && found._tag === "Refused" ? found.checks : []
        assert.deepStrictEqual(
          checks.flatMap(({ id, ok }) => (ok ? [] : [id])),
          [refused]
        )
      }
    })
  }
})
