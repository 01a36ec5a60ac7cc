import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../src/decision/Command.ts"
import * as Annotate from "../src/intent/Annotate.ts"
import { Bench, ends, told } from "./lab.ts"

/** A command of a program that was compiled without the types, or against others. */
const given = (type: string, data: unknown, about?: unknown) => ({ _tag: "Annotate", about, data, type }) as Command

const anomaly = { kind: "replay.missing_output" }

describe("Annotate", () => {
  it("commits an analysis in the kernel's name", () => {
    const bench = new Bench()
    ends(bench.does(given("kernel.anomaly", anomaly)), "Done")
    assert.deepInclude(bench.last.body, { author: "kernel", data: anomaly, type: "kernel.anomaly" })
  })

  it("refuses a payload that does not fit its type, and leaves no trace of it", () => {
    const bench = new Bench()
    const { tick } = bench.at.head
    for (const command of [
      given("kernel.anomaly", { kind: 7 }),
      given("kernel.anomaly", undefined),
      given("kernel.anomaly", null),
      given("kernel.anomaly", anomaly, 7),
      given("diff.summary", { says: "they differ" }),
      given("checkpoint.entry", { at: -1 }),
      given("predicate.violation", { at: 3, predicate: "over", more: true })
    ]) {
      assert.include(told(ends(bench.does(command), "Refused")), "payload.misfit", JSON.stringify(command))
    }
    assert.strictEqual(bench.at.head.tick, tick)
  })

  it("lends the kernel's name to no other type (L4)", () => {
    const bench = new Bench()
    const { tick } = bench.at.head
    for (const type of ["action.reconciled", "review.decided", "run.migrated", "observation.add", "acme.parcel", ""]) {
      assert.include(told(ends(bench.does(given(type, {})), "Refused")), "author.not_allowed")
    }
    assert.strictEqual(bench.at.head.tick, tick)
  })

  it("is held against nothing by the first rules (decision 0021)", () => {
    const bench = new Bench()
    bench.does({ _tag: "Migrate", rules: 1 })
    const command = given("kernel.anomaly", { kind: 7 }) as Command & { readonly _tag: "Annotate" }
    const { next } = Annotate.decide(bench.terms, bench.state, command)
    assert.deepInclude(next._tag === "End" && next.outcome, { _tag: "Done" })
  })
})
