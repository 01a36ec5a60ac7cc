/**
 * An agent that fills a form with two slots. The desk is one JSON file beside the store, or `FORM_DESK`, so that
 * reservations outlive the process. It refuses the day that `FORM_FULL` names, such as `tuesday`, and offers that day
 * no more from then on.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Agent } from "@backstitch/runtime/Agent"
import { ToolRefused, type Tools } from "@backstitch/runtime/ToolExecutor"

const file = (): string =>
  process.env["FORM_DESK"] ?? `${process.env["BACKSTITCH_STORE"] ?? ".backstitch/trace.db"}.desk.json`

type Slot = { readonly slot: string; readonly at: string }

/** Slots by name, answers by key, and days that are full. */
interface Desk {
  readonly slots: Readonly<Record<string, string>>
  readonly keys: Readonly<Record<string, { readonly slot: string; readonly at: string; readonly status: string }>>
  readonly full: ReadonlyArray<string>
}

const desk = (): Desk =>
  existsSync(file()) ? JSON.parse(readFileSync(file(), "utf8")) : { slots: {}, keys: {}, full: [] }

const keep = (change: Partial<Desk>): void => writeFileSync(file(), JSON.stringify({ ...desk(), ...change }))

const sets = (status: string): Tools[string] => ({
  execute: ({ at, slot }: Slot, { key = "" }) => {
    const { full, keys, slots } = desk()
    if (keys[key] !== undefined) return keys[key]
    if (status === "reserved" && at === process.env["FORM_FULL"]) {
      keep({ full: [...full, at] })
      throw new ToolRefused(`${at} is full`)
    }
    const answer = { slot, at, status }
    keep({ keys: { ...keys, [key]: answer }, slots: { ...slots, [slot]: status } })
    return answer
  },
  status: async ({ key = "" }) => desk().keys[key],
  readback: async (_, { slot }: Slot) => {
    const status = desk().slots[slot]
    return status === undefined ? undefined : { slot, status }
  }
})

const offer = ({ slot }: Pick<Slot, "slot">) => ({
  at: ["monday", "tuesday", "wednesday"].filter((day) => !desk().full.includes(day))[Number(slot)]
})

export default {
  pack: "./pack.yaml",
  goal: "form",
  text: "Fill the form with two slots",
  next: async ({ last, state: { working } }) => {
    if (last !== undefined && last._tag !== "Done") return undefined
    const found = [...(working["slots"] as Iterable<readonly [string, string]>)].sort()
    const [slot, at] = found.at(-1) ?? []
    if (working["stage"] === "found") return { tool: "reserve", params: { slot, at } }
    if (working["stage"] === "drafted") return undefined
    return found.length < 2 ? { tool: "find", params: { slot: String(found.length) } } : { tool: "draft", params: {} }
  },
  tools: {
    find: { execute: offer },
    reserve: sets("reserved"),
    release: sets("free"),
    draft: { execute: () => ({ text: `A form of ${Object.keys(desk().slots).length} slots` }) }
  }
} satisfies Agent
