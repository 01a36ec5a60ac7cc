/** A party that is planned and paid for: its contract, the desk of its providers, and what is looked at of its run. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const
const keyed = { class: "medium_risk_write", idempotency: "idempotent_write", status: "by_key", times } as const
const read = (status: string) => ({ source: "desk", expect: [`actual.status == '${status}'`], within: "2s" }) as const
const named = (field: string) =>
  ({ target: `'${field}/' + args.${field}`, identity: { scope: "goal", fields: [{ [field]: "exact" }] } }) as const

/** A hall is hired (K) and a band booked (R) for a city; guests are invited to the hall (X); the menu is anybody's. */
export const definition = {
  pack: "acme.party",
  version: "1.0.0",
  state: {
    world: {
      halls: { table: { key: "hall", row: "string" } },
      bands: { table: { key: "band", row: "string" } },
      invited: { list: "string" },
      spent: "int"
    },
    working: { found: { table: { key: "city", row: "string" } }, menu: { type: "string", nullable: true } }
  },
  specification: {
    city: { holds: "true", value: "string", default: "Bern" },
    budget: { holds: "world.spent <= clause.budget", value: "int", default: 500 },
    music: { holds: "true" }
  },
  revisions: { rule: "dependency_closure" },
  tools: {
    look: { class: "read_only", input: { city: "string" }, assumes: [] },
    write: { class: "read_only", input: { text: "string" }, assumes: [] },
    hire: {
      ...keyed,
      ...named("hall"),
      input: { hall: "string", city: "string", price: "int" },
      readback: read("hired"),
      undo: { class: "K", by: "cancel", with: { hall: "args.hall", price: "args.price" } },
      reads: ["working.found[args.city]"],
      assumes: { city: "args.city == clause.city", budget: "world.spent <= clause.budget" },
      on_reconciled: [
        { put: { table: "world.halls", key: "args.hall", row: "actual.status" } },
        { add: { field: "world.spent", value: "args.price" } }
      ]
    },
    cancel: {
      ...keyed,
      ...named("hall"),
      input: { hall: "string", price: "int" },
      readback: read("cancelled"),
      undo: "X",
      assumes: [],
      on_reconciled: [
        { put: { table: "world.halls", key: "args.hall", row: "actual.status" } },
        { add: { field: "world.spent", value: "0 - args.price" } }
      ]
    },
    book: {
      ...keyed,
      ...named("band"),
      input: { band: "string" },
      readback: read("booked"),
      undo: { class: "R", by: "unbook", with: { band: "args.band" } },
      assumes: [],
      serves: ["music"],
      on_reconciled: [{ put: { table: "world.bands", key: "args.band", row: "actual.status" } }]
    },
    unbook: {
      ...keyed,
      ...named("band"),
      input: { band: "string" },
      readback: read("free"),
      undo: "X",
      assumes: [],
      on_reconciled: [{ put: { table: "world.bands", key: "args.band", row: "actual.status" } }]
    },
    invite: {
      ...keyed,
      ...named("guest"),
      input: { guest: "string", hall: "string" },
      readback: read("told"),
      undo: "X",
      reads: ["world.halls[args.hall]"],
      assumes: [],
      on_reconciled: [{ append: { list: "world.invited", item: "args.guest" } }]
    },
    decorate: {
      ...keyed,
      ...named("room"),
      input: { room: "string" },
      readback: read("done"),
      undo: { class: "K", by: "clear", with: { room: "args.room" } }
    },
    clear: { ...keyed, ...named("room"), input: { room: "string" }, readback: read("clear"), undo: "X", assumes: [] }
  },
  reducers: {
    on: {
      look: [{ put: { table: "working.found", key: "args.city", row: "observed.hall" } }],
      write: [{ set: { field: "working.menu", value: "args.text" } }]
    }
  }
} as const

export const packOf = (changes: object = {}): TaskPack.TaskPack =>
  Result.getOrThrow(TaskPack.make({ ...definition, ...changes } as Parameters<typeof TaskPack.make>[0]))

const pack = packOf()

/** Providers that honour keys, and count every effect. */
export class Desk {
  readonly known = new Map<string, JsonObject>()
  readonly things = new Map<string, string>()
  readonly effects: Array<string> = []
  /** Reads of the record that find nothing reachable. */
  isDown = false

  get tools(): ToolExecutor.Tools {
    const does = (verb: string, field: string, status: string): ToolExecutor.Tool => ({
      execute: (params: JsonObject, { key = "" }) => {
        const known = this.known.get(key)
        if (known !== undefined) return known
        const name = String(params[field])
        this.things.set(`${field}/${name}`, status)
        this.effects.push(`${verb} ${name}`)
        this.known.set(key, { status })
        return { status }
      },
      status: async ({ key = "" }) => this.known.get(key),
      readback: async (_, params: JsonObject) => {
        if (this.isDown) throw new Error("the desk is closed")
        const status = this.things.get(`${field}/${params[field]}`)
        return status === undefined ? undefined : { status }
      }
    })
    return {
      look: { execute: ({ city }: { readonly city: string }) => ({ hall: `hall of ${city}` }) },
      write: { execute: () => ({ done: true }) },
      hire: does("hire", "hall", "hired"),
      cancel: does("cancel", "hall", "cancelled"),
      book: does("book", "band", "booked"),
      unbook: does("unbook", "band", "free"),
      invite: does("invite", "guest", "told"),
      decorate: does("decorate", "room", "done"),
      clear: does("clear", "room", "clear")
    }
  }
}

export const look = (city: string): Proposal => ({ tool: "look", params: { city } })
export const write = (text: string): Proposal => ({ tool: "write", params: { text } })
export const hire = (hall: string, city = "Bern", price = 300): Proposal => ({
  tool: "hire",
  params: { city, hall, price }
})
export const book = (band: string): Proposal => ({ tool: "book", params: { band } })
export const invite = (guest: string, hall: string): Proposal => ({ tool: "invite", params: { guest, hall } })
export const decorate = (room: string): Proposal => ({ tool: "decorate", params: { room } })

export const opening = (changes?: object) => ({ goal: "party", pack: changes === undefined ? pack : packOf(changes) })

export const opened = (changes?: object) =>
  Effect.flatMap(Coordinator.Coordinator, (each) => each.open(lab.trip, opening(changes)))

export const processOf = (store: Parameters<typeof lab.process>[0], desk: Desk, more: object = {}) =>
  lab.process(store, { executor: ToolExecutor.fromTools(desk.tools), ...more })

/** Uses the run in a process of its own, while time passes. */
export const using = <A, E, R, S, E2>(
  process: Layer.Layer<S, E2>,
  use: (handle: RunHandle.RunHandle) => Effect.Effect<A, E, R>,
  changes?: object
) => lab.elapsing(lab.as(process)(Effect.flatMap(opened(changes), use)))
