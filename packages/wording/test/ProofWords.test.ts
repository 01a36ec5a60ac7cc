import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import type { ProofWords } from "../src/said/ProofWords.ts"
import * as Wording from "../src/Wording.ts"

const { heldForGood }: ProofWords = English.words.proofs

describe("ProofWords", () => {
  it("name the anchored ticks that are sound, and what the store has instead", () => {
    const link = "a".repeat(64)
    const cut = Wording.verificationFault({ code: "anchor_differs", anchored: 3, link, tick: 9 })
    const changed = { code: "anchor_differs", anchored: 0, link, stored: "b".repeat(64), tick: 9 } as const
    assert.include(cut, "the run ends before it. Ticks 1 to 3 are as they were anchored")
    assert.include(
      Wording.verificationFault(changed),
      "the store has bbbbbbbbbbbb… there. No tick before it is anchored"
    )
    assert.strictEqual(Wording.verificationFault({ code: "chain_broken", message: "as it is" }), "as it is")
    assert.include(Wording.snapshotFault({ code: "snapshot_differs", tick: 7 }), "snapshot of tick 7")
  })

  it("say why a witness does not cosign, and why a name stays held", () => {
    assert.include(Wording.witnessFault({ code: "refused", status: 409 }), "ask again")
    assert.strictEqual(Wording.witnessFault({ code: "refused", status: 418 }), "it answers 418, and no cosignature")
    assert.include(Wording.witnessFault({ code: "ahead", cosigned: 4, entries: 2 }), "cosigned 4 entries")
    for (const say of Object.values(heldForGood)) assert.isNotEmpty(say({ run: "r", tick: 3 }))
    assert.include(heldForGood.key({ run: "r", tick: 3 }), "r@3")
  })
})
