import * as Notes from "@backstitch/trace/Notes"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StoreLayers from "../src/StoreLayers.ts"

it.live("opens the database that an address names, once its layer is built, and loads no driver before", () =>
  Effect.gen(function* () {
    const opened: Array<string> = []
    const open = (place: string) => Effect.tap(Notes.makeMemory, () => Effect.sync(() => opened.push(place)))
    const { fromAddress } = StoreLayers.make(Notes.Notes, Notes.layerMemory, {
      postgres: async () => {
        opened.push("driver")
        return ({ url }) => open(url)
      },
      sqlite: ({ filename }) => open(filename)
    })
    const layers = ["memory:", "sqlite:runs.db", "postgres://host/runs"].map(fromAddress)
    assert.deepStrictEqual(opened, [])
    for (const layer of layers) yield* Layer.build(layer)
    assert.deepStrictEqual(opened, ["runs.db", "driver", "postgres://host/runs"])
  })
)
