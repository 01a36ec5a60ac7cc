import * as Fs from "node:fs"
import * as Path from "node:path"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Contract from "@backstitch/reducer/Contract"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as Part from "@backstitch/reducer/Part"
import * as Replay from "@backstitch/reducer/Replay"
import * as State from "@backstitch/reducer/State"
import * as Export from "@backstitch/trace/Export"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exporting from "../src/Exporting.ts"
import * as Library from "../src/Library.ts"
import * as Redeciding from "../src/Redeciding.ts"
import * as Trying from "../src/Trying.ts"
import * as lab from "./lab.ts"

// Recorded once with the CLI for each set of parts that was pinned, against the travel world: booked, violated, and
// forked. They fold for ever as they did, and are never recorded again.
const folder = Path.join(import.meta.dirname, "histories")
const pinned: Record<string, { readonly link: string; readonly state: string; readonly compared: number }> = JSON.parse(
  Fs.readFileSync(Path.join(folder, "digests.golden.json"), "utf8")
)

const read = (name: string): Export.Export =>
  Result.getOrThrow(Export.decode(Fs.readFileSync(Path.join(folder, name), "utf8")))

const pinsOf = ({ transitions }: Export.Export) => Contract.pinned(Transition.open(transitions[0]!))

/** A later kernel: a part more, which counts what it sees. */
const later = Kernel.withParts(
  Kernel.standard,
  Part.make("later", { version: 1, init: { seen: 0 }, on: { "*": ({ seen }) => ({ seen: seen + 1 }) } })
)

const foldOf = ({ blobs }: Export.Export, { earlier, parts }: Kernel.Kernel): Fold.Fold => {
  const packs = new Map(
    [...blobs].flatMap(([digest, text]) => {
      if (!text.startsWith("backstitch.pack.1\n")) return []
      return [
        [digest as string, Result.getOrThrow(TaskPack.fromJson(JSON.parse(text.slice(text.indexOf("\n")))))] as const
      ]
    })
  )
  return Fold.make({
    earlier,
    parts,
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

  it.effect("are decided again as they were decided (decision 0045)", () =>
    Effect.gen(function* () {
      const stores = new Map<string | undefined, Effect.Success<typeof lab.shared>>()
      for (const name of Object.keys(pinned).sort()) {
        const exported = read(name)
        // What was recorded together is kept together: the same trip under the same goal has the same keys.
        const pins = pinsOf(exported)
        const store = stores.get(pins) ?? (yield* lab.shared)
        stores.set(pins, store)
        const again = yield* lab.as(lab.process(store))(
          Effect.andThen(Exporting.bring(exported), Redeciding.redecide(exported.run, { secret: "golden" }))
        )
        assert.deepStrictEqual([name, again.differs], [name, []])
        assert.isAbove(again.obeyed, 10 * again.unrecorded)
      }
    })
  )

  it.effect("find no change in the contract that they were made under", () =>
    Effect.gen(function* () {
      for (const name of Object.keys(pinned).sort()) {
        const exported = read(name)
        const process = lab.process(yield* lab.shared, { lawless: true })
        const { changes, judged } = yield* lab.as(process)(
          Effect.gen(function* () {
            yield* Exporting.bring(exported)
            const { body } = Transition.open(exported.transitions[0]!)
            const pack = yield* Effect.flatMap(Library.Library, (library) => library.pack(String(body.data?.["pack"])))
            return yield* Trying.run(exported.run, { pack, secret: "golden" })
          })
        )
        assert.deepStrictEqual([name, changes], [name, []])
        assert.isAbove(judged, 5)
      }
    })
  )

  it("pin every set of parts that a run may have been begun with", () => {
    const sets = [...(Kernel.standard.earlier ?? []), Kernel.standard.parts].map((set) => set.map(Part.pin).join(" "))
    const pins = Object.keys(pinned).map((name) => pinsOf(read(name)))
    assert.deepStrictEqual([...new Set(pins)].sort(), sets.sort())
  })

  for (const [name, expected] of Object.entries(pinned)) {
    it(`${name} folds to the states that were committed, under the pack that it carries (L2, decision 0015)`, () => {
      const exported = read(name)
      const from = { state: State.empty, head: Export.genesis(exported) }
      for (const kernel of [Kernel.standard, later]) {
        const replayed = Result.getOrThrow(Replay.strict(foldOf(exported, kernel), from, exported.transitions))
        assert.deepStrictEqual(replayed.divergences, [])
        const { compared, head, state } = replayed
        assert.deepStrictEqual({ link: head.link, state: State.digest(state), compared }, expected)
      }
    })
  }
})
