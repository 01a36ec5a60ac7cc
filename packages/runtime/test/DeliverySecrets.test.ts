import { assert, describe, it } from "@effect/vitest"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as DeliverySecrets from "../src/deliveries/DeliverySecrets.ts"

const webhook = { secrets: ["NEW_SECRET", "OLD_SECRET"] }
const read = Effect.forEach(webhook.secrets, (name) =>
  Effect.option(Effect.flatMap(ConfigProvider.ConfigProvider, () => Config.String(name)))
)

const given = (secrets: ReadonlyArray<string>) =>
  read.pipe(
    DeliverySecrets.provide({ tool: "book", webhook }, secrets),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { NEW_SECRET: "of the environment", OLD_SECRET: "of the environment" } })
    ),
    Effect.map((found) => found.map((each) => (each._tag === "Some" ? each.value : undefined)))
  )

describe("DeliverySecrets", () => {
  it.effect("stand for the variables in the order of the contract, and nothing of the environment beside them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* given(["a", "b"]), ["a", "b"])
      assert.deepStrictEqual(yield* given(["a"]), ["a", undefined])
      assert.deepStrictEqual(yield* given([]), ["of the environment", "of the environment"])
    })
  )

  it.effect("are refused where they are more than the contract names", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(given(["a", "b", "c"]))
      assert.include(refused.message, "names 2 secrets, and 3 were given")
    })
  )
})
