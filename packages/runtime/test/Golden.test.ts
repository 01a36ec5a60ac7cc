import * as Fs from "node:fs"
import * as Path from "node:path"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as StandardFold from "@backstitch/kernel/StandardFold"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as Replay from "@backstitch/reducer/Replay"
import * as State from "@backstitch/reducer/State"
import * as Export from "@backstitch/trace/Export"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exporting from "../src/Exporting.ts"
import * as Redeciding from "../src/Redeciding.ts"
import * as lab from "./lab.ts"

// Recorded once with the CLI, against the travel world: booked, violated, and forked. They fold for ever as they did.
const folder = Path.join(import.meta.dirname, "histories")
const pinned: Record<string, { readonly link: string; readonly state: string; readonly compared: number }> = JSON.parse(
  Fs.readFileSync(Path.join(folder, "digests.golden.json"), "utf8")
)

const foldOf = ({ blobs }: Export.Export): Fold.Fold => {
  const packs = new Map(
    [...blobs].flatMap(([digest, text]) => {
      if (!text.startsWith("backstitch.pack.1\n")) return []
      return [
        [digest as string, Result.getOrThrow(TaskPack.fromJson(JSON.parse(text.slice(text.indexOf("\n")))))] as const
      ]
    })
  )
  return Fold.make({
    parts: StandardFold.parts,
    sources: {
      rules: (digest) => {
        const pack = packs.get(digest)
        return pack === undefined ? undefined : PackRules.of(pack)
      }
    }
  })
}

describe("golden traces", () => {
  it("are all pinned", () => {
    const files = Fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl"))
    assert.deepStrictEqual(files.sort(), Object.keys(pinned).sort())
  })

  it.effect("are decided again as they were decided (decision 28)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      for (const name of Object.keys(pinned).sort()) {
        const exported = Result.getOrThrow(Export.decode(Fs.readFileSync(Path.join(folder, name), "utf8")))
        const again = yield* lab.as(lab.process(store))(
          Effect.andThen(Exporting.bring(exported), Redeciding.redecide(exported.run, { secret: "golden" }))
        )
        assert.deepStrictEqual([name, again.differs], [name, []])
        assert.isAbove(again.obeyed, 10 * again.unrecorded)
      }
    })
  )

  for (const [name, expected] of Object.entries(pinned)) {
    it(`${name} folds to the states that were committed, under the pack that it carries (L2)`, () => {
      const exported = Result.getOrThrow(Export.decode(Fs.readFileSync(Path.join(folder, name), "utf8")))
      const from = { state: State.empty, head: Export.genesis(exported) }
      const replayed = Result.getOrThrow(Replay.strict(foldOf(exported), from, exported.transitions))
      assert.deepStrictEqual(replayed.divergences, [])
      const { compared, head, state } = replayed
      assert.deepStrictEqual({ link: head.link, state: State.digest(state), compared }, expected)
    })
  }
})
