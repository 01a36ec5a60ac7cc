/** A desk that reserves slots, the contract of an agent that fills a form with them, and what is looked at of a run. */

import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as State from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const
const keyed = {
  class: "medium_risk_write",
  idempotency: "idempotent_write",
  status: "by_key",
  times,
  input: { slot: "string" },
  target: "'slot/' + args.slot",
  identity: { scope: "goal", fields: [{ slot: "exact" }] }
} as const

/** A form of slots: each is found and reserved, and the form is drafted of all of them, and rendered. */
export const definition = {
  pack: "acme.form",
  version: "1.0.0",
  state: {
    world: { reserved: { table: { key: "slot", row: "string" } } },
    working: {
      stage: { enum: ["open", "found", "drafted"], initial: "open" },
      slots: { table: { key: "slot", row: "string" } }
    }
  },
  tools: {
    find: { class: "read_only", input: { slot: "string" } },
    draft: { class: "read_only", input: {} },
    render: { class: "read_only", input: {}, reads: ["working.slots"] },
    reserve: {
      ...keyed,
      readback: { source: "desk", expect: ["actual.status == 'reserved'"], within: "2s" },
      undo: { class: "R", by: "release", with: { slot: "args.slot" } },
      reads: ["working.slots[args.slot]"],
      on_reconciled: [{ put: { table: "world.reserved", key: "args.slot", row: "actual.status" } }]
    },
    release: {
      ...keyed,
      readback: { source: "desk", expect: ["actual.status == 'free'"], within: "2s" },
      undo: "X",
      on_reconciled: [{ put: { table: "world.reserved", key: "args.slot", row: "actual.status" } }]
    }
  },
  reducers: {
    on: {
      find: [
        { put: { table: "working.slots", key: "args.slot", row: "observed.at" } },
        { set: { field: "working.stage", value: "'found'" } }
      ],
      reserve: [{ set: { field: "working.stage", value: "'open'" } }],
      draft: [{ set: { field: "working.stage", value: "'drafted'" } }]
    }
  },
  machine: {
    field: "working.stage",
    states: ["open", "found", "drafted"],
    edges: [
      { from: "open", tool: "find", to: "found" },
      { from: "found", tool: "reserve", to: "open" },
      { from: "open", tool: "draft", to: "drafted" },
      { from: "drafted", tool: "render", to: "drafted" }
    ]
  },
  skeletons: {
    slot: {
      tools: ["find", "reserve"],
      states: ["open", "found"],
      entry: ["open"],
      entity: "args.slot",
      outputs: ["working.slots[entity]"],
      commit: "to == 'found'",
      exit: "tool == 'reserve'",
      effects: "rollback"
    },
    form: {
      tools: ["draft", "render"],
      states: ["open", "drafted"],
      entry: ["open"],
      inputs: ["working.slots"],
      commit: "to == 'drafted'"
    }
  }
} as const

const pack = Result.getOrThrow(TaskPack.make(definition))

/** A desk with a book of slots, of which some are refused, and which counts every effect. */
export class Desk {
  readonly slots = new Map<string, string>()
  readonly done = new Map<string, JsonObject>()
  readonly effects: Array<string> = []
  readonly refused = new Set<string>()
  isBroken = false

  get tools(): ToolExecutor.Tools {
    const does = (verb: string, status: string): ToolExecutor.Tool => ({
      execute: ({ slot }: { readonly slot: string }, { key = "" }) => {
        const known = this.done.get(key)
        if (known !== undefined) return known
        if (this.refused.has(slot)) throw new ToolExecutor.ToolRefused("taken")
        this.slots.set(slot, status)
        this.effects.push(`${verb} ${slot}`)
        this.done.set(key, { slot, status })
        return { slot, status }
      },
      status: async ({ key = "" }) => this.done.get(key),
      readback: async (_, { slot }: { readonly slot: string }) => {
        const status = this.slots.get(slot)
        return status === undefined ? undefined : { slot, status }
      }
    })
    return {
      find: { execute: ({ slot }: { readonly slot: string }) => ({ at: `monday ${slot}` }) },
      draft: { execute: () => ({ text: "a form" }) },
      render: {
        execute: () => {
          if (this.isBroken) throw new ToolExecutor.ToolRefused("out of paper")
          return { page: "1" }
        }
      },
      reserve: does("reserve", "reserved"),
      release: does("release", "free")
    }
  }
}

export const find = (slot: string): Proposal => ({ tool: "find", params: { slot } })
export const reserve = (slot: string): Proposal => ({ tool: "reserve", params: { slot } })

export const opened = Effect.flatMap(Coordinator.Coordinator, (each) => each.open(lab.trip, { pack, goal: "goal" }))

export const proposes = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  ...proposals: ReadonlyArray<Proposal>
) {
  for (const proposal of proposals) yield* handle.propose(proposal)
})

export const processOf = (store: Parameters<typeof lab.process>[0], desk: Desk) =>
  lab.process(store, { executor: ToolExecutor.fromTools(desk.tools) })

export const because = "the slot was wrong"
export const entry = { policy: RecoveryPolicy.policies.entry, because } as const

export const looks = Effect.gen(function* () {
  const { divergences, state } = yield* StrictReplay.of(lab.trip)
  const { differs } = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
  const working = State.sectionToJson(state.working)
  return { differs, divergences, plan: UndoPlan.open(state), trace: yield* lab.transitions(), working }
})

export const facts = (trace: ReadonlyArray<{ readonly body: { readonly type: string; readonly data?: unknown } }>) =>
  trace.flatMap(({ body: { data, type } }) => {
    const { skeleton, entity } = (data ?? {}) as { readonly skeleton?: string; readonly entity?: string }
    return type.startsWith("checkpoint.") ? [`${type.slice(11)} ${skeleton} ${entity}`] : []
  })
