import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../src/decision/Command.ts"
import type { RefusedName } from "../src/decision/CommandFacts.ts"
import type { Decided } from "../src/decision/Decision.ts"
import * as Interpreter from "../src/decision/Interpreter.ts"
import * as Kernel from "../src/Kernel.ts"
import * as Limits from "../src/Limits.ts"
import { Bench, bookOf, call, ends } from "./lab.ts"

/** A run that asks for what the bench's run holds. */
const rival = new Bench({ run: "rival" })

/**
 * Refuses a command the name that an action of a bench holds; the trace of the bench is all that there is to look at.
 */
const meets = (command: Command, held: Bench, namespace: RefusedName["namespace"], tick = 3): Decided => {
  const first = rival.decides(command)
  const refusal: RefusedName = {
    claim: "name",
    namespace,
    holder: { owner: "a2", run: Run.make(held.run.id).id, tick }
  }
  let decided = Kernel.decide(rival.terms, rival.state, Interpreter.next(first, { _tag: "Refused", refusal }))
  while (decided.next._tag === "Look") {
    const { look } = decided.next
    const answer = look._tag === "Trace" ? held.transitions.slice(look.from - 1) : false
    decided = Kernel.decide(rival.terms, rival.state, Interpreter.next(decided, { _tag: "Seen", answer }))
  }
  return decided
}

const propose = { _tag: "Propose", proposal: bookOf("LX1") } as const

describe("NameRefused", () => {
  it("decides again with the act to take over, and takes it over (L6)", () => {
    const held = new Bench()
    held.books("LX1")
    const { next } = meets(propose, held, "key")
    assert.strictEqual(next._tag, "Again")
    if (next._tag !== "Again") return
    assert.deepInclude(next.command.learnt?.adopted, { action: "a2", run: held.run.id })
    const taken = Kernel.decide(rival.terms, rival.state, next.command)
    assert.deepStrictEqual([taken.drafts[0]?.body.type, taken.next._tag], ["action.request", "Ask"])
  })

  it("asks again later for an act that another run has under way, with the first command (L7)", () => {
    const held = new Bench()
    call(held.proposes(bookOf("LX1")))
    const decided = meets(propose, held, "key")
    assert.strictEqual(decided.next._tag, "Await")
    assert.strictEqual(decided.again._tag, "Propose")
    assert.strictEqual(Interpreter.next(decided, { _tag: "Due" }).learnt?.since, rival.now)
  })

  it("refuses another request under the same key, and commits that it did (L6)", () => {
    const held = new Bench()
    call(held.proposes(bookOf("LX1", 70)))
    const decided = meets(propose, held, "key")
    ends(decided, "Refused")
    assert.strictEqual(decided.drafts[0]?.body.type, "intent.refused")
  })

  it("lets a command of the kernel wait, since it has no author to refuse, and commits nothing", () => {
    const held = new Bench()
    const decided = meets({ _tag: "Recover", action: "a2" }, held, "target")
    assert.deepInclude(ends(decided, "Held"), { action: "a2", tick: 3 })
    assert.deepStrictEqual(decided.drafts, [])
  })

  it("tells a delivery which action took in its name before", () => {
    const decided = meets({ _tag: "Deliver", tool: "book", body: {}, delivery: rival.pack.digest }, rival, "delivery")
    assert.deepInclude(decided.next, { _tag: "Again" })
    const again = decided.next._tag === "Again" && decided.next.command
    assert.deepInclude(again, { _tag: "Deliver", taken: { action: "a2", run: "rival", tick: 3 } })
  })

  it("ends with the known facts after so many lessons", () => {
    const held = new Bench()
    const { action } = call(held.proposes(bookOf("LX1")))
    held.answers(action, { _tag: "Error", error: "full" })
    assert.strictEqual(meets(propose, held, "key").next._tag, "Again")
    const learnt = { generation: 0, lessons: Limits.deciding.lessonsMax }
    ends(meets({ ...propose, learnt }, held, "key"), "Refused")
  })
})
