import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Claims from "../src/chain/Claims.ts"
import * as Run from "../src/chain/Run.ts"
import * as Ontology from "../src/transition/Ontology.ts"
import type { Body } from "../src/transition/Transition.ts"

const run = Run.make("trip-42")
const stamp = { asOf: 0 }
const action = { id: "a-1", target: "seat/12" }

const held = (claim: Claims.Claim, by = run): Claims.HeldClaim => ({ ...claim, run: by, tick: 3 })
const seat: Claims.Claim = { namespace: "target", name: "seat/12", owner: "a-1" }

describe("Claims", () => {
  it("takes key and target when an action starts, in the action's name (L7)", () => {
    const body: Body = { type: "action.started", author: "kernel", action }
    assert.deepStrictEqual(Claims.of(run, { body, stamp: { ...stamp, key: "key-1" } }), {
      take: [{ namespace: "key", name: "key-1", owner: "a-1" }, seat],
      release: []
    })
    assert.deepStrictEqual(Claims.of(run, { body: { ...body, action: { id: "a-1" } }, stamp }), {
      take: [],
      release: []
    })
  })

  it("releases the target when the action is reconciled, and never the key (L6)", () => {
    const body: Body = { type: "action.reconciled", author: "kernel", action }
    assert.deepStrictEqual(Claims.of(run, { body, stamp: { ...stamp, key: "key-1" } }), { take: [], release: [seat] })
  })

  it("takes a run's name when it begins, on its own or as a fork", () => {
    for (const type of ["run.started", "run.fork"] as const) {
      assert.deepStrictEqual(Claims.of(run, { body: { type, author: "kernel" }, stamp }), {
        take: [{ namespace: "run", name: "trip-42", owner: "trip-42" }],
        release: []
      })
    }
  })

  it("takes the name of a command, apart from the same name in another run", () => {
    const body: Body = { type: "message.received", author: "user", intent: { command: "c-1" } }
    const [left, right] = [run, Run.make("other")].map((run) => Claims.of(run, { body, stamp }).take)
    assert.strictEqual(left!.length, 1)
    assert.include(left![0], { namespace: "command", owner: "trip-42" })
    assert.notDeepEqual(left, right)
  })

  it("changes nothing for any other type without a command (L7)", () => {
    const changing = ["run.started", "run.fork", "action.started", "action.reconciled"]
    const types = Object.keys(Ontology.types) as ReadonlyArray<Ontology.Type>
    for (const type of types.filter((type) => !changing.includes(type))) {
      const changes = Claims.of(run, { body: { type, author: "kernel", action }, stamp: { ...stamp, key: "key-1" } })
      assert.deepStrictEqual(changes, { take: [], release: [] }, type)
    }
  })

  it.prop(
    "may be taken by its holder alone: the same owner of the same run of the same tenant (L7, L15)",
    {
      id: Schema.Literals(["a", "b"]),
      tenant: Schema.Literals(["north", "south"]),
      owner: Schema.Literals(["x", "y"])
    },
    ({ id, owner, tenant }) => {
      const holder = held({ ...seat, owner: "x" }, Run.make("a", "north"))
      const isHolder = id === "a" && tenant === "north" && owner === "x"
      assert.strictEqual(Claims.mayTake(Run.make(id, tenant), { ...seat, owner }, holder), isHolder)
      assert.isTrue(Claims.mayTake(Run.make(id, tenant), { ...seat, owner }, undefined))
    }
  )

  it("names the holder in a refusal, and the next step", () => {
    const refused = Claims.refuse(held(seat))
    assert.deepEqual(refused.holder, { run: run.id, owner: "a-1", tick: 3 })
    assert.match(refused.message, /target "seat\/12" is held by a-1 of run trip-42 since tick 3.*settled/)
    assert.match(Claims.refuse(held({ ...seat, namespace: "key" })).message, /Use what run trip-42 did/)
  })
})
