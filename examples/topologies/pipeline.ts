/**
 * A pipeline of four stages, of which the second cites a chapter that is not there when it runs first. Each stage is
 * green by itself. The careful one judges the whole, finds the poisoned stage by halving over the outputs, and does
 * only that one and those behind it again. A process that is killed goes on behind the last clean gate. Each stage is a
 * process, and so is the reviewer.
 */
import * as PipelineRun from "@backstitch/runtime/PipelineRun"
import type { Json } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

const stages = ["collect", "cite", "write", "edit"] as const

const careless = async (): Promise<void> => {
  let output: Json = "notes"
  for (const stage of stages) {
    output = await Desk.role(stage, "pass 1", { input: output, sentBack: 0 })
    Desk.reach()
  }
  console.log(JSON.stringify({ shipped: output }))
}

const careful = Effect.gen(function* () {
  const { declared, handle } = yield* Desk.open("pipeline.yaml")
  const pipeline = yield* PipelineRun.make(handle, {
    declared,
    source: "notes",
    stage: ({ input, sentBack, stage }) => Desk.as(stage, `pass ${sentBack + 1}`, { input, sentBack }),
    isGood: ({ output, stage }) => Desk.as("reviewer", `${stage}: ${output}`, output)
  })
  return yield* pipeline.run
})

await (Desk.isCareless ? careless() : Desk.work(careful))
