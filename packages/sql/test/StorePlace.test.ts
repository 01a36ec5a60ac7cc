import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StorePlace from "../src/StorePlace.ts"

class Chosen extends Context.Service<Chosen, string>()("test/Chosen") {}

const layers: StorePlace.Layers<Chosen, never> = {
  memory: Layer.succeed(Chosen, "memory"),
  postgres: ({ url }) => Layer.succeed(Chosen, `at ${url}`),
  sqlite: ({ filename }) => Layer.succeed(Chosen, `in ${filename}`)
}

describe("StorePlace", () => {
  it("reads an address", () => {
    assert.deepStrictEqual(StorePlace.fromAddress("memory:"), { _tag: "Memory" })
    assert.deepStrictEqual(StorePlace.fromAddress("postgresql://one/two"), {
      _tag: "Postgres",
      url: "postgresql://one/two"
    })
    const names = ["a.db", "sqlite:a.db", "file:a.db", "/a.db", "file:///a.db", "sqlite:///a.db"].map(
      StorePlace.fromAddress
    )
    assert.deepStrictEqual(
      names.map((place) => (place._tag === "Sqlite" ? place.filename : place._tag)),
      ["a.db", "a.db", "a.db", "/a.db", "/a.db", "/a.db"]
    )
  })

  it("shows an address without the secrets in it", () => {
    const shown = ["postgres://ann:s:e:c@db:5433/acme", "postgres://db/acme?password=sec&sslmode=require", "a.db"]
    assert.deepStrictEqual(shown.map(StorePlace.shown), ["postgres://db:5433/acme", "postgres://db/acme", "a.db"])
  })

  it.effect("gives a port the layer of the place that an address names", () =>
    Effect.gen(function* () {
      const at = (address: string) => Effect.provide(Chosen, StorePlace.layer(address, layers))
      const chosen = yield* Effect.forEach(["memory:", "postgres://one/two", "sqlite:a.db"], at)
      assert.deepStrictEqual(chosen, ["memory", "at postgres://one/two", "in a.db"])
    })
  )
})
