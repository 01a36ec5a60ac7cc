/** A claim from intake to payout, under a contract that grows on the way. */
import * as Check from "@backstitch/kernel/Check"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Latch from "@backstitch/reducer/Latch"
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import type { RunHandle } from "@backstitch/runtime/RunHandle"
import * as Effect from "effect/Effect"
import * as Claims from "./Claims.ts"

const tell = (text = "") => console.log(text)

const propose = Effect.fnUntraced(function* (handle: RunHandle, what: string, proposal: Proposal) {
  const { head } = yield* handle.position
  const outcome = yield* handle.propose(proposal)
  const failed = outcome._tag === "Refused" ? Check.failing(outcome.checks) : []
  const became =
    outcome._tag === "Refused"
      ? `refused at tick ${head.tick + 1}: ${failed.map(({ id, step }) => `${step} ${id}`).join(", ")}`
      : outcome._tag === "Done"
        ? `done at tick ${outcome.tick}`
        : outcome._tag
  tell(`  ${what}: ${became}`)
})

const violations = Effect.fnUntraced(function* (handle: RunHandle) {
  const { state } = yield* handle.position
  const held = Object.entries(Latch.of(state)).map(([id, tick]) => `${id} since tick ${tick}`)
  tell(`  violations: ${held.length === 0 ? "none" : held.join(", ")}`)
})

const main = Effect.gen(function* () {
  tell("A claim as it should go")
  const claim = yield* Claims.open("claim-1")
  yield* propose(claim, "pay before an amount was decided", Claims.payout("p-1", "1200.00"))
  yield* propose(claim, "decide the amount", Claims.recorded({ payout_amount: "1200.00" }))
  yield* propose(claim, "document and deductible arrive", Claims.recorded(Claims.complete))
  yield* propose(claim, "pay", Claims.payout("p-1", "1200.00"))
  yield* violations(claim)

  tell()
  tell("A claim that was paid in haste: null is a value that the contract accepts, and the payout is on record")
  const hasty = yield* Claims.open("claim-2")
  yield* propose(hasty, "decide the amount", Claims.recorded({ payout_amount: "300.00" }))
  yield* propose(hasty, "pay", Claims.payout("p-2", "300.00"))
  yield* propose(hasty, "document and deductible arrive", Claims.recorded(Claims.complete))
  yield* violations(hasty)

  tell()
  tell("The approval of the first claim, carried to the second")
  const { verdict } = yield* CherryPicking.pick({ from: claim.run, tick: 5, onto: hasty.run })
  for (const { code, text } of verdict.reasons) tell(`  refused: ${code}: ${text}`)

  tell()
  tell("The institution adds a screening, from tick 47 on")
  yield* propose(claim, "extend the contract", Claims.screening(47))
  yield* Claims.until(claim, 41)
  yield* propose(claim, "decide another amount", Claims.recorded({ payout_amount: "50.00" }))
  yield* propose(claim, "pay", Claims.payout("p-3", "50.00"))
  yield* Claims.until(claim, 47)
  yield* propose(claim, "pay", Claims.payout("p-4", "50.00"))
  yield* propose(claim, "screen", Claims.screened)
  yield* propose(claim, "pay", Claims.payout("p-4", "50.00"))
  yield* violations(claim)
})

await Effect.runPromise(main.pipe(Effect.scoped, Effect.provide(Claims.layer(new Claims.Books()), { local: true })))
