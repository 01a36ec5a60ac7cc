/** The verdicts of verifications, for people. */
import type * as ClaimIndex from "@backstitch/runtime/ClaimIndex"
import * as DecisionReplay from "@backstitch/runtime/DecisionReplay"
import type * as RunVerification from "@backstitch/runtime/RunVerification"
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import * as StoreFault from "@backstitch/trace/StoreFault"
import * as English from "@backstitch/wording/English"
import * as Wording from "@backstitch/wording/Wording"
import * as Terminal from "../terminal/Terminal.ts"

const { stores } = English.words

/** Prints the verdict on one run. */
export const run = (verdict: RunVerification.RunVerdict): void => {
  const { anchored, badTick, compared, consistent, damage, head, problem, run, ticks, unknown } = verdict
  if (!consistent) {
    Terminal.print(`${Terminal.bad("BROKEN:")} run=${run} | first bad tick=${badTick ?? "none"}`)
    Terminal.print(`        ${problem}`)
    return
  }
  const word = anchored ? "consistent, anchored" : "consistent, unanchored"
  Terminal.print(
    `${Terminal.good("VERIFIED:")} run=${run} | ${word} | transitions=${ticks} | states_compared=${compared} | head=${head}`
  )
  if (unknown.length > 0) {
    Terminal.print(`${Terminal.wary("UNKNOWN:")}  ${stores.undeclared(unknown)}`)
  }
  for (const { problem } of damage) Terminal.print(`${Terminal.bad("DAMAGED:")} run=${run} | ${problem}`)
}

/** Prints a fault of the store. */
export const fault = (found: StoreFault.StoreFault): void =>
  Terminal.print(`${Terminal.bad("DAMAGED:")} ${StoreFault.describe(found)}`)

/** Prints a name for which the index differs from the traces. */
export const claim = (difference: ClaimIndex.IndexDifference): void => {
  Terminal.print(`${Terminal.bad("BROKEN:")} ${stores.index.differs(difference)}`)
  Terminal.print(`        ${stores.index.remedy}`)
}

/** Prints that nothing vouches for keys. This is no certain damage: imported runs bring keys and no fingerprint. */
export const unvouched = (tenant: string, keys: number): void => {
  Terminal.print(`${Terminal.bad("LOOK:")} ${new SecretFingerprint.SecretUnknown({ tenant, keys }).message}`)
  Terminal.print("        with `backstitch secret --accept`")
}

/** Prints how the decisions of a run came out again. `place` is where the secret was found. */
export const redecided = (again: DecisionReplay.Redecided, place: string | undefined): void => {
  const { differs, obeyed, older, recorded, run, secret, underived, unrecorded } = again
  if (DecisionReplay.isUndecided(again)) {
    const why = Wording.redecision({ code: "undecided" })
    Terminal.print(`${Terminal.bad("UNDECIDED:")} run=${run} | recorded=${recorded} | ${why}`)
    return
  }
  const since = older.length === 0 ? "" : ` | under_older_rules=${older.length}`
  const elsewhere = recorded === 0 ? "" : ` | recorded=${recorded}`
  const counts = `decided_again=${obeyed}${since}${elsewhere} | not_in_the_trace=${unrecorded}`
  if (secret === "another") {
    const where = { place: place ?? "", run }
    const why = Wording.redecision(
      underived === undefined ? { code: "other_secret", ...where } : { code: "keys_underived", ...where, ...underived }
    )
    Terminal.print(`${Terminal.bad("LOOK:")} ${why}. Give the secret that it ran with as BACKSTITCH_SECRET`)
  }
  if (differs.length === 0) Terminal.print(`${Terminal.good("OBEYED:")}   run=${run} | ${counts}`)
  for (const { change, rules, tick } of differs.length === 0 ? older : []) {
    Terminal.print(`  tick ${tick}  ${Wording.redecision({ code: "older", change, rules })}`)
  }
  if (differs.length === 0) return
  Terminal.print(`${Terminal.bad("DIFFERS:")} run=${run} | ${counts}`)
  for (const { committed, decided, tick } of differs) {
    Terminal.print(`  tick ${tick}  committed  ${committed}`)
    Terminal.print(`  ${" ".repeat(`tick ${tick}`.length)}  decided    ${decided}`)
  }
}
