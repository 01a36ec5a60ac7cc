/**
 * A house that has nine chapters counted. In the careful one bosses below the root collect and add, so no more than
 * three results wait at the root. In the careless one every result waits there, and a kill loses all of them.
 */
import * as HierarchyRun from "@backstitch/runtime/HierarchyRun"
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

const chapters = Array.from({ length: 9 }, (_, index) => `chapter ${index + 1}`)

const careless = async (): Promise<void> => {
  const waiting = await Promise.all(chapters.map((chapter) => Desk.role("leaf", chapter, null)))
  let total = 0
  for (const count of waiting) {
    await Desk.role("boss", `add ${++total}`, count)
    Desk.reach()
  }
  console.log(JSON.stringify({ longestQueue: waiting.length, total }))
}

const careful = Effect.gen(function* () {
  const { declared, handle } = yield* Desk.open("hierarchy.yaml")
  const house = yield* HierarchyRun.make(handle, {
    declared,
    tasks: chapters.map((task) => ({ task, brief: `Count ${task}` })),
    work: ({ task }) => Desk.as("leaf", task, null),
    summarize: ({ results, shard }) => Desk.as("boss", `add shard ${shard}`, Object.keys(results).length)
  })
  const ended = yield* house.run
  const counts = ended._tag === "Reached" ? Object.values(ended.result as { readonly [shard: string]: number }) : []
  return { ...ended, longestQueue: counts.length, total: counts.reduce((sum, each) => sum + each, 0) }
})

await (Desk.isCareless ? careless() : Desk.work(careful))
