import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import { assert, describe, it } from "@effect/vitest"
import * as Injection from "../src/revision/Injection.ts"
import * as Goal from "../src/state/Goal.ts"
import { Bench, ends, failing } from "./lab.ts"
import { benchOf, changes, injects } from "./revised.ts"

const codesOf = (bench: Bench, data: object) =>
  Injection.judge(bench.terms, bench.state, { ...data }).checks.flatMap(({ why }) =>
    why === undefined ? [] : why.code
  )

describe("Injection", () => {
  it("changes the goal at once, and leaves it pending with the goal before it", () => {
    const bench = benchOf()
    ends(injects(bench, { change: "set", clause: "max", value: 100 }), "Done")
    ends(injects(bench, { change: "withdraw", clause: "news" }), "Done")
    const { clauses, pending, revisedAt, withdrawn } = Goal.of(bench.state)
    assert.deepStrictEqual([clauses["max"], withdrawn, pending?.ticks.length], [100, ["news"], 2])
    assert.deepStrictEqual(pending?.before, { clauses: { max: 200 } })
    assert.strictEqual(revisedAt, bench.at.head.tick)
  })

  it("records the kind that the changes show, unless the user names another", () => {
    const bench = benchOf()
    injects(bench, { change: "withdraw", clause: "news" })
    assert.strictEqual(bench.last.body.data?.["kind"], "cancellation")
    const set = [
      { change: "set", clause: "max", value: 90 }
    ] satisfies ReadonlyArray<RevisedSpecification.RevisionChange>
    bench.proposes({ author: "user", data: { changes: set, kind: "restrictive" }, type: "revision.injected" })
    assert.strictEqual(bench.last.body.data?.["kind"], "restrictive")
  })

  it("is refused with each mistake, its place and what would fit", () => {
    const bench = benchOf()
    assert.deepStrictEqual(
      codesOf(bench, {
        changes: [
          { change: "set", clause: "maxx", value: 1 },
          { change: "set", clause: "max", value: "much" },
          { change: "add", clause: "news", holds: "true" },
          { change: "add", clause: "light", holds: "world.weight < 3" },
          { change: "prioritise", clauses: ["max", "max"] }
        ]
      }),
      ["clause.unknown", "clause.unfit", "clause.exists", "clause.invalid", "clause.repeated"]
    )
    assert.deepStrictEqual(codesOf(bench, { changes: [{ change: "set", clause: "max", value: 200 }] }), [
      "revision.empty"
    ])
  })

  it("is refused if the contract permits none, or the run began without its types", () => {
    const data = { changes: [{ change: "withdraw", clause: "news" }] }
    assert.deepStrictEqual(codesOf(new Bench(), data), ["revision.not_permitted"])
    assert.deepStrictEqual(codesOf(new Bench({ changes }), data), ["revision.unpinned"])
  })

  it("is refused where it names a finished run that this run does not follow", () => {
    const told = { changes: [{ change: "withdraw", clause: "news" }], followUp: "trip" }
    assert.deepStrictEqual(codesOf(benchOf(), told), ["context.changed"])
    const bench = benchOf({}, [
      { run: "trip-2", tick: 9 },
      { run: "trip", tick: 4 }
    ])
    assert.deepStrictEqual(codesOf(bench, told), [])
    assert.isTrue(Goal.isFollowing(bench.state, "trip-2"))
  })

  it("is refused as any other type if its payload has another form, and if an agent asks for it", () => {
    const bench = benchOf()
    const odd = bench.proposes({ author: "user", data: { changes: [{ change: "forget" }] }, type: "revision.injected" })
    assert.deepStrictEqual(failing(odd), ["schema revision.injected"])
    ends(bench.proposes({ data: { changes: [] }, type: "revision.injected" }), "Refused")
    assert.isUndefined(Goal.of(bench.state).pending)
  })
})
