import * as Fs from "node:fs"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import * as TransitionCheck from "@backstitch/trace/TransitionCheck"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Fold, Latch, Part, Replay, Snapshot, State } from "../src/index.ts"
import * as Contracts from "./histories/contracts.ts"

interface Pinned {
  readonly run: string
  /** The history that it shares: the name of its parent and the tick at which it left. */
  readonly parent?: { readonly name: string; readonly tick: number }
  readonly ticks: number
  readonly link: string
  readonly story: string
  readonly state: string
  readonly latches: { readonly [id: string]: number }
}

const read = (name: string): string => Fs.readFileSync(new URL(`./histories/${name}`, import.meta.url), "utf8")

const pinned = JSON.parse(read("digests.golden.json")) as {
  readonly fold: string
  readonly histories: { readonly [name: string]: Pinned }
}

const linesOf = (name: string): ReadonlyArray<string> => read(`${name}.jsonl`).trimEnd().split("\n")

const load = (name: string): ReadonlyArray<Transition.Sealed> => {
  const { parent } = pinned.histories[name]!
  const own = linesOf(name).map((line) => JSON.parse(line) as Transition.Sealed)
  return parent === undefined ? own : [...load(parent.name).slice(0, parent.tick), ...own]
}

const genesisOf = (name: string): HashChain.Head => {
  const { parent, run } = pinned.histories[name]!
  return parent === undefined ? HashChain.genesis(Run.make(run)) : genesisOf(parent.name)
}

// Stored traces fold for ever as they did. If one of these fails, a part, a digest or the fold has changed its meaning:
// give the part another version and keep the old one, and never write the histories again.
describe("Recorded histories", () => {
  it("were folded by the parts that are still there", () => {
    assert.strictEqual(Fold.base.map(Part.pin).join(" "), pinned.fold)
  })

  for (const [name, expected] of Object.entries(pinned.histories)) {
    describe(name, () => {
      const sealed = load(name)
      const start = { head: genesisOf(name), state: State.empty }
      const replay = () => Result.getOrThrow(Replay.strict(Contracts.fold, start, sealed))

      it("keeps its bytes, its links and its story (L2, L3)", () => {
        const head = Result.getOrThrow(HashChain.verify(start.head, sealed))
        assert.deepStrictEqual(head, {
          tick: expected.ticks,
          link: expected.link,
          story: expected.story
        } as HashChain.Head)
        for (const line of linesOf(name)) assert.isTrue(Canonical.isCanonical(line))
        for (const each of sealed) assert.strictEqual(TransitionCheck.openUntrusted(each).tick, each.tick)
      })

      it("folds to the digests that it committed, and to the pinned state (L2)", () => {
        const { compared, divergences, state } = replay()
        assert.deepStrictEqual(divergences, [])
        assert.isAbove(compared, 0)
        assert.strictEqual(State.digest(state), expected.state)
        assert.deepStrictEqual(Latch.of(state), expected.latches)
      })

      it("folds to the same from a snapshot at any tick (L2)", () => {
        for (let cut = 1; cut < sealed.length; cut++) {
          const first = Result.getOrThrow(Replay.strict(Contracts.fold, start, sealed.slice(0, cut)))
          const nodes = new Map<Digest, string>()
          const text = Snapshot.write(first.state, {
            has: (digest) => nodes.has(digest),
            put: (digest, node) => nodes.set(digest, node)
          })
          const from = { head: first.head, state: Snapshot.read(text, (digest) => nodes.get(digest)) }
          const rest = Result.getOrThrow(Replay.strict(Contracts.fold, from, sealed.slice(cut)))
          assert.deepStrictEqual([rest.divergences, State.digest(rest.state)], [[], expected.state])
        }
      })

      it("is sealed to the same bytes again (L2)", () => {
        let head = start.head
        for (const each of sealed) {
          const { body, envelope, stamp } = Transition.open(each)
          assert.deepStrictEqual(HashChain.seal(head, { body, envelope, stamp }), each)
          head = HashChain.headOf(each)
        }
      })
    })
  }
})
