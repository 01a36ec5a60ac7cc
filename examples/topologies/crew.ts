/**
 * An editor and its workers. Orders and results are in the trace, so a new editor goes on from them. The careless one
 * keeps its orders in memory alone, and puts no key on a call.
 */
import * as Crew from "@backstitch/runtime/Crew"
import type { Order } from "@backstitch/runtime/Handoffs"
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

const orders: ReadonlyArray<Order> = ["one", "two"].map((task) => ({
  task,
  worker: `worker-${task}`,
  brief: `Print chapter ${task} and say which receipt the press gives for it`
}))

const careless = async (): Promise<void> => {
  for (const { task } of orders) {
    Desk.reach()
    await Desk.print(task, "")
    Desk.reach()
  }
}

const careful = Effect.gen(function* () {
  const { declared, handle } = yield* Desk.open("pack.yaml")
  const crew = yield* Crew.make(handle, { declared, boss: "editor" })
  return yield* crew.fulfil(
    orders.map((order) => ({
      ...order,
      work: Effect.map(
        handle.propose({ tool: "print_chapter", params: { chapter: order.task }, agent: order.worker }),
        (outcome) => (outcome._tag === "Done" ? { printed: outcome.output } : undefined)
      )
    }))
  )
})

await (Desk.isCareless ? careless() : Desk.work(careful))
