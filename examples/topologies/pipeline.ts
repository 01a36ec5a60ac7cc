/**
 * A pipeline of four stages, of which the second cites a chapter that is not there when it runs first. Each stage is
 * green by itself. The careful one judges the whole, finds the poisoned stage by halving over the outputs, and does
 * only that one and those behind it again. A process that is killed goes on behind the last clean gate.
 */
import * as PipelineRun from "@backstitch/runtime/PipelineRun"
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

const stages = ["collect", "cite", "write", "edit"] as const

/** One stage: a pure transform. The press counts how often each has run. */
const run = async (stage: string, input: string, isAgain: boolean): Promise<string> => {
  await Desk.print(stage, "")
  if (stage === "cite") return `${input}, see chapter ${isAgain ? "two" : "nine"}`
  return `${input} (${stage})`
}

/** The judgement that only the whole allows: chapter nine does not exist. */
const isPoisoned = (output: string): boolean => output.includes("chapter nine")

const careless = async (): Promise<void> => {
  let output = "notes"
  for (const stage of stages) {
    output = await run(stage, output, false)
    Desk.reach()
  }
  console.log(JSON.stringify({ shipped: output }))
}

const careful = Effect.gen(function* () {
  const { declared, handle } = yield* Desk.open("pipeline.yaml")
  const pipeline = yield* PipelineRun.make(handle, {
    declared,
    source: "notes",
    stage: ({ input, sentBack, stage }) => Effect.promise(() => run(stage, String(input), sentBack > 0)),
    isGood: ({ output }) => Effect.succeed(!isPoisoned(String(output)))
  })
  return yield* pipeline.run
})

await (Desk.isCareless ? careless() : Desk.work(careful))
