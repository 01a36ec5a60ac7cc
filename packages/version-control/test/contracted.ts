/** A contract for orders, states that it governs, and intents with the hash that the kernel would have bound. */
import * as ContextHash from "@backstitch/contracts/ContextHash"
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Body } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import type * as CherryPick from "../src/carry/CherryPick.ts"
import * as Intent from "../src/carry/Intent.ts"

export const definition: Definition = {
  pack: "acme.orders",
  version: "1.0.0",
  state: {
    world: { cash: { decimal: 2 }, threshold: "string", position: "int" },
    working: { mood: { type: "string", nullable: true }, region: { type: "string", nullable: true } }
  },
  transitions: {
    order: {
      required_state: {
        "world.cash": { decimal: 2 },
        "world.threshold": "string",
        "world.position": "int",
        "working.mood": "string"
      },
      hash_seeds: ["world.threshold", "world.cash", "world.position"],
      match: ["world.threshold"],
      advisory: ["working.region"]
    },
    "plan.update": { required_state: { "working.mood": { type: "string", nullable: true } } }
  },
  tools: {
    order: {
      class: "high_risk_external",
      input: { amount: "int" },
      identity: { scope: "run", fields: ["amount"] },
      undo: "X"
    }
  }
}

export const pack = Result.getOrThrow(TaskPack.make(definition))

export interface Fields {
  readonly cash?: string
  readonly threshold?: string | number
  readonly position?: number
  readonly mood?: string | null
  readonly region?: string | null
}

export const state = (fields: Fields, bound: TaskPack.TaskPack | undefined = pack): State => {
  const { cash, mood = null, position, region, threshold } = fields
  return {
    world: {
      ...(cash === undefined ? {} : { cash }),
      ...(position === undefined ? {} : { position }),
      ...(threshold === undefined ? {} : { threshold })
    },
    working: { mood, ...(region === undefined ? {} : { region }) },
    kernel: { contract: { extensions: [], pack: bound?.digest ?? "" } }
  }
}

/** The transition as the kernel would have committed it in a state, its context hash included. */
export const committed = (
  at: State,
  given: {
    readonly dependsOn?: ReadonlyArray<string>
    readonly pack?: TaskPack.TaskPack | undefined
    readonly type?: "action.request" | "plan.update" | "observation.add"
    readonly data?: JsonObject
  } = {}
): Body => {
  const { data = {}, dependsOn = [], type = "action.request" } = given
  const bound = "pack" in given ? given.pack : pack
  const action = { params: { amount: 5000 }, tool: "order" }
  const subjects = type === "action.request" ? (["order", type] as const) : ([type] as const)
  const contract = TaskPack.governing(bound, subjects)
  const isBound = Object.keys(contract.required).length + dependsOn.length > 0
  const hash = ContextHash.compute({
    type: subjects[0],
    action: type === "action.request" ? action : data,
    contract,
    state: at,
    advisory: dependsOn
  })
  return {
    ...(type === "action.request" ? { action: { class: "high_risk_external", id: "a23", ...action } } : { data }),
    author: "agent",
    intent: {
      ...(isBound ? { contextHash: Result.getOrThrow(hash).hash } : {}),
      ...(dependsOn.length === 0 ? {} : { dependsOn })
    },
    type
  }
}

export const source = (at: State, options: Parameters<typeof committed>[1] = {}): CherryPick.PlacedIntent => ({
  run: "fund-a",
  tick: 23,
  link: "ab".repeat(32),
  intent: Result.getOrThrow(Intent.of("fund-a", { body: committed(at, options), tick: 23 })),
  state: at,
  pack: "pack" in options ? options.pack : pack
})

export const target = (at: State, bound: TaskPack.TaskPack | undefined = pack): CherryPick.Target => ({
  run: "fund-b",
  tick: 18,
  state: at,
  pack: bound
})
