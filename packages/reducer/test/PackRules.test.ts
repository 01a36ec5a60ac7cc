import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Table from "@backstitch/trace/Table"
import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Fold, Latch, PackRules, Part, State } from "../src/index.ts"
import * as Lab from "./lab.ts"

const definition: Definition = {
  pack: "acme.desk",
  version: "1.0.0",
  state: {
    world: {
      orders: { table: { key: "id", row: { price: { decimal: 2 }, status: "string" } } },
      spent: { decimal: 2 }
    },
    working: { plan: { type: "string", nullable: true }, limit: "int" }
  },
  specification: { max_total: { holds: "world.spent <= clause.max_total", value: { decimal: 2 } } },
  tools: {
    order: {
      class: "high_risk_external",
      input: { id: "string", price: { decimal: 2 } },
      target: "args.id",
      identity: { scope: "run", fields: ["id"] },
      times: { sendWithin: "10s", settleAfter: "2m", keyRetention: "24h" },
      status: "by_key",
      undo: "X",
      writes: ["world.orders", "world.spent"],
      on_reconciled: [
        { put: { table: "world.orders", key: "args.id", row: { price: "args.price", status: "actual.status" } } },
        { add: { field: "world.spent", value: "args.price" } }
      ],
      on_recorded: [
        { put: { table: "world.orders", key: "args.id", row: { price: "args.price", status: "'recorded'" } } }
      ]
    }
  },
  violations: [
    { id: "overspent", when: "world.spent > clause.max_total" },
    { id: "odd_status", each: "world.orders", when: "row.status != 'confirmed' && row.status != 'recorded'" },
    { id: "order_without_plan", scope: "order", when: "working.plan == null", at: "before" },
    { id: "limit_passed", when: ({ working }) => Number(working["limit"]) > 3, monotone: true }
  ],
  reducers: { on: { "plan.update": [{ set: { field: "working.plan", value: "args.plan" } }] } }
}

const pack = Result.getOrThrow(TaskPack.make(definition))
const rules = PackRules.of(pack)

interface Actions {
  readonly [id: string]: JsonObject
}

/** Actions as far as the rules read them, and the clauses of the goal. */
const actions = Part.make<Actions>("actions", {
  version: 1,
  init: {},
  on: {
    "action.request": (self, { body }) => ({ ...self, [body.action!.id]: { ...(body.action as JsonObject) } }),
    "action.verified": (self, { body }) => ({
      ...self,
      [body.action!.id]: { ...self[body.action!.id], actual: body.result!.output }
    })
  }
})
const goal = Part.make("goal", {
  version: 1,
  init: { clauses: { max_total: "100.00" } },
  on: {
    "run.started": (self) => self,
    "revision.absorbed": (_, { body }) => ({ clauses: body.data as { readonly max_total: string } })
  }
})

const fold = Fold.make({ parts: [...Fold.base, actions, goal], sources: { rules: () => rules } })
const plan: Body = { author: "agent", data: { plan: "one chair" }, type: "plan.update" }
const request = (id: string, price: string): Body => ({
  action: { id, params: { id: `order-${id}`, price }, tool: "order" },
  author: "agent",
  type: "action.request"
})
const settle = (id: string, status: string): ReadonlyArray<Body> => [
  { action: { id }, author: "kernel", result: { output: { status }, status: "ok" }, type: "action.result" },
  { action: { id }, author: "kernel", result: { output: { status }, status: "ok" }, type: "action.verified" },
  { action: { id }, author: "kernel", result: { basis: "readback", status: "ok" }, type: "action.reconciled" }
]
const bought = (id: string, price: string, status = "confirmed") => [request(id, price), ...settle(id, status)]

const orders = (state: State.State) => State.fieldToJson(state.world["orders"]!)

describe("PackRules", () => {
  it("gives the same rules for the same pack", () => {
    assert.strictEqual(PackRules.of(pack), rules)
  })

  it("begins with the fields that the pack declares", () => {
    const state = Lab.head(fold, [Lab.started])
    assert.isTrue(Table.is(state.world["orders"]))
    assert.deepStrictEqual(State.sectionToJson(state.world), { orders: {}, spent: "0.00" })
    assert.strictEqual(state.working["plan"], null)
  })

  it("changes the world when an action is reconciled, and not before", () => {
    const states = Lab.states(fold, [Lab.started, plan, ...bought("a3", "19.90")])
    assert.deepStrictEqual(
      states.slice(1).map((state) => state.world["spent"]),
      ["0.00", "0.00", "0.00", "0.00", "0.00", "19.90"]
    )
    assert.deepStrictEqual(orders(states[6]!), { "order-a3": { price: "19.90", status: "confirmed" } })
  })

  it("changes nothing when an action is reconciled as an error", () => {
    const [, , reconciled] = settle("a3", "confirmed")
    const failed: Body = { ...reconciled!, result: { basis: "readback", status: "error" } }
    assert.deepStrictEqual(orders(Lab.head(fold, [Lab.started, plan, request("a3", "19.90"), failed])), {})
  })

  it("believes a recorded result as far as the contract allows for it, and no other result (decision 0043)", () => {
    const result = (basis: "recorded" | "attested"): Body => ({
      action: { id: "a3" },
      author: "kernel",
      result: { basis, output: {}, status: "ok", trust: 1 },
      type: "action.result"
    })
    const after = (basis: "recorded" | "attested") =>
      orders(Lab.head(fold, [Lab.started, plan, request("a3", "19.90"), result(basis)]))
    assert.deepStrictEqual(after("recorded"), { "order-a3": { price: "19.90", status: "recorded" } })
    assert.deepStrictEqual(after("attested"), {})
  })

  it("binds the names of the requested states and row, whatever was requested before", () => {
    const states = Lab.states(fold, [Lab.started, plan, ...bought("a3", "19.90")])
    const transition = Lab.transitions([Lab.started, plan, ...bought("a3", "19.90")])[5]!
    const [before, after] = [states[5]!, states[6]!]
    const of = (state: State.State, row?: string) =>
      PackRules.bindingsOf({ state, before, after, transition, key: row, row })
    for (const [state, spent] of [
      [after, "19.90"],
      [before, "0.00"],
      [after, "19.90"]
    ] as const) {
      assert.deepInclude(of(state, "chair"), { key: "chair", row: "chair", world: state.world })
      assert.strictEqual(of(state).state["spent"], spent)
      assert.isUndefined(of(state).row)
    }
  })

  it("changes working by the reducer of the type", () => {
    assert.strictEqual(Lab.head(fold, [Lab.started, plan]).working["plan"], "one chair")
  })

  it("latches its predicates: over fields, over rows, in their scope and window, and in TypeScript", () => {
    const latches = (...bodies: ReadonlyArray<Body>) => Latch.of(Lab.head(fold, [Lab.started, ...bodies]))
    assert.deepStrictEqual(latches(plan, ...bought("a3", "60.00"), ...bought("a7", "50.00")), { overspent: 10 })
    assert.deepStrictEqual(latches(plan, ...bought("a3", "5.00", "lost")), { odd_status: 6 })
    assert.deepStrictEqual(latches(request("a2", "5.00"), plan), { order_without_plan: 2 })
  })

  it("looks again when a clause of the goal changes, although the world did not", () => {
    const lower: Body = { author: "kernel", data: { max_total: "50.00" }, type: "revision.absorbed" }
    const state = Lab.head(fold, [Lab.started, plan, ...bought("a3", "60.00"), lower])
    assert.deepStrictEqual(Latch.of(state), { overspent: 7 })
  })
})
