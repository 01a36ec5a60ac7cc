import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"

describe("PackPurity", () => {
  it("names every function of a pack by its place", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { working: { count: "int" } },
        specification: { few: { holds: "working.count <= clause.few", value: "int" } },
        tools: { look: { class: "read_only", assumes: { few: ({ clause }) => Number(clause["few"]) > 1 } } },
        violations: [{ id: "watched", when: ({ working }) => Number(working["count"]) > 3 }]
      })
    )
    assert.deepStrictEqual(
      PackPurity.functions(pack).map(({ id }) => id),
      ["tools.look.assumes.few", "violations.watched"]
    )
    assert.isTrue(Result.isSuccess(PackPurity.check(pack)))
  })

  it("finds a function in every part that takes a condition", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { working: { count: "int" } },
        specification: { few: { holds: ({ working }) => Number(working["count"]) < 2, value: "int" } },
        tools: {
          pay: {
            class: "high_risk_external",
            input: { amount: "int" },
            identity: { scope: "run", fields: ["amount"] },
            readback: {
              source: "the ledger of the bank",
              expect: ["actual.amount == args.amount"],
              parts: { paid: ({ actual }) => Number(actual["amount"]) > 3 }
            },
            undo: "X"
          }
        },
        approvals: { pay: { when: ({ args }) => Number(args["amount"]) > 5, by: ["manager"] } },
        skeletons: { paying: { tools: ["pay"], commit: () => 1 > 2, exit: () => 2 > 3 } }
      })
    )
    assert.deepStrictEqual(
      PackPurity.functions(pack)
        .map(({ id }) => id)
        .sort(),
      [
        "approvals.pay.when",
        "skeletons.paying.commit",
        "skeletons.paying.exit",
        "specification.few.holds",
        "tools.pay.readback.parts.paid"
      ]
    )
  })

  it("refuses a function that changes its input", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { working: { notes: { type: "json", initial: { seen: [] } } } },
        violations: [
          {
            id: "watched",
            when: ({ working }) => {
              const notes = working["notes"] as { seen: Array<number> }
              notes.seen.push(1)
              return notes.seen.length > 1
            }
          }
        ]
      })
    )
    const checked = PackPurity.check(pack)
    assert.isTrue(Result.isFailure(checked))
    if (Result.isFailure(checked)) assert.strictEqual(checked.failure.reason, "changes_input")
  })

  it("tries a function on values that the types of its tool, its table and the state permit", () => {
    const make = (definition: object) =>
      PackPurity.findings(
        Result.getOrThrow(
          TaskPack.make({
            pack: "acme.notes",
            version: "1.0.0",
            state: { world: { orders: { table: { key: "id", row: { tags: { list: "string" } } } } } },
            tools: { pay: { class: "read_only", input: { lines: { list: "json" } } } },
            ...definition
          })
        )
      ).map(({ id, reason }) => `${id} ${reason}`)
    assert.deepStrictEqual(
      make({
        guards: [
          {
            id: "by_args",
            on: ["pay"],
            refuse_if: ({ args }: { readonly args: { readonly lines: Array<object> } }) =>
              args.lines.length > 1 && args.lines.push({}) > 0
          }
        ],
        violations: [
          {
            id: "by_row",
            each: "world.orders",
            when: ({ row }: { readonly row: { readonly tags: Array<string> } }) =>
              row.tags.length > 2 && row.tags.sort().length > 0
          },
          {
            id: "by_change",
            when: ({ after, before }: { readonly after: object; readonly before: object }) => after === before
          }
        ]
      }),
      ["guards.by_args changes_input", "violations.by_row changes_input", "violations.by_change answers_differently"]
    )
  })

  it("finds nothing in pure functions, on any values", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { world: { orders: { table: { key: "id", row: { price: { decimal: 2 } } } } }, working: { n: "int" } },
        specification: { limit: { holds: "working.n <= clause.limit", value: "int" } },
        tools: { pay: { class: "read_only", input: { id: "string" }, output: { total: "int" } } },
        violations: [
          {
            id: "sums",
            when: ({ working, world }) => {
              let total = 0
              for (const { price } of (world["orders"] as ReadonlyMap<string, { price: string }>).values()) {
                total += Number(price)
              }
              return total > Number(working["n"])
            }
          },
          { id: "answers_nothing", when: ({ args }) => (args as { readonly flag: boolean }).flag }
        ],
        reducers: { on: { pay: ({ observed }) => ({ working: { n: (observed as { total: number }).total } }) } }
      })
    )
    assert.deepStrictEqual(
      PackPurity.findings(pack).map(({ id, reason }) => `${id} ${reason}`),
      ["violations.answers_nothing not_json"]
    )
  })

  it("meets no function that remembers, because a pack refuses outside names", () => {
    let calls = 0
    const pack = TaskPack.make({
      pack: "acme.notes",
      version: "1.0.0",
      state: { working: { count: "int" } },
      violations: [{ id: "watched", when: () => ++calls > 1 }]
    })
    assert.isTrue(Result.isFailure(pack))
    if (Result.isFailure(pack)) assert.match(pack.failure.message, /calls/)
  })

  it("lets a function fail on a sample that is not for it", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { working: { count: "int" } },
        violations: [
          {
            id: "watched",
            when: ({ args }) => (args as { readonly deep: { readonly value: number } }).deep.value > 1
          }
        ]
      })
    )
    assert.isTrue(Result.isSuccess(PackPurity.check(pack)))
  })
})
