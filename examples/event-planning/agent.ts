/**
 * An agent that plans an event: a hall, food, a band and invitations. Its desk is one JSON file beside the store, or
 * `EVENT_DESK`, so that bookings outlive the process. It stops before the tool that `EVENT_UNTIL` names, such as
 * `invite`. The caterer answers once the file exists that `EVENT_CATERER` names.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Agent } from "@backstitch/runtime/Agent"
import type { Tools } from "@backstitch/runtime/ToolExecutor"

const file = (): string =>
  process.env["EVENT_DESK"] ?? `${process.env["BACKSTITCH_STORE"] ?? ".backstitch/trace.db"}.event.json`

/** Answers by key and the status of things by name, and all that was done, in its order. */
interface Desk {
  readonly keys: Readonly<Record<string, { readonly status: string }>>
  readonly things: Readonly<Record<string, string>>
  readonly done: ReadonlyArray<string>
}

const desk = (): Desk =>
  existsSync(file()) ? JSON.parse(readFileSync(file(), "utf8")) : { keys: {}, things: {}, done: [] }

const catered = async (): Promise<void> => {
  const path = process.env["EVENT_CATERER"]
  while (path !== undefined && !existsSync(path)) await setTimeout(50)
}

type Params = Readonly<Record<string, string>>

/** A tool that gives a thing a status, once for each key. */
const sets = (status: string, nameOf: (params: Params) => string, ready = async () => {}): Tools[string] => ({
  execute: async (params: Params, { key = "" }) => {
    await ready()
    const { done, keys, things } = desk()
    if (keys[key] !== undefined) return keys[key]
    const name = nameOf(params)
    const next: Desk = {
      keys: { ...keys, [key]: { status } },
      things: { ...things, [name]: status },
      done: [...done, `${status} ${name}`]
    }
    mkdirSync(dirname(file()), { recursive: true })
    writeFileSync(file(), JSON.stringify(next))
    return { status }
  },
  status: async ({ key = "" }) => desk().keys[key],
  readback: async (_, params: Params) => {
    const status = desk().things[nameOf(params)]
    return status === undefined ? undefined : { status }
  }
})

const halls: Readonly<Record<string, { readonly hall: string; readonly price: number }>> = {
  Basel: { hall: "Messe", price: 900 },
  Bern: { hall: "Casino", price: 700 }
}

const hall = (params: Params) => `hall ${params["hall"]}`
const food = (params: Params) => `food for ${params["hall"]}`
const band = (params: Params) => `band ${params["band"]}`
const invitation = (params: Params) => `${params["guest"]} to ${params["hall"]}`

const rows = (table: unknown) => new Map(table as Iterable<readonly [string, string]>)

export default {
  pack: "./pack.yaml",
  goal: "event",
  text: "An event with food and music",
  next: async ({ last, specification, state: { working, world } }) => {
    if (last !== undefined && last._tag !== "Done" && last._tag !== "Refused") return undefined
    const clause = (name: string) => specification.find((each) => each.clause === name)
    const city = String(clause("city")?.value)
    const found = rows(working["found"]).get(city)
    const [booked] = rows(world["halls"]).keys()
    const invited = rows(world["invited"])
    const guest = ["Ada", "Ben"].find((each) => invited.get(each) !== booked)
    const steps = [
      found === undefined && { tool: "find", params: { city } },
      booked === undefined && { tool: "book_hall", params: { city, hall: found, price: halls[city]?.price } },
      clause("music") && rows(world["bands"]).size === 0 && { tool: "book_band", params: { band: "Trio" } },
      booked && !rows(world["food"]).has(booked) && { tool: "order_food", params: { guests: 2, hall: booked } },
      guest !== undefined && { tool: "invite", params: { guest, hall: booked } }
    ]
    const step = steps.find((each) => typeof each === "object")
    return step?.tool === process.env["EVENT_UNTIL"] ? undefined : step
  },
  revise: async (words) =>
    Object.keys(halls).flatMap((city) =>
      words.includes(city) ? [{ change: "set", clause: "city", value: city } as const] : []
    ),
  tools: {
    find: { execute: ({ city }: { readonly city: string }) => ({ hall: halls[city]?.hall ?? "Zelt" }) },
    book_hall: sets("booked", hall),
    cancel_hall: sets("cancelled", hall),
    order_food: sets("ordered", food, catered),
    cancel_food: sets("cancelled", food),
    book_band: sets("booked", band),
    cancel_band: sets("cancelled", band),
    invite: sets("invited", invitation)
  }
} satisfies Agent
