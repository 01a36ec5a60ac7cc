/** The order in which functions of packs enumerate a value, live and when the stored trace is folded again. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as Snapshot from "@backstitch/reducer/Snapshot"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Commit from "../src/decision/Commit.ts"
import * as StandardFold from "../src/StandardFold.ts"

/** Each function writes down what it enumerates: arguments, rows, sections and what it wrote itself. */
const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.order",
    version: "1.0.0",
    state: {
      world: { rows: { table: { key: "id", row: "json" } } },
      working: { zeta: "json", seen: { list: "string" }, alpha: "json", plan: "json" }
    },
    tools: {
      store: {
        class: "read_only",
        input: { id: "string", value: "json" },
        on_recorded: ({ args, kernel, observed, world }) => {
          const { id, value } = args as { readonly id: string; readonly value: unknown }
          const rows = (world["rows"] as { set: (id: string, row: unknown) => unknown }).set(id, {
            value,
            kernel: Object.keys(kernel as object).length,
            args: JSON.stringify(args),
            observed: JSON.stringify(observed)
          })
          return { world: { rows } }
        }
      }
    },
    reducers: {
      on: {
        "plan.update": ({ args, working, world }) => {
          const text = JSON.stringify([args, working["alpha"], working["zeta"], Object.keys(working)])
          const rows = [...(world["rows"] as ReadonlyMap<string, unknown>).values()]
          const seen = (working["seen"] as { append: (text: string) => unknown }).append(
            `${text} ${JSON.stringify(rows)}`
          )
          return {
            working: { seen, zeta: { z: 1, plan: args, a: 2 }, alpha: { [String(args["key"])]: 1, b: 2, "9": 3 } }
          }
        }
      }
    },
    violations: [
      {
        id: "first_is_b",
        when: ({ working }) => Object.keys((working["zeta"] ?? {}) as object)[0] === "z"
      }
    ]
  })
)

const fold = Fold.make({
  parts: StandardFold.parts,
  earlier: StandardFold.earlier,
  sources: { rules: () => PackRules.of(pack) }
})

const reversed = (value: Json): Json => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .reverse()
      .map(([key, field]) => [key, reversed(field ?? null)])
  )
}

const bodies = (values: ReadonlyArray<Json>): ReadonlyArray<Transition.Body> => [
  {
    author: "kernel",
    data: { fold: fold.version, goal: "g", pack: pack.digest, rules: 2 },
    type: "run.started"
  },
  ...values.flatMap((value, index): ReadonlyArray<Transition.Body> => {
    const id = `a${index * 3 + 2}`
    const params = { value: reversed(value), id: `row-${index}` }
    return [
      { type: "action.request", author: "agent", action: { tool: "store", params, id } },
      {
        type: "action.result",
        author: "kernel",
        result: { status: "ok", basis: "recorded", output: reversed([value, -0]), trust: 1 },
        action: { id }
      },
      { type: "plan.update", author: "agent", data: { value: reversed(value), key: `k${index}`, absent: undefined } }
    ]
  })
]

const isWritable = (value: Json): boolean => !/\\ud[89a-f]/.test(JSON.stringify(value))

describe("the order in which functions see keys", () => {
  it.prop(
    "is the same live, from the stored bytes and from a snapshot (L2)",
    [Schema.Array(Schema.Json).check(Schema.isMaxLength(4))],
    ([values]) => {
      if (!isWritable(values)) return
      const run = Run.make("order")
      const at: Commit.Position = { head: HashChain.genesis(run), state: State.empty, asOf: 0 }
      const drafts = bodies(values).map((body) => ({ body, stamp: { asOf: 1 }, envelope: { ts: 1 } }))
      const live = Commit.assemble(fold, { run, at, drafts })
      let again = State.empty
      for (const sealed of live.sealed) {
        // Read from its manifest and nodes before each step, as a process does that begins in the middle.
        const nodes = new Map<string, string>()
        const written = Snapshot.write(again, { has: () => false, put: (digest, text) => void nodes.set(digest, text) })
        again = fold.evolve(
          Snapshot.read(written, (digest) => nodes.get(digest)),
          Transition.open(sealed)
        )
      }
      assert.strictEqual(State.digest(again), State.digest(live.position.state))
      assert.strictEqual(Canonical.encode(State.toJson(again)), Canonical.encode(State.toJson(live.position.state)))
      assert.notProperty(Canonical.objectOf(live.position.state.kernel["latches"] as Json), "first_is_b")
    },
    { arbitrary: { runs: 300 } }
  )
})
