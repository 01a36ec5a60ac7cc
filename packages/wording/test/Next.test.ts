import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import * as Next from "../src/said/Next.ts"
import * as Wording from "../src/Wording.ts"

describe("Next", () => {
  it("has words for each verb, with the subject at hand or a named one", () => {
    const steps: ReadonlyArray<readonly [Next.Next, string]> = [
      [{ verb: "resume" }, "resume the run"],
      [{ again: true, run: "r", verb: "resume", words: "once" }, "resume run r and ask for one more: once"],
      [{ verb: "resolve" }, "let a person settle the action"],
      [
        { action: "a7", as: ["success", "failure"], run: "r", verb: "resolve" },
        "let a person settle a7 of run r as success or failure"
      ],
      [
        { as: ["abandoned"], later: { as: ["failure", "resent"], from: 1_000 }, verb: "resolve" },
        "let a person settle the action as abandoned, or as failure or resent from 1970-01-01T00:00:01.000Z on"
      ],
      [{ verb: "attest" }, "give the record that the system of record shows of the action"],
      [{ review: "r1", verb: "decide" }, "let a person decide r1"],
      [
        { as: "denied", needs: ["owner", "chief"], review: "r1", run: "r", verb: "decide" },
        "let owner or chief deny r1 of run r"
      ],
      [{ as: "approved", verb: "decide" }, "let a person approve"],
      [{ breakGlass: "r1", verb: "resume" }, "resume the run without waiting for r1"],
      [
        { past: "topology.runaway", run: "r", verb: "resume" },
        "resume run r past topology.runaway, once a person has looked at it"
      ],
      [{ from: 3, pack: true, run: "r", verb: "fork" }, "fork run r from tick 3 under another pack"],
      [{ verb: "absorb" }, "absorb the revisions of the run"],
      [
        { keep: "a7", run: "r", verb: "absorb", widen: true },
        "absorb the revisions of run r, saying that a7 fits, widened"
      ],
      [{ verb: "rebase" }, "rebase the run onto another"],
      [{ onto: "main", run: "r", verb: "rebase" }, "rebase run r onto run main"],
      [{ run: "r", stopped: "continue", verb: "rebase" }, "continue the rebase of run r"],
      [{ run: "r", stopped: "skip", verb: "rebase" }, "continue the rebase of run r without this intent"],
      [{ run: "r", stopped: "abort", verb: "rebase" }, "give up the rebase of run r"],
      [{ action: "a7", run: "r", verb: "action" }, "read what is known of a7 of run r"],
      [{ run: "r", verb: "bisect" }, "find where the first anomaly began in run r"],
      [{ predicate: "over", verb: "bisect" }, "find where over began in the run"],
      [{ run: "r", verb: "contributors" }, "find which steps of run r led to the first anomaly"],
      [{ predicate: "over", verb: "contributors" }, "find which steps of the run led to over"],
      [{ other: "main", run: "r", verb: "diff" }, "compare run r with run main"],
      [{ run: "r", tick: 4, verb: "explain" }, "see why tick 4 of run r came out as it did"],
      [{ run: "r", verb: "ledger" }, "see which actions run r has"],
      [{ verb: "list" }, "see which runs there are"],
      [{ run: "r", verb: "show" }, "see what run r did"],
      [{ verb: "verify" }, "verify the run"],
      [{ run: "r", verb: "watch" }, "follow run r"],
      [{ run: "r", verb: "report" }, "read the report of run r"],
      [{ verb: "review" }, "look at what waits for a person"],
      [{ from: 3, verb: "fork" }, "fork the run from tick 3"],
      [{ verb: "look" }, "look at the system of record"],
      [{ verb: "end" }, "end the run"],
      [{ verb: "propose", words: "propose it again" }, "propose it again"],
      [{ verb: "amend", words: "declare it" }, "declare it"],
      [{ verb: "wait", words: "its provider tells" }, "its provider tells"]
    ]
    for (const [next, words] of steps) assert.strictEqual(Wording.step(next), words)
    assert.strictEqual(
      Wording.step({ or: [{ verb: "attest" }], verb: "decide" }),
      "let a person decide, or give the record that the system of record shows of the action"
    )
    assert.strictEqual(English.words.choices.names(["a", "b", "c"]), "a, b or c")
  })

  it("fills in the implied subject of a step, and no argument that it does not take", () => {
    const at = { action: "a7", predicate: "over", review: "r1", run: "r" }
    const steps: ReadonlyArray<readonly [Next.Next, Next.Next]> = [
      [{ verb: "resume" }, { run: "r", verb: "resume" }],
      [
        { run: "other", verb: "report" },
        { run: "other", verb: "report" }
      ],
      [{ verb: "attest" }, { action: "a7", run: "r", verb: "attest" }],
      [{ verb: "contributors" }, { predicate: "over", run: "r", verb: "contributors" }],
      [
        { action: "a2", as: ["noted"], verb: "resolve" },
        { action: "a2", as: ["noted"], run: "r", verb: "resolve" }
      ],
      [{ verb: "decide" }, { review: "r1", run: "r", verb: "decide" }],
      [{ verb: "list" }, { verb: "list" }],
      [
        { verb: "wait", words: "its provider tells" },
        { verb: "wait", words: "its provider tells" }
      ],
      [
        { or: [{ verb: "attest" }], verb: "resume" },
        {
          or: [{ action: "a7", run: "r", verb: "attest" }],
          run: "r",
          verb: "resume"
        }
      ]
    ]
    for (const [step, told] of steps) {
      assert.deepStrictEqual(Next.about(step, at), told)
      assert.deepStrictEqual(Next.about(step, {}), step)
    }
  })
})
