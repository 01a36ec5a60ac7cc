/**
 * The ways in which a request goes wrong on its way to the bank and back, drawn from a seed.
 *
 * | trouble | the request | the answer |
 * | --- | --- | --- |
 * | `none` | is handled | arrives |
 * | `lost` | is handled | the connection ends without one |
 * | `garbled` | is handled | is cut in the middle |
 * | `empty` | is handled | is `{}` |
 * | `slow` | is handled at once | arrives late |
 * | `late` | is handled within `landsWithinMillis` | the connection has ended before |
 * | `refused` | is not handled | the connection ends without one |
 * | `down` | is not handled | is a 503 |
 */
import * as Random from "./Random.ts"

/** A way to go wrong. */
export type Trouble = "none" | "lost" | "garbled" | "empty" | "slow" | "late" | "refused" | "down"

/**
 * A late request takes effect within this time. The bank promises it, and `settleAfter` of the contract depends on
 * it.
 */
export const landsWithinMillis = 500

const changing = ["lost", "garbled", "empty", "slow", "late", "refused", "down"] as const
const reading = ["lost", "garbled", "slow", "down"] as const

/**
 * Draws the trouble of one request after another, with the given probability. With probability 0 no request has
 * trouble.
 */
export const make = (seed: number) => {
  const random = Random.make(seed)
  return (request: { readonly changes: boolean; readonly probability: number }) => ({
    delayMillis: random.between(10, landsWithinMillis - 100),
    trouble: (random.chance(request.probability)
      ? random.pick(request.changes ? changing : reading)
      : "none") as Trouble
  })
}
