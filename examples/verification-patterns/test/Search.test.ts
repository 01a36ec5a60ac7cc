/** Indexing a document in a service with its own model, index and rights. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Client from "../tools/Client.ts"
import * as Search from "../tools/Search.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const document: Search.Document = {
  id: "d1",
  text: "The seat at the window is booked for Ada, who pays by card.",
  folder: "travel",
  readers: ["ada"]
}

/** A corpus with one other document. */
const corpus = async (name: string, settings: JsonObject = {}) => {
  const client = Client.make(world.url, "search", name)
  const other = { text: "Meals are served after take-off.", folder: "travel", readers: ["ada"] }
  await client.send("POST", "documents/d0", { body: other })
  await client.enter("settings", "main", settings)
  return client
}
const indexes = (client: Client.Client) => lab.act(Search.index(client), Search.args(document))

describe.concurrent("a document", () => {
  it("is confirmed when its reader finds it", async () => {
    lab.isReconciled(await indexes(await corpus("plain")))
  })

  it("is taken for a copy and left out: missing_document", async () => {
    const client = await corpus("copies", { dropsCopies: true })
    await client.send("POST", "documents/first", { body: { ...document } })
    lab.isHeldFor(await indexes(client), "missing_document", "no_op_failure")
  })

  it("is embedded by the model that the corpus was pinned to: wrong_embedding", async () => {
    const trial = await indexes(await corpus("pinned", { model: "words-1" }))
    assert.deepStrictEqual(lab.isHeldFor(trial, "wrong_embedding", "value_mismatch"), { embedding: "words-1" })
  })

  it("waits for an indexer that has stopped: stale_index", async () => {
    lab.isHeldFor(await indexes(await corpus("stopped", { indexerStopped: true })), "stale_index", "propagation_delay")
  })

  it("can be read by every reader of its folder: permission_leak", async () => {
    const client = await corpus("folder")
    await client.enter("folders", "travel", { readers: ["eve"] })
    assert.deepStrictEqual(lab.isHeldFor(await indexes(client), "permission_leak", "wrong_target_modified"), {
      readers: ["ada", "eve"]
    })
  })

  it("is not found, since search leaves out texts about cards: not_retrieved", async () => {
    const trial = await indexes(await corpus("excluded", { excludes: "card" }))
    assert.deepStrictEqual(lab.isHeldFor(trial, "not_retrieved", "partial_application"), { retrieved: false })
  })
})
