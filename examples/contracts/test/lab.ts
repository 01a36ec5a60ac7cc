/** Runs of one contract from packages/patterns/contracts, as it is copied, with shorter times. */

import { readFile } from "node:fs/promises"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Yaml from "@backstitch/contracts/Yaml"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as WebhookIntake from "@backstitch/runtime/WebhookIntake"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** A run: its handle, and functions to propose to it and to undo. */
export interface Bench {
  readonly run: RunHandle.RunHandle
  readonly call: (tool: string, params: object) => Promise<Outcome>
  /** Has a person say yes to the last call that waits, and calls again. */
  readonly approve: (role: string, tool: string, params: object) => Promise<Outcome>
  readonly undo: (action: string) => Promise<Outcome>
  /** Takes in a delivery of the provider, under the secrets of an environment. */
  readonly deliver: (arrived: WebhookIntake.ToolDelivery, env: Readonly<Record<string, string>>) => Promise<Outcome>
  /** The name of the latest action. */
  readonly latest: () => Promise<string>
  /** The states that do not come out again when the run is folded. */
  readonly divergences: () => Promise<number>
}

/** Reads a contract as it is copied. Nobody waits a minute in a test, so its times are shorter. */
export const packOf = async (name: string): Promise<TaskPack.TaskPack> => {
  const file = new URL(`../../../packages/patterns/contracts/${name}/pack.yaml`, import.meta.url)
  const text = await readFile(file, "utf8")
  const short = text
    .replace(/sendWithin: \w+/g, "sendWithin: 1s")
    .replace(/settleAfter: \w+/g, "settleAfter: 50ms")
    .replace(/ {6}within: \w+/g, "      within: 300ms")
  return Result.getOrThrow(Yaml.fromYaml(short, { file: `${name}/pack.yaml` }))
}

/** Works on new runs of one goal and one store, one after another. */
export const work = async (
  name: string,
  tools: ToolExecutor.Tools,
  ...stories: ReadonlyArray<(bench: Bench) => Promise<void>>
): Promise<void> => {
  const pack = await packOf(name)
  const layer = Coordinator.layer({ secret: "the tenant's secret" }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom(tools)),
    Layer.provideMerge(TraceStore.layerMemory)
  )
  const program = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const services = yield* Effect.context<History.History | PackLibrary.PackLibrary | TraceStore.TraceStore>()
    for (const [index, story] of stories.entries()) {
      const run = yield* coordinator.begin(Run.make(`run-${index}`), { pack, goal: "errands" })
      const call = (tool: string, params: object) =>
        Effect.runPromise(run.propose({ tool, params: params as JsonObject }))
      yield* Effect.promise(() =>
        story({
          run,
          call,
          approve: async (role, tool, params) => {
            const parked = await call(tool, params)
            if (parked._tag !== "Parked") return parked
            const data = { by: "grace", review: parked.review, role, verdict: "approved" }
            await Effect.runPromise(run.propose({ type: "review.decided", author: "user", data }))
            return call(tool, params)
          },
          undo: (action) => Effect.runPromise(run.undo({ actions: [action], because: "a test", cause: "revision" })),
          deliver: (arrived, env) =>
            WebhookIntake.deliver(run, arrived).pipe(
              Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
              Effect.provideContext(services),
              Effect.runPromise
            ),
          latest: async () => {
            const all = await Effect.runPromise(run.transitions(1))
            return `a${all.findLast(({ body }) => body.type === "action.request")?.tick}`
          },
          divergences: async () =>
            (await Effect.runPromise(Effect.provideContext(StrictReplay.of(run.run), services))).divergences.length
        })
      )
    }
  })
  await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(layer)))
}
