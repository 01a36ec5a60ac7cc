/** Effect's workflow engine on Postgres, with its single runner: a workflow of activities. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import * as SingleRunner from "effect/cluster/SingleRunner"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"

const text = "a result of about six hundred bytes, which is what a small tool answers; ".repeat(8)

const Looped = Workflow.make("Looped", {
  payload: { id: Schema.String, steps: Schema.Number },
  idempotencyKey: ({ id }) => id,
  success: Schema.Number
})

const Result = Schema.Struct({ id: Schema.String, role: Schema.String, text: Schema.String })

const layerLooped = Looped.toLayer(
  Effect.fnUntraced(function* ({ steps }: { readonly steps: number }) {
    for (let index = 0; index < steps; index++) {
      const execute = Effect.succeed({ id: `m${index}`, role: "tool", text })
      yield* Activity.make({ name: `step-${index}`, success: Result, execute })
    }
    return steps
  })
)

/** Starts the runner; answers a function that runs n steps and answers milliseconds. */
export const open = async (url: string) => {
  const layer = layerLooped.pipe(
    Layer.provideMerge(ClusterWorkflowEngine.layer),
    Layer.provideMerge(SingleRunner.layer()),
    Layer.provide(Digest.layerWebCrypto),
    Layer.provide(PgClient.layer({ url: Redacted.make(url) })),
    Layer.provide(Logger.layer([]))
  )
  const runtime = ManagedRuntime.make(layer)
  await runtime.runPromise(Looped.execute({ id: "warm", steps: 1 }))
  return {
    steps: async (id: string, steps: number): Promise<number> => {
      const began = performance.now()
      const count = await runtime.runPromise(Looped.execute({ id, steps }))
      if (count !== steps) throw new Error(`Effect took ${count} steps and not ${steps}`)
      return performance.now() - began
    },
    close: () => runtime.dispose()
  }
}
