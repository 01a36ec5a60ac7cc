/**
 * An editor and its workers. Orders and results are in the trace, so a new editor goes on from them. The careless one
 * keeps its orders in memory alone, and puts no key on a call. Editor, workers and the tool that prints are processes.
 */
import * as Crew from "@backstitch/runtime/Crew"
import type { Order } from "@backstitch/runtime/Handoffs"
import type { Json } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

const careless = async (): Promise<void> => {
  const chapters = (await Desk.role("editor", "split the book", null)) as ReadonlyArray<string>
  const results: { [chapter: string]: Json } = {}
  for (const chapter of chapters) {
    Desk.reach()
    results[chapter] = await Desk.role("printer", chapter, chapter)
    Desk.reach()
  }
  console.log(JSON.stringify({ _tag: "Done", results }))
}

const orderOf = (chapter: string): Order => ({
  task: chapter,
  worker: `worker-${chapter}`,
  brief: `Print chapter ${chapter} and say which receipt the press gives for it`
})

const careful = Effect.gen(function* () {
  const { declared, handle } = yield* Desk.open("pack.yaml")
  const crew = yield* Crew.make(handle, { declared, boss: "editor" })
  const split = { task: "split the book", worker: "editor", brief: "Name the chapters of the book" }
  const ended = yield* crew.fulfil([{ ...split, work: Desk.as("editor", split.task, null) }])
  if (ended._tag !== "Done") return ended
  const chapters = ended.results[split.task] as ReadonlyArray<string>
  return yield* crew.fulfil(
    chapters.map(orderOf).map((order) => ({
      ...order,
      work: Effect.gen(function* () {
        const params = yield* Desk.as("worker", order.task, order.task)
        const outcome = yield* handle.propose({ tool: "print_chapter", params: params as Json, agent: order.worker })
        return outcome._tag === "Done" ? { printed: outcome.output } : undefined
      })
    }))
  )
})

await (Desk.isCareless ? careless() : Desk.work(careful))
