/**
 * A pipeline of four stages, of which the second cites a chapter that is not there when it runs first. Each stage is
 * green by itself. The careful one judges the whole, finds the poisoned stage by halving over the outputs, and does
 * only that one and those behind it again. A process that is killed goes on behind the last clean gate.
 */
import * as Event from "@backstitch/topology/Event"
import * as Pipeline from "@backstitch/topology/Pipeline"
import type { JsonObject } from "@backstitch/trace/Canonical"
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
  const note = (stage: string, output: string, more: JsonObject = {}) =>
    Effect.andThen(
      handle.propose({
        type: "artifact.write",
        agent: stage,
        data: { output, topology: { memo: "gate", stage, green: true, ...more } }
      }),
      handle.flush
    )
  while (true) {
    const transitions = yield* handle.transitions(1)
    let state = Pipeline.shape.init
    const outputs = new Map<string, string>()
    let isAgain = false
    for (const transition of transitions) {
      const { output } = (transition.body.data ?? {}) as { readonly output?: string }
      for (const event of Event.of(transition)) {
        if (event._tag !== "Noted" || event.memo.memo !== "gate") continue
        const { cracks, state: next } = Pipeline.shape.step(state, event, declared)
        state = next
        isAgain ||= cracks.length > 0
        if (output !== undefined) outputs.set(event.memo.stage, output)
      }
    }
    const done = state.gates.map(({ stage }) => stage)
    const whole = outputs.get("whole")
    const found = Pipeline.poisoned(done, (stage) => isPoisoned(outputs.get(stage) ?? ""))
    if (done.length === stages.length && found.stage === undefined) {
      const shipped = outputs.get("edit") ?? ""
      if (whole !== shipped) yield* note("whole", shipped, { whole: true })
      return { shipped }
    }
    if (done.length === stages.length && !isAgain) {
      yield* note("whole", outputs.get("edit") ?? "", { whole: true, green: false })
      continue
    }
    // Only the whole shows the poison: no stage is judged in its light before.
    const stage = (isAgain ? found.stage : undefined) ?? stages[done.length] ?? stages[0]
    const place = stages.findIndex((each) => each === stage)
    const input = place === 0 ? "notes" : (outputs.get(stages[place - 1] ?? "") ?? "")
    yield* note(stage, yield* Effect.promise(() => run(stage, input, isAgain)))
  }
})

await (Desk.isCareless ? careless() : Desk.work(careful))
