import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RevisionReading from "../src/revisions/RevisionReading.ts"

const changes = [{ change: "withdraw", clause: "music" }] as const
const flaw = (document: unknown) =>
  Effect.map(Effect.flip(RevisionReading.parse(document)), ({ message }) => message.split(": ").slice(2).join(": "))

describe("RevisionReading", () => {
  it.effect("reads a revision or a list of changes, and says what another document lacks", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* RevisionReading.parse(changes), { kind: "substitutive", changes })
      assert.deepInclude(yield* RevisionReading.parse({ changes, said: "quiet" }), { said: "quiet" })
      assert.strictEqual(yield* flaw({ changes, followUp: "trip" }), "followUp: only the runtime writes it")
      assert.match(yield* flaw([{ change: "forget", clause: "music" }]), /^changes/)
      for (const odd of [undefined, null, 7, "music"]) assert.match(yield* flaw(odd), /^changes/)
    })
  )

  it.effect("names the reason for which words change nothing", () =>
    Effect.gen(function* () {
      const read = (reader: RevisionReading.Reader | undefined) => RevisionReading.changesOf("no music", reader, [])
      const because = (reader?: (() => Promise<never>) | (() => Promise<[]>)) =>
        Effect.map(Effect.flip(read(reader)), (error) => error.because)
      assert.deepStrictEqual(yield* read(async () => changes), { changes, tokens: undefined })
      assert.deepStrictEqual(yield* read(async () => ({ changes, tokens: 90 })), { changes, tokens: 90 })
      assert.strictEqual(yield* because(), "unheard")
      assert.strictEqual(yield* because(async () => []), "empty")
      assert.strictEqual(yield* because(async () => "no music" as never), "malformed")
      assert.strictEqual(yield* because(() => Promise.reject(new Error("busy"))), "failed")
    })
  )
})
