import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  ApprovalRule,
  Condition,
  type Definition,
  Guard,
  Issue,
  Operation,
  Specification,
  TaskPack,
  ViolationPredicate,
  Yaml
} from "../src/index.ts"
import { claims, travel } from "./packs.ts"

const read = (text: string, file = "pack.yaml") => Result.getOrThrow(Yaml.fromYaml(text, { file }))

const scope = (paid: string, more: object = {}) => ({
  world: { ...Operation.initial(read(travel).fields.world), paid },
  working: { route: null },
  clause: { fare_limit: 600, no_night: false },
  args: {},
  ...more
})

describe("TaskPack", () => {
  it("keeps the names of built-in predicates from packs, which could not change their meaning", () => {
    const violations = [{ id: "kernel.budget_kept", when: "false" }]
    const made = TaskPack.make({ pack: "acme.same", version: "1", violations })
    assert.include(String(Result.isFailure(made) && made.failure.message), "violations[0].id: found kernel.budget_kept")
  })

  it("reads a whole contract", () => {
    const pack = read(travel)
    assert.strictEqual(`${pack.id}@${pack.version}`, "acme.trips@2.0.1")
    const tool = TaskPack.tool(pack, "issue_ticket")
    assert.deepInclude(tool, {
      known: true,
      class: "high_risk_external",
      idempotency: "idempotent_write",
      status: "by_key"
    })
    assert.deepStrictEqual(tool.times, {
      sendWithinMillis: 10_000,
      settleAfterMillis: 120_000,
      keyRetentionMillis: 86_400_000
    })
    assert.deepStrictEqual(tool.identity?.fields, [
      { field: "train", normaliser: "code" },
      { field: "rider", normaliser: "name" }
    ])
    assert.deepStrictEqual(tool.writes, [{ name: "world.paid" }, { name: "world.tickets" }])
    assert.deepStrictEqual([tool.undo.class, tool.undo.by], ["K", "void_ticket"])
    assert.deepStrictEqual(TaskPack.tool(pack, "find_trains").idempotency, "read")
    assert.deepStrictEqual(TaskPack.tool(pack, "find_trains").undo.class, "I")
    assert.deepStrictEqual(pack.budget, {
      steps: 60,
      tokens: 200_000,
      elapsedMillis: 900_000,
      money: [{ precision: 2, max: "600.00" }],
      calls: { issue_ticket: 3 }
    })
    assert.deepStrictEqual(pack.topology, {
      kind: "orchestrator",
      agents: { boss: "planner" },
      order: [],
      silenceMillis: 30_000,
      checklist: ["issue_ticket"]
    })
    assert.deepStrictEqual(pack.skeletons["buy"]?.after, ["choose"])
    assert.deepStrictEqual(pack.tests[0]?.given, { "world.paid": 590 })
    assert.deepStrictEqual(TaskPack.contractOf(pack, "issue_ticket").hashSeeds, ["world.paid"])
    assert.deepStrictEqual(TaskPack.contractOf(pack, "goal.complete").hashSeeds, [])
    assert.deepStrictEqual(pack.warnings, [])
  })

  it("reads the aliases of the seed: namespace and id, contracts, condition, state, base_predicate", () => {
    const pack = read(claims)
    assert.strictEqual(`${pack.id}@${pack.version}`, "acme.claims.desk_v3@3")
    assert.deepStrictEqual(Object.keys(pack.fields.working), ["claim", "limit_total", "paid_total", "proof"])
    assert.deepStrictEqual(
      pack.violations.map(({ at, id, monotone, scope: at_ }) => [id, at, monotone, at_]),
      [
        ["over_limit", "after", "declared", ["pay_claim"]],
        ["no_proof", "after", "lift", ["pay_claim"]]
      ]
    )
    assert.deepStrictEqual(TaskPack.contractOf(pack, "ask_more").hashSeeds, ["working.claim"])
    const [first, second, third] = pack.warnings.map((warning) => `${warning.line}: ${warning.found}`)
    assert.deepStrictEqual([first, second, third], ["7: money as a float", "8: money as a float", "23: and, or or not"])
  })

  it("guards, approves and reports by its expressions", () => {
    const pack = read(travel)
    const refusals = (paid: string, args: object) => Guard.refusals(pack.guards, "issue_ticket", scope(paid, { args }))
    assert.deepStrictEqual(
      refusals("590.00", { fare: "40.00" }).map((refusal) => refusal.guard),
      ["within_limit"]
    )
    assert.deepStrictEqual(refusals("500.00", { fare: 40 }), [])
    assert.match(refusals("500.00", {})[0]?.failure ?? "", /no field fare/)
    assert.deepStrictEqual(Guard.refusals(pack.guards, "void_ticket", scope("900.00")), [])

    const approval = TaskPack.approvalOf(pack, "issue_ticket")
    assert.isDefined(approval)
    assert.deepInclude(approval, { by: ["manager"], expiresMillis: 3_600_000 })
    assert.isTrue(ApprovalRule.isNeeded(approval, scope("0.00", { args: { fare: 401 } })))
    assert.isFalse(ApprovalRule.isNeeded(approval, scope("0.00", { args: { fare: 400 } })))
    assert.isTrue(ApprovalRule.isNeeded(approval, scope("0.00")))
    assert.strictEqual(TaskPack.approvalOf(pack, "void_ticket"), undefined)

    const [paid, over] = pack.violations
    assert.isDefined(paid)
    assert.isDefined(over)
    if (paid === undefined || over === undefined) return
    assert.deepStrictEqual(
      ViolationPredicate.violated(paid, scope("0.00", { row: { status: "void", fare: "1.00" }, key: "A" })),
      Result.succeed(true)
    )
    assert.deepStrictEqual(ViolationPredicate.violated(over, scope("600.01")), Result.succeed(true))
    assert.deepStrictEqual(ViolationPredicate.reads(paid), ["world.tickets"])
    assert.deepStrictEqual(ViolationPredicate.reads(over), ["clause.fare_limit", "world.paid"])
    assert.deepStrictEqual([paid.halts, over.halts], [false, true])
    // What a rule over rows reads beside its row is read as well.
    const dear = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.dear",
        version: "1",
        state: { world: { tickets: { table: { key: "id", row: { fare: "int" } } }, most: "int" } },
        violations: [{ id: "dear", each: "world.tickets", when: "row.fare > world.most && key != ''" }]
      })
    ).violations[0]!
    assert.deepStrictEqual(ViolationPredicate.reads(dear), ["world.most", "world.tickets"])
  })

  it("evaluates the clauses of its specification", () => {
    const { specification } = read(travel)
    assert.deepStrictEqual(Specification.values(specification, { fare_limit: 300 }), {
      no_night: false,
      fare_limit: "300.00"
    })
    assert.deepStrictEqual(Specification.evaluate(specification, scope("700.00")), [
      { clause: "fare_limit", holds: false },
      { clause: "no_night", holds: true }
    ])
    const unknown = Specification.evaluate(specification, scope("700.00", { clause: {} }))
    assert.deepStrictEqual(
      unknown.map((verdict) => verdict.holds),
      ["unknown", true]
    )
    assert.match(unknown[0]?.reason ?? "", /no field fare_limit/)
  })

  it("gives a tool that it does not name the strictest contract", () => {
    const unknown = TaskPack.tool(read(travel), "send_rocket")
    assert.deepInclude(unknown, { known: false, class: "critical_mutation", idempotency: "effectful", status: "none" })
    assert.strictEqual(unknown.undo.class, "X")
    assert.isFalse(Object.hasOwn(read(travel).tools, "constructor"))
    assert.isFalse(TaskPack.tool(read(travel), "constructor").known)
    assert.deepStrictEqual(TaskPack.tool(undefined, "send_rocket"), unknown)
    assert.strictEqual(TaskPack.approvalOf(read(travel), "constructor"), undefined)
    assert.strictEqual(TaskPack.reducerOf(read(travel), "constructor"), undefined)
  })

  it("knows the line of each rule", () => {
    const pack = read(travel)
    const line = (needle: string) => travel.slice(0, travel.indexOf(needle)).split("\n").length
    assert.strictEqual(TaskPack.lineOf(pack, ["guards", "within_limit"]), line("- { id: within_limit"))
    assert.strictEqual(TaskPack.lineOf(pack, ["tools", "void_ticket"]), line("  void_ticket:"))
    assert.strictEqual(TaskPack.lineOf(pack, ["guards", "none"]), undefined)
    const loaded = Result.getOrThrow(TaskPack.fromJson(TaskPack.toJson(pack)))
    assert.strictEqual(TaskPack.lineOf(loaded, ["guards", "within_limit"]), undefined)
  })

  it("has the same digest when it comes back from JSON (L2)", () => {
    for (const text of [travel, claims]) {
      const pack = read(text)
      const json = JSON.parse(Canonical.encode(TaskPack.toJson(pack)))
      const again = Result.getOrThrow(TaskPack.fromJson(json))
      assert.strictEqual(again.digest, pack.digest)
      assert.strictEqual(Digest.ofJson("backstitch.pack.1", json), pack.digest)
      assert.deepStrictEqual(Object.keys(again.tools), Object.keys(pack.tools))
    }
  })

  it("lists its declarations in one order, however it was written and wherever it is loaded (L2)", () => {
    const input = { traveller: "string", passport: "string", born: "string" } as const
    const tools = { apply: { class: "read_only", input }, find: { class: "read_only" } } as const
    const made = Result.getOrThrow(TaskPack.make({ pack: "acme.borders", version: "1", tools }))
    const stored = Canonical.parse(Canonical.encode(TaskPack.toJson(made)))
    const loaded = Result.getOrThrow(TaskPack.fromJson(stored))
    for (const pack of [made, loaded]) {
      assert.deepStrictEqual(Object.keys(pack.tools), ["apply", "find"])
      assert.deepStrictEqual(Object.keys(pack.tools["apply"]?.input ?? {}), ["born", "passport", "traveller"])
    }
  })

  it("has another digest when anything in it changes, and the same when only its layout does", () => {
    const digest = read(travel).digest
    assert.notStrictEqual(read(travel.replace("max: 600", "max: 601")).digest, digest)
    assert.strictEqual(read(`# reviewed\n${travel.replace("Trips by rail", '"Trips by rail"')}`).digest, digest)
  })

  const definition: Definition.Definition = {
    pack: "acme.code",
    version: "1.0.0",
    state: { world: { total: "int" }, working: {} },
    tools: {
      count: {
        class: "ephemeral_write",
        identity: "none",
        target: "none",
        input: { by: "int" },
        model: ({ world, args }) => ({ output: "ok", world: { total: world.total + args.by } })
      }
    },
    violations: [{ id: "high", when: ({ world }) => world.total > 10 }]
  }

  it("is the same pack in TypeScript and in YAML", () => {
    const yaml = read('pack: acme.same\nversion: "1"\nviolations:\n  - { id: never, when: false }\n')
    const code = Result.getOrThrow(
      TaskPack.make({ pack: "acme.same", version: "1", violations: [{ id: "never", when: false }] })
    )
    assert.strictEqual(code.digest, yaml.digest)
  })

  it("carries functions as their source, and runs them from it", () => {
    const pack = Result.getOrThrow(TaskPack.make(definition))
    const again = Result.getOrThrow(TaskPack.fromJson(JSON.parse(JSON.stringify(TaskPack.toJson(pack)))))
    assert.strictEqual(again.digest, pack.digest)
    const [high] = again.violations
    assert.isDefined(high)
    if (high === undefined) return
    assert.deepStrictEqual(Condition.holds(high.when, { world: { total: 11 } }), Result.succeed(true))
    assert.strictEqual(Condition.reads(high.when), "any")
    const reduction = again.tools["count"]?.onRecorded
    assert.isDefined(reduction)
    if (reduction === undefined) return
    const after = Operation.reduce(
      reduction,
      { world: { total: 1 }, working: {} },
      { fields: again.fields, bindings: { args: { by: 2 } } }
    )
    assert.deepStrictEqual(after, Result.succeed({ world: { total: 3 }, working: {} }))
  })

  it("has another digest when a function changes", () => {
    const changed: Definition.Definition = {
      ...definition,
      violations: [{ id: "high", when: ({ world }) => world.total > 11 }]
    }
    assert.notStrictEqual(
      Result.getOrThrow(TaskPack.make(changed)).digest,
      Result.getOrThrow(TaskPack.make(definition)).digest
    )
  })

  it("refuses a function that reaches outside of itself", () => {
    const limit = 10
    const read = TaskPack.make({
      ...definition,
      violations: [{ id: "high", when: ({ world }) => world.total > limit }]
    })
    assert.isTrue(Result.isFailure(read))
    if (Result.isFailure(read))
      assert.match(read.failure.message, /violations\[0\]\.when: found a function of which it uses limit/)
  })

  it("reports a condition without an answer instead of guessing one", () => {
    const failing = Condition.holds({ _tag: "Function", function: { source: "() => x" }, run: () => Number.NaN }, {})
    assert.isTrue(Result.isFailure(failing))
    const throwing = Condition.holds(
      {
        _tag: "Function",
        function: { source: "() => x" },
        run: () => {
          throw new TypeError("no such row")
        }
      },
      {}
    )
    assert.isTrue(Result.isFailure(throwing) && /no such row/.test(throwing.failure.message))
  })

  it("writes its issues for people, with the place first", () => {
    const issue = { file: "a.yaml", line: 3, column: 5, path: "tools.x", found: "y", expected: "z", hint: "Do w" }
    assert.strictEqual(Issue.format(issue), "a.yaml:3:5 tools.x: found y, expected z. Do w")
    const error = new TaskPack.PackInvalid({ file: "a.yaml", issues: [issue, { ...issue, line: 0, path: "" }] })
    assert.match(error.message, /^2 things are wrong in a\.yaml/)
    assert.match(error.message, /\n {2}a\.yaml \(whole file\): found y/)
  })

  it("says of a predicate that is no mapping, or has a word that it does not know, one thing", () => {
    for (const violation of [7, { id: "v", when: "true", unless: "false" }]) {
      const read = TaskPack.fromJson({ pack: "acme.notes", version: "1.0.0", violations: [violation] })
      assert.strictEqual(Result.isFailure(read) && read.failure.issues.length, 1, JSON.stringify(violation))
    }
  })

  it("reads an output in short as one field, and any other mapping as fields by name", () => {
    const outputOf = (output: object) =>
      TaskPack.tool(
        Result.getOrThrow(
          TaskPack.fromJson({
            pack: "acme.notes",
            version: "1.0.0",
            tools: { look: { class: "read_only", output } }
          } as never)
        ),
        "look"
      ).output?.type
    assert.deepStrictEqual(
      [{ list: "string" }, { decimal: 2 }, { enum: ["a", "b"] }, { object: { a: "int" } }].map(outputOf),
      ["list", "decimal", "enum", "object"]
    )
    // A field may have the name of a type.
    assert.deepStrictEqual([{ decimal: "string" }, { enum: "int" }, { found: "json" }].map(outputOf), [
      "object",
      "object",
      "object"
    ])
  })
})
