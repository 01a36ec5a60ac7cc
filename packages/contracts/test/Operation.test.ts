import { Field } from "@backstitch/expressions"
import type * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Definition, Operation, TaskPack } from "../src/index.ts"

const state: Definition.Definition["state"] = {
  world: {
    spent: { decimal: 2 },
    seats: "int",
    rate: { float: 2 },
    bookings: { table: { key: "pnr", row: { status: "string", price: { decimal: 2 } } } }
  },
  working: { notes: { list: "string" }, chosen: { type: "string", nullable: true } }
}

const packOf = (reduction: Definition.Reduction) =>
  TaskPack.make({
    pack: "acme.test",
    version: "1",
    state,
    tools: { act: { class: "ephemeral_write", identity: "none", target: "none", on_reconciled: reduction } },
    violations: [{ id: "never", when: false }]
  })

const run = (reduction: Definition.Reduction, given: Partial<Operation.Sections> = {}, args: object = {}) => {
  const pack = Result.getOrThrow(packOf(reduction))
  const before: Operation.Sections = {
    world: { ...Operation.initial(pack.fields.world), ...given.world },
    working: { ...Operation.initial(pack.fields.working), ...given.working }
  }
  const self = pack.tools["act"]?.onReconciled
  assert.isDefined(self)
  const after = Operation.reduce(self as Operation.Reduction, before, {
    fields: pack.fields,
    bindings: { args, actual: args, observed: {}, clause: {}, kernel: {} }
  })
  return { before, after, self: self as Operation.Reduction }
}

const done = (...given: Parameters<typeof run>) => Result.getOrThrow(run(...given).after)
const refused = (...given: Parameters<typeof run>) => {
  const { after } = run(...given)
  return Result.isFailure(after) ? after.failure.message : assert.fail("the operation was applied")
}

const booked = Table.from([["A", { status: "held", price: "10.00" }]])

describe("Operation", () => {
  it("sets, adds, puts, removes and appends", () => {
    const after = done(
      [
        { set: { field: "working.chosen", value: "actual.flight" } },
        { add: { field: "world.spent", value: "actual.price" } },
        { add: { field: "world.seats", value: -1 } },
        { put: { table: "world.bookings", key: "actual.pnr", row: { status: "'confirmed'", price: "actual.price" } } },
        { set: { table: "world.bookings", key: "'A'", field: "status", value: "'cancelled'" } },
        { add: { table: "world.bookings", key: "'A'", field: "price", value: 0.1 } },
        { append: { list: "working.notes", item: "'booked ' + actual.pnr" } }
      ],
      { world: { bookings: booked, seats: 3 } },
      { flight: "LX1", price: 40.5, pnr: "B" }
    )
    assert.strictEqual(after.working["chosen"], "LX1")
    assert.strictEqual(after.world["spent"], "40.50")
    assert.strictEqual(after.world["seats"], 2)
    const bookings = after.world["bookings"]
    assert.isTrue(Table.is(bookings))
    assert.deepStrictEqual((bookings as Table.Table).toJson(), {
      A: { price: "10.10", status: "cancelled" },
      B: { price: "40.50", status: "confirmed" }
    })
    assert.deepStrictEqual([...(after.working["notes"] as List.List)], ["booked B"])
    const removed = done([{ remove: { table: "world.bookings", key: "'A'" } }], { world: { bookings: booked } })
    assert.strictEqual((removed.world["bookings"] as Table.Table).size, 0)
  })

  it("lets each operation see the values that earlier ones wrote", () => {
    const after = done([
      { add: { field: "world.seats", value: 2 } },
      { set: { field: "world.rate", value: "world.seats * 1.005" } },
      { set: { field: "world.seats", value: 9 }, when: "world.seats > 5" }
    ])
    assert.strictEqual(after.world["seats"], 2)
    assert.strictEqual(after.world["rate"], 2.01)
  })

  it("returns the same sections if nothing changed, and shares unchanged parts", () => {
    const idle = run([{ set: { field: "world.seats", value: 9 }, when: "args.go == true" }], {}, { go: false })
    assert.strictEqual(Result.getOrThrow(idle.after), idle.before)
    const one = run([{ add: { field: "world.seats", value: 1 } }])
    assert.strictEqual(Result.getOrThrow(one.after).working, one.before.working)
  })

  it("leaves a field absent if its condition does not hold", () => {
    const { before, self } = run(
      [{ set: { field: "working.chosen", value: "'x'" }, when: "args.go == true" }],
      {},
      { go: false }
    )
    const { chosen: _, ...working } = before.working
    const pack = Result.getOrThrow(packOf([]))
    const reduce = (go: boolean) =>
      Result.getOrThrow(
        Operation.reduce(
          self,
          { ...before, working },
          { fields: pack.fields, bindings: { args: { go }, actual: {}, observed: {}, clause: {}, kernel: {} } }
        )
      ).working
    assert.notProperty(reduce(false), "chosen")
    assert.strictEqual(reduce(true)["chosen"], "x")
  })

  it("refuses a value of another type, a row that is not there, and a sum that is none", () => {
    assert.match(
      refused([{ set: { field: "world.seats", value: "args.seats" } }], {}, { seats: "two" }),
      /string "two", expected a whole number/
    )
    assert.match(
      refused([{ set: { table: "world.bookings", key: "'Z'", field: "status", value: "'x'" } }]),
      /there is no row "Z"/
    )
    assert.match(
      refused([{ add: { field: "world.spent", value: "args.price" } }], {}, { price: "much" }),
      /cannot be added/
    )
    assert.match(refused([{ remove: { table: "world.bookings", key: "args.key" } }], {}, { key: "" }), /the key is/)
    assert.match(refused([{ set: { field: "working.chosen", value: "args.none" } }]), /there is no field none/)
  })

  it("says which fields it writes", () => {
    const { self } = run([
      { add: { field: "world.seats", value: 1 } },
      { append: { list: "working.notes", item: "'x'" } }
    ])
    assert.deepStrictEqual(Operation.writes(self), ["working.notes", "world.seats"])
  })

  it("runs a function from its source, and rounds and checks its answer", () => {
    const reduction: Definition.Reduction = ({ world, working, args }) => ({
      world: { spent: args.price, bookings: world.bookings.set(args.pnr, { status: "new", price: args.price }) },
      working: { notes: working.notes.append("from code") }
    })
    const after = done(reduction, { world: { bookings: booked } }, { price: 1.005, pnr: "C" })
    assert.strictEqual(after.world["spent"], "1.00")
    assert.deepStrictEqual((after.world["bookings"] as Table.Table).get("C"), { status: "new", price: "1.00" })
    assert.deepStrictEqual([...(after.working["notes"] as List.List)], ["from code"])
    assert.strictEqual(Operation.writes(run(() => undefined).self), "any")
  })

  it("refuses an answer that a function may not give", () => {
    assert.match(
      refused(() => ({ world: { nothing: 1 } })),
      /declares no such field/
    )
    assert.match(
      refused(() => ({ world: { bookings: {} } })),
      /expected a table/
    )
    assert.match(
      refused(({ world }) => ({ world: { bookings: world.bookings.set("A", { status: 1, price: 1 }) } })),
      /status is number 1/
    )
    assert.match(
      refused(({ args }) => args.none.field),
      /the function failed/
    )
    assert.match(
      refused(() => ({ kernel: {} }) as object),
      /world and working only/
    )
  })

  it.prop(
    "adds decimals without drifting, whatever the order",
    [Schema.Array(Schema.Int)],
    ([cents]) => {
      const amounts = cents.map((each) => (each % 100_000) / 100)
      const total = (values: ReadonlyArray<number>) =>
        values.reduce<Operation.Sections>(
          (sections, price) => done([{ add: { field: "world.spent", value: "args.price" } }], sections, { price }),
          { world: {}, working: {} }
        ).world["spent"]
      const expected = cents.reduce((sum, each) => sum + (each % 100_000), 0)
      const forwards = total(amounts) ?? "0.00"
      return (
        forwards === (total([...amounts].reverse()) ?? "0.00") &&
        Math.round(Number(forwards) * 100) + 0 === expected + 0
      )
    },
    { arbitrary: { runs: 30 } }
  )

  it("fills a template in, or says which expression has no answer yet", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.test",
        version: "1",
        state,
        tools: {
          act: {
            class: "ephemeral_write",
            input: { seat: "string" },
            identity: "none",
            target: "none",
            undo: { class: "R", by: "free", with: { seat: "args.seat", pnr: "actual.pnr" } }
          },
          free: {
            class: "ephemeral_write",
            input: { seat: "string", pnr: "string" },
            identity: "none",
            target: "none"
          }
        },
        violations: [{ id: "never", when: false }]
      })
    )
    const { pnr, seat } = TaskPack.tool(pack, "act").undo.with
    const bindings = { args: { seat: "4A" }, actual: null }
    assert.deepStrictEqual(Result.getOrThrow(Operation.fill(seat!, bindings)), "4A")
    assert.isTrue(Result.isFailure(Operation.fill(pnr!, bindings)))
  })

  it("begins with the declared initial state", () => {
    const initial = Operation.initial({
      a: { type: "int", initial: 4 },
      t: { type: "table", key: "k", row: { type: "json" } }
    })
    assert.deepStrictEqual(initial, { a: 4, t: Table.empty })
    assert.deepStrictEqual(Field.check(Field.object({ a: { type: "int" } }), { a: initial["a"] }), [])
  })
})
