import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import type { Residue } from "../src/said/RunWords.ts"
import * as Wording from "../src/Wording.ts"

const { explanations, openActions, receipts, reports } = English.words

const left: Residue = { action: "a2", tool: "book" }
const reversal = { action: "a5", tool: "cancel" }

describe("RunWords", () => {
  it("give the situation of an open action, so that a sentence about it is complete", () => {
    const stand = { again: true, code: "withheld", undoes: "a2" } as const
    const stands = Wording.stands(stand)
    assert.strictEqual(reports.stands({ since: 7, stands }), "it was not sent again: a2 is not as it was, since tick 7")
    const about = { action: "a7", since: 7, stands: Wording.stands({ code: "sent" }), target: "seat/1", tool: "book" }
    assert.strictEqual(
      explanations.open(about),
      "book (a7) was sent, and nobody knows what came of it, since tick 7; " +
        "until it is settled it holds seat/1, and nothing else may change that"
    )
  })

  it("name the person who broke the glass, and the person who decides or has decided about it", () => {
    const glass = { by: "Ada", needs: ["owner", "chief"], reason: "fire", review: "r2" }
    const said = openActions.glass({ ...glass, decidedBy: null, verdict: null })
    assert.strictEqual(said, "Ada broke the glass: fire. owner or chief reviews it (r2)")
    assert.include(openActions.glass({ ...glass, decidedBy: "Grace", verdict: "denied" }), "Grace did not accept it")
  })

  it("name the remains of an undone action, and the call that undid it", () => {
    const { residue } = reports
    assert.strictEqual(
      residue.undone({ ...left, reversal: { ...reversal, kept: { amount: "5", currency: "CHF" } } }),
      "book (a2) was undone by cancel (a5), which kept CHF 5."
    )
    assert.include(residue.undone(left), "takes back its effect but not all of its consequences")
    assert.include(residue.doubtful({ ...left, reversal }), "taken back by cancel (a5) in part")
    assert.include(reports.doubtful({ ...left, reversal: { ...reversal, tool: undefined } }), "by a call (a5)")
    const givenUp = { by: "Ada", evidence: "a ticket" }
    assert.include(residue.given_up({ ...left, givenUp }), "may remain. Ada gave that up: a ticket")
    assert.include(residue.dirty(left), "dirty: nothing names it.")
  })

  it("name the outcome of the last proposal of an unfinished run", () => {
    const refused = { code: "refused", reason: "guard cheap", tick: 4 } as const
    assert.match(reports.unfinished(refused), /was not declared reached\. .* refused at tick 4: guard cheap$/)
    assert.strictEqual(reports.unfinished(undefined), "The goal was not declared reached.")
    assert.include(receipts.waits({ more: 2, needs: ["owner"], tick: 3, tool: "book" }), ", and 2 more wait")
    assert.notInclude(receipts.waits({ more: 0, needs: ["owner"], tick: 3, tool: "book" }), "more")
  })
})
