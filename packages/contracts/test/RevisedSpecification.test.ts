import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Condition, Issue, Operation, RevisedSpecification, Specification, TaskPack } from "../src/index.ts"

const { check, inForce, kindOf, order, quantised, revise, values } = RevisedSpecification

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.events",
    version: "1.0.0",
    state: {
      world: {
        bookings: { table: { key: "id", row: { kind: "string", price: { decimal: 2 } } } },
        spent: { decimal: 2 },
        guest: { type: "string", nullable: true, sensitive: { subject: "'guest'" } }
      },
      working: { theme: { type: "string", nullable: true } }
    },
    specification: {
      max_total: { holds: "world.spent <= clause.max_total", value: { decimal: 2 }, default: 600 },
      venue: { holds: "world.bookings.all(id, world.bookings[id].kind == clause.venue)", value: "string" },
      booked: "size(world.bookings) > 0",
      calm: { holds: "clause.calm || working.theme != 'loud'", default: false }
    },
    revisions: { priority: ["venue"] }
  })
)

const goal: RevisedSpecification.RevisedClauses = { clauses: { max_total: "600.00", venue: "hall", calm: false } }

const add = (clause: string, holds: string, value?: RevisedSpecification.Added | number | string) =>
  ({ change: "add", clause, holds, ...(value === undefined ? {} : { value }) }) as RevisedSpecification.RevisionChange

const after = (...changes: ReadonlyArray<RevisedSpecification.RevisionChange>) => revise(goal, changes)

const verdictOf = (...changes: ReadonlyArray<RevisedSpecification.RevisionChange>) => check(pack, goal, changes)

const mistakesOf = (...changes: ReadonlyArray<RevisedSpecification.RevisionChange>) => {
  const verdict = verdictOf(...changes)
  return verdict._tag === "Mistaken"
    ? verdict.mistakes.map((each) => `${each.index} ${each._tag} ${each.clause}`)
    : [verdict._tag]
}

const issuesOf = (change: RevisedSpecification.RevisionChange) => {
  const verdict = verdictOf(change)
  return verdict._tag === "Mistaken"
    ? verdict.mistakes.flatMap((each) => (each._tag === "Invalid" ? each.issues.map(Issue.format) : []))
    : []
}

const namesOf = (revised: RevisedSpecification.RevisedClauses) => Object.keys(inForce(pack, revised))

const state = (spent: string, clause: object) => ({
  world: { ...Operation.initial(pack.fields.world), spent },
  working: { theme: "loud" },
  clause
})

describe("RevisedSpecification", () => {
  it("is the declared specification as long as nothing is revised", () => {
    assert.deepStrictEqual(namesOf(goal), ["booked", "calm", "max_total", "venue"])
    assert.deepStrictEqual(inForce(pack, goal), pack.specification)
    assert.deepStrictEqual(values(pack, goal), goal.clauses)
    assert.deepStrictEqual(order(pack, goal), ["venue", "booked", "calm", "max_total"])
  })

  it("gives a clause another value, written as its type writes it", () => {
    const changes = [{ change: "set", clause: "max_total", value: 450.5 }] as const
    assert.deepStrictEqual(verdictOf(...changes), { _tag: "Fit" })
    assert.deepStrictEqual(quantised(pack, goal, changes), [{ ...changes[0], value: "450.50" }])
    assert.strictEqual(values(pack, after(...changes))["max_total"], "450.50")
  })

  it("judges a clause that the user adds by the state that the pack declares, and by its value", () => {
    const revised = after(add("cheap", "world.spent <= clause.cheap", 100), add("quiet", "working.theme == 'quiet'"))
    const clause = values(pack, revised)
    const held = (spent: string) =>
      Specification.evaluate(inForce(pack, revised), state(spent, clause)).flatMap((each) =>
        each.clause === "cheap" || each.clause === "quiet" ? [each.holds] : []
      )
    assert.deepStrictEqual(held("99.00"), [true, false])
    assert.deepStrictEqual(held("100.01"), [false, false])
    assert.strictEqual(inForce(pack, revised)["quiet"]?.value, undefined)
    assert.deepStrictEqual(Condition.reads(inForce(pack, revised)["cheap"]!.holds), ["clause.cheap", "world.spent"])
  })

  it("refuses a condition that the pack cannot read, as a file with that line would be refused", () => {
    const at = "the revision changes[0].holds: found"
    assert.deepStrictEqual(issuesOf(add("cheap", "world.spend <= 100.0")), [
      `${at} world.spend, expected a declared field: bookings, guest, spent. Did you mean spent?`
    ])
    assert.deepStrictEqual(issuesOf(add("cheap", "world.spent")), [
      `${at} a value that is decimal, expected a condition that is true or false`
    ])
    assert.match(issuesOf(add("cheap", "world.spent <="))[0] ?? "", /changes\[0\]\.holds: found/)
    assert.match(issuesOf(add("cheap", " "))[0] ?? "", /expected an expression/)
    assert.match(issuesOf(add("known", "world.guest.startsWith('A')"))[0] ?? "", /sensitive|sealed/)
    assert.match(issuesOf(add("cheap", "args.price <= 100"))[0] ?? "", /the name args/)
    assert.match(issuesOf(add("cheap", "world.spent <= clause.cheap"))[0] ?? "", /clause\.cheap/)
    assert.match(issuesOf(add("cheap", "world.spent <= clause.cheap", "much"))[0] ?? "", /string/)
    assert.match(issuesOf(add("__proto__", "true"))[0] ?? "", /clause: found __proto__, expected a name of letters/)
    assert.match(issuesOf(add("too cheap", "true"))[0] ?? "", /found too cheap/)
  })

  it("refuses names that are not in force, with the nearest one, and names that are", () => {
    const verdict = verdictOf({ change: "set", clause: "max_totl", value: 5 })
    assert.deepStrictEqual(verdict, {
      _tag: "Mistaken",
      mistakes: [{ index: 0, _tag: "Unknown", clause: "max_totl", near: "max_total" }]
    })
    assert.deepStrictEqual(mistakesOf({ change: "withdraw", clause: "budget" }), ["0 Unknown budget"])
    assert.deepStrictEqual(mistakesOf({ change: "withdraw", clause: "constructor" }), ["0 Unknown constructor"])
    assert.deepStrictEqual(mistakesOf(add("venue", "true")), ["0 Exists venue"])
    assert.deepStrictEqual(mistakesOf({ change: "prioritise", clauses: ["max_total", "venu", "max_total", "venue"] }), [
      "0 Unknown venu",
      "0 Repeated max_total"
    ])
  })

  it("refuses values that do not fit, of declared clauses and of added ones", () => {
    assert.deepStrictEqual(mistakesOf({ change: "set", clause: "max_total", value: "much" }), ["0 Unfit max_total"])
    assert.deepStrictEqual(mistakesOf({ change: "set", clause: "booked", value: true }), ["0 Unfit booked"])
    assert.deepStrictEqual(mistakesOf({ change: "set", clause: "calm", value: 1 }), ["0 Unfit calm"])
    const cheap = add("cheap", "world.spent <= clause.cheap", 100)
    const set = (value: number | string) => ({ change: "set", clause: "cheap", value }) as const
    assert.deepStrictEqual(mistakesOf(cheap, set("much")), ["1 Unfit cheap"])
    assert.deepStrictEqual(mistakesOf(cheap, set(99.5)), ["Fit"])
    assert.deepStrictEqual(mistakesOf(add("quiet", "true"), { change: "set", clause: "quiet", value: 1 }), [
      "1 Unfit quiet"
    ])
  })

  it("checks each change against the goal as the changes before it leave it, and lists all mistakes", () => {
    assert.deepStrictEqual(
      mistakesOf(
        { change: "withdraw", clause: "venue" },
        { change: "withdraw", clause: "venue" },
        add("venue", "true"),
        { change: "set", clause: "budget", value: 1 }
      ),
      ["1 Unknown venue", "3 Unknown budget"]
    )
  })

  it("finds a revision that changes nothing", () => {
    for (const changes of [
      [],
      [{ change: "set", clause: "max_total", value: 600 }],
      [{ change: "prioritise", clauses: ["venue"] }],
      [
        { change: "set", clause: "max_total", value: 5 },
        { change: "set", clause: "max_total", value: "600" }
      ],
      [add("quiet", "true"), { change: "withdraw", clause: "quiet" }]
    ] as ReadonlyArray<ReadonlyArray<RevisedSpecification.RevisionChange>>) {
      assert.deepStrictEqual(verdictOf(...changes), { _tag: "Empty" }, JSON.stringify(changes))
    }
  })

  it("keeps the value of a withdrawn clause for rules that read it, and puts the clause back when it is set", () => {
    const withdrawn = after({ change: "withdraw", clause: "max_total" })
    assert.deepStrictEqual(namesOf(withdrawn), ["booked", "calm", "venue"])
    assert.strictEqual(values(pack, withdrawn)["max_total"], "600.00")
    const back = { change: "set", clause: "max_total", value: "600.00" } as const
    assert.deepStrictEqual(check(pack, withdrawn, [back]), { _tag: "Fit" })
    assert.deepStrictEqual(namesOf(revise(withdrawn, [back])), namesOf(goal))
  })

  it("puts a withdrawn clause back as the user words it, until that is withdrawn too", () => {
    const worded = after({ change: "withdraw", clause: "booked" }, add("booked", "size(world.bookings) > 1"))
    const sourceOf = (revised: RevisedSpecification.RevisedClauses) =>
      inForce(pack, revised)["booked"]?.holds && Condition.source(inForce(pack, revised)["booked"]!.holds)
    assert.strictEqual(sourceOf(worded), "size(world.bookings) > 1")
    assert.strictEqual(sourceOf(revise(worded, [{ change: "withdraw", clause: "booked" }])), undefined)
    const venue = after({ change: "withdraw", clause: "venue" }, add("venue", "clause.venue != ''", "garden"), {
      change: "set",
      clause: "venue",
      value: "lake"
    })
    assert.strictEqual(Condition.source(inForce(pack, venue)["venue"]!.holds), "clause.venue != ''")
    assert.strictEqual(values(pack, venue)["venue"], "lake")
  })

  it("orders the clauses in force: those that the user names first, then the others by name", () => {
    const ordered = after({ change: "prioritise", clauses: ["max_total", "calm"] })
    assert.deepStrictEqual(order(pack, ordered), ["max_total", "calm", "booked", "venue"])
    const fewer = revise(ordered, [{ change: "withdraw", clause: "max_total" }, add("art", "true")])
    assert.deepStrictEqual(order(pack, fewer), ["calm", "art", "booked", "venue"])
  })

  it("keeps the other fields of the goal", () => {
    const whole = { ...goal, id: "party", version: 3 }
    assert.deepInclude(revise(whole, [{ change: "withdraw", clause: "venue" }]), { id: "party", version: 3 })
  })

  it("has no answer for an added clause that another pack cannot read", () => {
    const other = Result.getOrThrow(
      TaskPack.make({ pack: "acme.other", version: "1.0.0", state: { world: { n: "int" } } })
    )
    const revised = after(add("cheap", "world.spent <= 100.0"))
    assert.deepStrictEqual(Specification.evaluate(inForce(other, revised), { world: { n: 1 } }), [
      { clause: "cheap", holds: "unknown", reason: "found world.spent, expected a declared field: n" }
    ])
  })

  it("names the kind of a revision by the form of its changes", () => {
    const set = { change: "set", clause: "max_total", value: 5 } as const
    const withdraw = { change: "withdraw", clause: "venue" } as const
    const prioritise = { change: "prioritise", clauses: ["venue"] } as const
    const cases: ReadonlyArray<
      readonly [RevisedSpecification.RevisionKind, ReadonlyArray<RevisedSpecification.RevisionChange>]
    > = [
      ["additive", [add("quiet", "true")]],
      ["additive", [add("quiet", "true"), prioritise]],
      ["cancellation", [withdraw, withdraw]],
      ["priority_shift", [prioritise]],
      ["substitutive", [set]],
      ["substitutive", [set, withdraw]],
      ["substitutive", [withdraw, add("venue", "true")]]
    ]
    for (const [kind, changes] of cases) assert.strictEqual(kindOf(changes), kind, JSON.stringify(changes))
  })

  const Name = Schema.Literals(["art", "booked", "calm", "max_total", "quiet", "venue"])
  const Changes = Schema.Array(
    Schema.Union([
      Schema.Struct({
        change: Schema.Literal("add"),
        clause: Name,
        holds: Schema.Literals(["world.spent <= 10.0", "size(world.bookings) > 2", "world.spend > 1.0"]),
        value: Schema.optionalKey(Schema.Literals([7, "x"]))
      }),
      Schema.Struct({ change: Schema.Literal("prioritise"), clauses: Schema.Array(Name) }),
      Schema.Struct({ change: Schema.Literal("set"), clause: Name, value: Schema.Literals([5, "lake", true]) }),
      Schema.Struct({ change: Schema.Literal("withdraw"), clause: Name })
    ])
  ).check(Schema.isMaxLength(6))

  it.prop(
    "accepts only changes after which each clause has an answer, and means the same once it was stored",
    [Changes],
    ([changes]) => {
      const accepted = changes.reduce<RevisedSpecification.RevisedClauses>((revised, change) => {
        const [exact] = quantised(pack, revised, [change])
        assert.deepStrictEqual(check(pack, revised, [exact!]), check(pack, revised, [change]))
        return check(pack, revised, [change])._tag === "Fit" ? revise(revised, [exact!]) : revised
      }, goal)
      const stored = JSON.parse(JSON.stringify(accepted)) as RevisedSpecification.RevisedClauses
      assert.deepStrictEqual(order(pack, stored), order(pack, accepted))
      assert.deepStrictEqual([...order(pack, accepted)].sort(), namesOf(accepted))
      assert.deepStrictEqual(values(pack, accepted), accepted.clauses)
      const sources = (revised: RevisedSpecification.RevisedClauses) =>
        Object.values(inForce(pack, revised)).map(({ holds, name }) => `${name}: ${Condition.source(holds)}`)
      assert.deepStrictEqual(sources(stored), sources(accepted))
      for (const { holds, reason } of Specification.evaluate(
        inForce(pack, accepted),
        state("9.00", accepted.clauses)
      )) {
        assert.notStrictEqual(holds, "unknown", reason)
      }
    },
    { arbitrary: { runs: 500 } }
  )
})
