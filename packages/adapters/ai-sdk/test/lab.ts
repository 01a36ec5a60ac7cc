/** A shop whose run a model plans, over a store in memory. The model is a process. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Agent from "@backstitch/runtime/Agent"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import type { LanguageModel } from "ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as ModelPlanner from "../src/ModelPlanner.ts"
import { ModelProcess, type Program } from "./ModelProcess.ts"

export const definition = {
  pack: "acme.shop",
  version: "1.0.0",
  state: { world: { paid: "int" }, working: { plan: { type: "string", nullable: true } } },
  specification: { max: { holds: "world.paid <= clause.max", value: "int", default: 100 } },
  transitions: { "plan.update": { data: { plan: "string" } } },
  tools: {
    look: {
      class: "read_only",
      description: "The price of an item",
      input: { item: "string" },
      output: { price: "int" }
    },
    pay: {
      class: "high_risk_external",
      description: "Pays for an item",
      input: { item: "string", price: "int" },
      target: "'item/' + args.item",
      identity: { scope: "goal", fields: [{ item: "code" }] },
      times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "24h" },
      status: "by_key",
      readback: { source: "shop", expect: ["actual.price == args.price"] },
      undo: "X",
      on_reconciled: [{ add: { field: "world.paid", value: "actual.price" } }]
    }
  },
  reducers: { on: { "plan.update": [{ set: { field: "working.plan", value: "args.plan" } }] } },
  guards: [{ id: "affordable", on: "pay", refuse_if: "world.paid + args.price > clause.max" }],
  budgets: { steps: 40, tokens: 100_000 }
} satisfies Definition

export const pack = (more: Partial<Definition> = {}): TaskPack.TaskPack =>
  Result.getOrThrow(TaskPack.make({ ...definition, ...more }))

/** A shop that honours keys, and remembers what was paid. */
export class Shop {
  readonly paid = new Map<string | undefined, { readonly item: string; readonly price: number }>()

  readonly tools: ToolExecutor.Tools = {
    look: { execute: async () => ({ price: 30 }) },
    pay: {
      execute: async (params: { readonly item: string; readonly price: number }, { key }) => {
        this.paid.set(key, params)
        return params
      },
      status: async ({ key }) => this.paid.get(key),
      readback: async ({ key }) => this.paid.get(key)
    }
  }
}

/** The model of a process, through the provider for every address that speaks like OpenAI. */
export const modelOf = ({ url }: { readonly url: string }): LanguageModel =>
  createOpenAICompatible({ name: "fake", baseURL: url, apiKey: "a key", includeUsage: true })("model-1")

export interface Played {
  readonly outcome: unknown
  readonly failure: unknown
  readonly transitions: ReadonlyArray<Transition>
  readonly types: ReadonlyArray<string>
  readonly requests: Awaited<ReturnType<ModelProcess["requests"]>>
  readonly shop: Shop
  readonly spent: unknown
}

/** Lets a model plan a run to its end. */
export const play = async (
  program: Program,
  options: Omit<ModelPlanner.Options, "model"> = {},
  more: Partial<Definition> = {}
): Promise<Played> => {
  const model = await ModelProcess.start(program)
  const shop = new Shop()
  const services = Coordinator.layer({ secret: "a secret" }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom(shop.tools)),
    Layer.provideMerge(Planner.layerFrom(ModelPlanner.make({ retriesMax: 0, ...options, model: modelOf(model) }))),
    Layer.provideMerge(TraceStore.layerMemory)
  )
  const playing = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const run = yield* coordinator.open(Run.make("errand"), { pack: pack(more), goal: "errand", text: "Buy milk" })
    const ended = yield* Effect.result(Agent.run(run))
    const transitions = yield* run.transitions(1)
    const budget = (yield* run.position).state.kernel["budget"] as { readonly spent?: unknown } | undefined
    return {
      outcome: Result.isSuccess(ended) ? ended.success : undefined,
      failure: Result.isFailure(ended) ? ended.failure : undefined,
      transitions,
      spent: budget?.spent
    }
  })
  try {
    const played = await Effect.runPromise(playing.pipe(Effect.scoped, Effect.provide(services)))
    const types = played.transitions.map(({ body }) => body.type)
    return { ...played, types, requests: await model.requests(), shop }
  } finally {
    model.stop()
  }
}
