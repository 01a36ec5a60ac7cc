import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Discrepancy from "../src/evidence/Discrepancy.ts"

const met: Discrepancy.Predicate = { source: "actual.status == 'confirmed'", held: true }
const unmet: Discrepancy.Predicate = { ...met, held: false }
const shown = (more: Partial<Extract<Discrepancy.Authoritative, { readonly _tag: "Shown" }>> = {}) =>
  ({ _tag: "Shown", scope: {}, changed: true, effects: 1, ...more }) as const
const base: Discrepancy.Case = {
  intended: { predicates: [met] },
  requested: {},
  observed: "success",
  authoritative: shown(),
  scope: { tenant: "acme", target: "seat/1" },
  conditions: { withinDelay: false, maybeStale: false }
}
const classOf = (more: Partial<Discrepancy.Case>) => Discrepancy.classify({ ...base, ...more })?.class
const failing = { intended: { predicates: [unmet] } }

describe("Discrepancy", () => {
  it("finds nothing if the predicates hold in the right place, once", () => {
    assert.isUndefined(classOf({}))
  })

  it("names each of the twelve classes", () => {
    const cases: { readonly [C in Discrepancy.Class]: Partial<Discrepancy.Case> } = {
      no_op_success: {
        intended: { predicates: [met], satisfiedBefore: true },
        authoritative: shown({ changed: false })
      },
      no_op_failure: { ...failing, authoritative: shown({ changed: false }) },
      value_mismatch: failing,
      stale_state: { ...failing, requested: { version: "7" }, authoritative: shown({ versionBefore: "8" }) },
      partial_application: { ...failing, authoritative: shown({ parts: { debit: true, credit: false } }) },
      duplicate_side_effect: { authoritative: shown({ effects: 2 }) },
      wrong_target_modified: { authoritative: shown({ scope: { tenant: "umbrella" } }) },
      target_missing: { authoritative: { _tag: "Absent", existed: true } },
      propagation_delay: { ...failing, conditions: { withinDelay: true, maybeStale: false } },
      unverifiable_state: { authoritative: { _tag: "NoPath", reason: "the contract has no readback" } },
      compensation_required: { conditions: { withinDelay: false, maybeStale: false, mustReverse: true } },
      unknown_state: { authoritative: { _tag: "Unreadable", reason: "503" } }
    }
    assert.sameMembers(Object.keys(cases), [...Discrepancy.classes])
    assert.strictEqual(Discrepancy.classes.length, 12)
    for (const [name, more] of Object.entries(cases)) assert.strictEqual(classOf(more), name)
  })

  it("names the fact that was compared, the expected value and the found one", () => {
    const found = Discrepancy.classify({
      ...base,
      authoritative: shown({ scope: { tenant: "umbrella", target: "seat/2" } })
    })
    assert.deepStrictEqual(found?.evidence, [
      { fact: "tenant", expected: "acme", found: "umbrella" },
      { fact: "target", expected: "seat/1", found: "seat/2" }
    ])
  })

  it("calls a wrong target that, even if every value is right (HS-12)", () => {
    const authoritative = shown({ scope: { target: "seat/2" }, effects: 2 })
    assert.strictEqual(classOf({ authoritative }), "wrong_target_modified")
  })

  it("does not take a replica's word that nothing happened (HS-07, HS-08)", () => {
    const conditions = { withinDelay: false, maybeStale: true }
    assert.strictEqual(classOf({ authoritative: { _tag: "Absent", existed: false }, conditions }), "propagation_delay")
  })

  it("keeps a missing record unknown while the tool has not answered either (HS-05, HS-14)", () => {
    const authoritative = { _tag: "Absent", existed: false } as const
    for (const observed of ["timeout", "pending", "accepted"] as const) {
      assert.strictEqual(classOf({ authoritative, observed }), "unknown_state", observed)
    }
    for (const observed of ["success", "error"] as const) {
      assert.strictEqual(classOf({ authoritative, observed }), "no_op_failure", observed)
    }
  })

  it("waits for the delay of the source, and for a strong read, whether or not the target exists", () => {
    const early = { withinDelay: true, maybeStale: false }
    const stale = { withinDelay: false, maybeStale: true }
    for (const conditions of [early, stale]) {
      for (const authoritative of [shown(), { _tag: "Absent", existed: true } as const]) {
        const found = Discrepancy.classify({ ...base, ...failing, authoritative, conditions })
        assert.strictEqual(found?.class, "propagation_delay")
        const fact = conditions === early ? "delay.passed" : "read.strong"
        assert.deepStrictEqual(found?.evidence.at(-1), { fact, expected: true, found: false })
      }
    }
  })

  it("calls an effect partial if one part of it exists and another does not, and names the missing part", () => {
    const found = (parts: Readonly<Record<string, boolean>>) =>
      Discrepancy.classify({ ...base, authoritative: shown({ parts, changed: false }) })
    const missing = (fact: string) => ({ fact, expected: true, found: false })
    assert.deepStrictEqual(found({ debit: true, credit: false }), {
      class: "partial_application",
      evidence: [missing("credit")]
    })
    assert.deepStrictEqual(found({ debit: false, credit: false }), {
      class: "no_op_failure",
      evidence: [missing("debit"), missing("credit")]
    })
    assert.isUndefined(found({ debit: true, credit: true }))
  })

  it("holds a plan against the version before if both are known, and only there", () => {
    assert.isUndefined(classOf({ requested: { version: "7" } }))
    assert.isUndefined(classOf({ authoritative: shown({ versionBefore: "8" }) }))
    assert.strictEqual(
      classOf({ requested: { version: "7" }, authoritative: shown({ versionBefore: "8" }) }),
      "stale_state"
    )
  })

  it("takes a predicate without an answer for unknown, never for held", () => {
    assert.strictEqual(classOf({ intended: { predicates: [met, { ...met, held: null }] } }), "unknown_state")
  })

  it("maps both vocabularies onto one another, and leaves out nothing", () => {
    assert.strictEqual(Discrepancy.findings.length, 12)
    for (const name of Discrepancy.classes) {
      const finding = Discrepancy.findingOf[name]
      if (finding !== null) assert.include(Discrepancy.classesOf[finding], name)
    }
    const unmapped = Discrepancy.classes.filter((name) => Discrepancy.findingOf[name] === null)
    assert.sameMembers(unmapped, [
      "no_op_success",
      "no_op_failure",
      "value_mismatch",
      "target_missing",
      "compensation_required",
      "unknown_state"
    ])
    const covered = new Set(Object.values(Discrepancy.classesOf).flat())
    assert.sameMembers([...covered], [...Discrepancy.classes])
  })

  const Drawn = Schema.Struct({
    held: Schema.Array(Schema.NullOr(Schema.Boolean)),
    satisfiedBefore: Schema.Boolean,
    version: Schema.Literals(["7", "8"]),
    observed: Schema.Literals(["success", "accepted", "pending", "error", "timeout"]),
    authoritative: Schema.Literals(["Shown", "Absent", "Unreadable", "NoPath"]),
    tenant: Schema.Literals(["acme", "acme", "umbrella"]),
    changed: Schema.Boolean,
    effects: Schema.Literals([1, 1, 2]),
    parts: Schema.Array(Schema.Boolean),
    withinDelay: Schema.Boolean,
    maybeStale: Schema.Boolean,
    mustReverse: Schema.Boolean
  })

  it.prop(
    "gives one class with evidence, or none exactly if the world is as intended",
    [Drawn],
    ([drawn]) => {
      const { changed, effects, maybeStale, mustReverse, satisfiedBefore, tenant, version, withinDelay } = drawn
      const authoritative = ((): Discrepancy.Authoritative => {
        switch (drawn.authoritative) {
          case "Shown": {
            const parts = Object.fromEntries(drawn.parts.map((done, index) => [`part ${index}`, done]))
            return shown({ scope: { tenant }, changed, effects, parts, versionBefore: "7" })
          }
          case "Absent":
            return { _tag: "Absent", existed: changed }
          default:
            return { _tag: drawn.authoritative, reason: "it is down" }
        }
      })()
      const found = Discrepancy.classify({
        intended: { predicates: drawn.held.map((held) => ({ source: "p", held })), satisfiedBefore },
        requested: { version },
        observed: drawn.observed,
        authoritative,
        scope: { tenant: "acme" },
        conditions: { withinDelay, maybeStale, mustReverse }
      })
      const intended =
        drawn.authoritative === "Shown" &&
        tenant === "acme" &&
        effects === 1 &&
        !mustReverse &&
        version === "7" &&
        drawn.held.every((held) => held === true) &&
        drawn.parts.every(Boolean)
      if (found === undefined) return intended
      assert.isAbove(found.evidence.length, 0)
      return !intended || (found.class === "no_op_success" && satisfiedBefore && !changed)
    },
    { arbitrary: { runs: 1000 } }
  )

  it("takes an unmet predicate for the discrepancy that its contract names, the gravest first", () => {
    const says = (otherwise: Discrepancy.Predicate["otherwise"], held: boolean | null = false) =>
      ({ source: `not ${otherwise}`, held, indicator: `is ${otherwise}`, otherwise }) as const
    const of = (...predicates: ReadonlyArray<Discrepancy.Predicate>) => classOf({ intended: { predicates } })
    for (const name of Discrepancy.classes) if (name !== "no_op_success") assert.strictEqual(of(says(name), met), name)
    assert.strictEqual(of(says("value_mismatch"), says("wrong_target_modified")), "wrong_target_modified")
    assert.strictEqual(of(says("no_op_failure"), says("propagation_delay")), "propagation_delay")
    assert.strictEqual(of(says("value_mismatch"), says("stale_state", null)), "unknown_state")
    assert.strictEqual(of(says("duplicate_side_effect"), says("stale_state", null)), "duplicate_side_effect")
    assert.strictEqual(of(says("stale_state", true), met), undefined)
  })

  it("names beside the gravest each other discrepancy of the contract, once", () => {
    const grave = ["wrong_target_modified", "duplicate_side_effect"] as const
    const bounced = { source: "bounced", held: false, indicator: "bounced", otherwise: "value_mismatch" } as const
    for (const otherwise of grave) {
      const first = { source: otherwise, held: false, indicator: otherwise, otherwise } as const
      const found = Discrepancy.classify({ ...base, intended: { predicates: [bounced, unmet, first] } })
      assert.strictEqual(found?.class, otherwise)
      assert.deepStrictEqual(
        found?.evidence.map(({ fact, indicator }) => [fact, indicator]),
        [
          [otherwise, otherwise],
          ["bounced", "bounced"]
        ]
      )
    }
    const silent = { source: "silent", held: null } as const
    const unknown = { source: "unknown", held: false, otherwise: "unknown_state" } as const
    assert.deepStrictEqual(Discrepancy.classify({ ...base, intended: { predicates: [silent, bounced, unknown] } }), {
      class: "unknown_state",
      evidence: [
        { fact: "unknown", expected: true, found: false },
        { fact: "bounced", expected: true, found: false, indicator: "bounced" },
        { fact: "silent", expected: true, found: null }
      ]
    })
  })

  it("waits for a record that may still arrive, unless the discrepancy is grave already", () => {
    const conditions = { withinDelay: true, maybeStale: false }
    const of = (otherwise: Discrepancy.Predicate["otherwise"]) =>
      classOf({ intended: { predicates: [{ ...unmet, otherwise }] }, conditions })
    assert.strictEqual(of("partial_application"), "propagation_delay")
    assert.strictEqual(of("wrong_target_modified"), "wrong_target_modified")
  })

  it("carries the name of the failure and the values of the record", () => {
    const predicate = {
      ...unmet,
      indicator: "bounced",
      otherwise: "value_mismatch",
      shown: { status: "bounced" }
    } as const
    const absent = Discrepancy.classify({
      ...base,
      intended: { predicates: [{ ...predicate, indicator: "missing", otherwise: "target_missing", shown: null }] },
      authoritative: { _tag: "Absent", existed: false }
    })
    assert.deepStrictEqual(Discrepancy.classify({ ...base, intended: { predicates: [predicate] } })?.evidence, [
      { fact: unmet.source, expected: true, found: false, indicator: "bounced", shown: { status: "bounced" } }
    ])
    assert.strictEqual(absent?.class, "target_missing")
    assert.include(absent?.evidence[1], { indicator: "missing", shown: null })
  })
})
