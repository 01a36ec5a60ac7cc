import type * as Definition from "@backstitch/contracts/Definition"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { findAction } from "../src/action/ActionInFlight.ts"
import type { Evidence, SourceEvidence } from "../src/decision/Evidence.ts"
import * as Confirmation from "../src/verification/Confirmation.ts"
import * as ScopeCheck from "../src/verification/ScopeCheck.ts"
import { asks, Bench, bookOf, call, definition, ends, ok, told } from "./lab.ts"

const { book } = definition.tools

/** A booking that was answered, under a readback of one's own. */
const answered = (
  readback: Partial<Definition.Readback>,
  more: Partial<Definition.ToolDefinition> = {},
  agent?: string
) => {
  const tools = { ...definition.tools, book: { ...book, ...more, readback: { ...book.readback, ...readback } } }
  const bench = new Bench({ changes: { tools } })
  const begun = bench.proposes({ ...bookOf("LX1"), ...(agent === undefined ? {} : { agent }) })
  const isLookedAt = begun.next._tag === "ReadBefore"
  const request = isLookedAt ? asks(begun, "ReadBefore") : call(begun)
  if (isLookedAt) call(bench.does({ _tag: "ReadBefore", action: request.action, evidence: { _tag: "NotFound" } }))
  bench.answers(request.action, ok({ id: "B1", commit: 7 }))
  const { action, key = "" } = request
  const reads = (evidence: Evidence, others?: ReadonlyArray<SourceEvidence>) =>
    bench.does({ _tag: "ReadBack", action, evidence, ...(others === undefined ? {} : { others }) })
  /** Reads when the time of the contract is over. */
  const finally_ = (evidence: Evidence, others?: ReadonlyArray<SourceEvidence>) => {
    bench.now += 60_000
    return reads(evidence, others)
  }
  return { action, bench, key, reads, finally: finally_ }
}

const record = (more: { readonly [name: string]: Json } = {}): Evidence => ok({ id: "B1", price: 80, ...more })
const from = (origin: "cache" | "primary" | "provider_ledger" | "replica"): Evidence => ({
  _tag: "Ok",
  output: { id: "B1", price: 80 },
  from: origin
})

const named = ({ bench }: { readonly bench: Bench }) => bench.last.body.data?.["discrepancy"]

describe("Confirmation", () => {
  it.each(["replica", "cache"] as const)("has no proof from a %s, whatever it shows (HS-07, HS-08)", (origin) => {
    const scene = answered({})
    assert.strictEqual(scene.reads(from(origin)).next._tag, "Wait")
    const held = ends(scene.finally(from(origin)), "Held")
    assert.include(told(held), `{"origin":"${origin}","source":"airline"},"code":"source.lagging"`)
    assert.strictEqual(named(scene), "unverifiable_state")
    assert.deepStrictEqual(scene.bench.state.world["spent"], 0)
    // Much is at stake: a person decides, and has it verified again.
    ends(scene.reads(from("provider_ledger")), "Held")
    scene.bench.reopens(scene.action)
    ends(scene.reads(from("provider_ledger")), "Done")
  })

  it("is not refuted by a replica either: nothing is sent again because of a read that lags (HS-07)", () => {
    const scene = answered({})
    const stale: Evidence = { _tag: "Ok", output: { id: "B1", price: 0 }, from: "replica" }
    ends(scene.finally(stale), "Held")
    assert.strictEqual(named(scene), "unverifiable_state")
    assert.strictEqual(scene.bench.types().filter((type) => type === "action.started").length, 1)
  })

  it("has no proof from a source that the contract itself calls a replica", () => {
    const scene = answered({ from: "replica" })
    ends(scene.finally(record()), "Held")
  })

  it("comes from a source that the class admits: an internal database proves no external effect", () => {
    const scene = answered({})
    assert.include(told(ends(scene.finally(from("primary")), "Held")), "source.not_admitted")
  })

  describe("of a read that may be late", () => {
    it.each<readonly [string, Partial<Definition.Readback>, Evidence, boolean]>([
      ["what has no mark of the write", {}, record(), false],
      ["a version that is not later", { version: { planned: "3", actual: "actual.v" } }, record({ v: 3 }), false],
      ["a later version", { version: { planned: "3", actual: "actual.v" } }, record({ v: 4 }), true],
      ["a later version in digits", { version: { planned: "'99'", actual: "actual.v" } }, record({ v: "100" }), true],
      [
        "another version, where they have no order",
        { version: { planned: "'a'", actual: "actual.v" } },
        record({ v: "b" }),
        true
      ],
      [
        "a commit that was not reached",
        { version: { planned: "3", actual: "actual.v" }, token: "observed.commit" },
        record({ v: 6 }),
        false
      ],
      [
        "the commit of the answer",
        { version: { planned: "3", actual: "actual.v" }, token: "observed.commit" },
        record({ v: 7 }),
        true
      ]
    ])("does or does not rest on %s", (_, readback, evidence, isProof) => {
      const scene = answered({ consistency: "eventual", ...readback })
      ends(scene.finally(evidence), isProof ? "Done" : "Held")
    })

    it("rests on a record that bears the key: it was not there before", () => {
      const scene = answered({ consistency: "eventual" })
      ends(scene.finally(record({ key: scene.key })), "Done")
    })
  })

  it("needs a record at least as late as the commit that the answer names, however strong the read", () => {
    const version = { planned: "3", actual: "actual.v" }
    const scene = answered({ consistency: "token", version, token: "observed.commit" })
    const held = ends(scene.finally(record({ v: 6 })), "Held")
    assert.include(told(held), "record.earlier")
    scene.bench.reopens(scene.action)
    assert.include(told(ends(scene.reads(record({ v: "x" })), "Held")), "record.unversioned")
    scene.bench.reopens(scene.action)
    ends(scene.reads(record({ v: 8 })), "Done")
  })

  describe("by several sources", () => {
    const sources: Partial<Definition.Readback> = {
      sources: [{ source: "bank" }, { source: "audit", expect: "actual" }]
    }
    const bank = (evidence: Evidence): SourceEvidence => ({ source: "bank", evidence })
    const audit = (evidence: Evidence): SourceEvidence => ({ source: "audit", evidence })

    it("is one that all of them give", () => {
      const scene = answered(sources)
      ends(scene.reads(record(), [bank(record()), audit(ok(true))]), "Done")
      assert.strictEqual(scene.bench.last.body.result?.trust, 3)
    })

    it.each<readonly [string, ReadonlyArray<SourceEvidence>, string]>([
      ["contradicts", [bank(record({ price: 1 })), audit(ok(true))], '"others":["bank"]'],
      ["does not show it", [bank(record()), audit({ _tag: "NotFound" })], '"others":["audit"]'],
      ["cannot be read", [bank(record()), audit({ _tag: "Unknown", reason: "down" })], "record.unread"],
      ["was not asked", [bank(record())], "record.unread"]
    ])("is none while one of them %s: that is unknown, not success", (_, others, says) => {
      const scene = answered(sources)
      assert.strictEqual(scene.reads(record(), others).next._tag, "Wait")
      assert.include(told(ends(scene.finally(record(), others), "Held")), says)
      assert.strictEqual(named(scene), "unknown_state")
      assert.notInclude(scene.bench.types(), "action.reconciled")
    })

    it("is a failure that the contract names if one of them shows it, and no mere disagreement", () => {
      const expect = [{ id: "charged_twice", holds: "actual.count == 1", otherwise: "duplicate_side_effect" }] as const
      const scene = answered({ expect, sources: [{ source: "bank", expect: "actual.paid" }] })
      ends(scene.reads(record({ count: 2 }), [{ source: "bank", evidence: ok({ paid: true }) }]), "Held")
      assert.strictEqual(named(scene), "duplicate_side_effect")
    })

    it("is a contradiction if all of them contradict", () => {
      const scene = answered(sources)
      const wrong = record({ price: 1 })
      ends(scene.finally(wrong, [bank(wrong), audit(ok(false))]), "Held")
      assert.strictEqual(named(scene), "value_mismatch")
    })
  })

  const Read = Schema.Literals(["right", "wrong", "replica", "missing", "down"])
  const evidenceOf: { readonly [R in typeof Read.Type]: Evidence } = {
    right: record(),
    wrong: record({ price: 1 }),
    replica: from("replica"),
    missing: { _tag: "NotFound" },
    down: { _tag: "Unknown", reason: "down" }
  }

  it.prop("is given exactly if every source gives it", [Read, Read], ([main, other]) => {
    const scene = answered({ sources: [{ source: "bank" }] })
    const subject = findAction(scene.bench.terms, scene.bench.state, scene.action)!
    const others = [{ source: "bank", evidence: evidenceOf[other] }]
    const confirmation = Confirmation.judge(subject, { evidence: evidenceOf[main], others })
    assert.strictEqual(confirmation.isConfirmed, main === "right" && other === "right")
  })
})

describe("Scoping", () => {
  const scope: Partial<Definition.Readback> = {
    scope: { tenant: "actual.tenant", actor: { shows: "actual.by", expects: "actor" } }
  }

  it("is that of the action: the record of another tenant is no success, however right its values are (HS-12)", () => {
    const scene = answered(scope)
    const held = ends(scene.reads(record({ tenant: "umbrella" })), "Held")
    assert.include(told(held), "wrong_target_modified")
    assert.match(String(scene.bench.last.body.data?.["incident"]), /^a2@/)
    assert.strictEqual(scene.bench.last.body.data?.["decision"], "freeze_and_alarm")
    assert.deepStrictEqual(scene.bench.state.world["spent"], 0)
    scene.bench.reopens(scene.action)
    ends(scene.reads(record({ tenant: "default", by: "" })), "Done")
  })

  it("names the agent that acts, if the contract asks about it", () => {
    const scene = answered(scope, {}, "ada")
    assert.strictEqual(OpenActions.of(scene.bench.state)[scene.action]?.actor, "ada")
    ends(scene.reads(record({ by: "eve" })), "Held")
    scene.bench.reopens(scene.action)
    ends(scene.reads(record({ by: "ada" })), "Done")
  })

  it("is worked out from the arguments if the contract does not name the target", () => {
    const scene = answered({})
    const held = ends(scene.reads(record({ flight: "LX2" })), "Held")
    assert.include(told(held), "wrong_target_modified")
    scene.bench.reopens(scene.action)
    ends(scene.reads(record({ flight: "lx1" })), "Done")
  })

  it("is in reach of predicates: tenant, target, key, actor and the time of the start", () => {
    const expect = [
      "actual.tenant == tenant",
      "actual.target == target",
      "actual.key == key",
      "actual.at >= startedAt",
      "actual.by == actor"
    ]
    const scene = answered({ expect }, {}, "ada")
    const shown = { tenant: "default", target: "seat/LX1", key: scene.key, at: "1970-01-01T00:16:40.000Z", by: "ada" }
    for (const [name, value] of Object.entries({ ...shown, at: "1970-01-01T00:16:39.999Z", tenant: "x", key: "k" })) {
      if (shown[name as keyof typeof shown] === value) continue
      assert.notStrictEqual(scene.reads(record({ ...shown, [name]: value })).next._tag, "Done", name)
    }
    ends(scene.reads(record(shown)), "Done")
  })

  it("does not compare fields that a record does not show", () => {
    const scene = answered(scope)
    const subject = findAction(scene.bench.terms, scene.bench.state, scene.action)!
    const scoping = ScopeCheck.of(subject, { price: 80 })
    assert.deepStrictEqual(scoping, { wanted: { target: "seat/LX1" }, found: { target: "seat/LX1" } })
    assert.isFalse(ScopeCheck.strays(scoping))
  })
})

describe("a question about the key", () => {
  it("is an incident, and no success, if another tenant's record answers it (L15)", () => {
    const scene = answered({ scope: { tenant: "actual.tenant" } })
    const { action, bench } = scene
    const asked = call(bench.proposes(bookOf("LX2")))
    bench.answers(asked.action, { _tag: "Unknown", reason: "cut" })
    const held = ends(bench.answers(asked.action, record({ tenant: "umbrella" }), "status"), "Held")
    assert.include(told(held), "wrong_target_modified")
    assert.strictEqual(bench.last.body.data?.["decision"], "freeze_and_alarm")
    assert.notStrictEqual(action, asked.action)
    assert.strictEqual(OpenActions.of(bench.state)[asked.action]?.answer?.as, "unknown")
  })
})
