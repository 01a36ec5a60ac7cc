/**
 * The world of an exploration: a tool with a system of record.
 *
 * Without keys it commits once per delivered request; with keys once per key,
 * as long as it remembers the key. What it refused under a key it goes on
 * refusing; without keys a refusal leaves no trace. What undoes the payment is
 * served in the same way, and counted by itself. A hand that undoes it knows no
 * key: the record of the payment shows that, and that of its undoing does where
 * both are one. What a tool holds open in a
 * transaction is no effect before it is committed, and whoever dies leaves none.
 */
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Scenario from "./Scenario.ts"

/** Effects of the one payment, by the time of their commit, and the key that was refused, if any. */
export interface World {
  readonly effects: ReadonlyArray<{ readonly key: string; readonly at: number }>
  readonly reversals: ReadonlyArray<Reversal>
  /** Somebody has undone it by hand. */
  readonly byHand?: true
  readonly refused: string | undefined
  /** An open transaction that showed another account was rolled back, for a person to look at. */
  readonly astray?: true
}

/** An undoing. `knew`: the payment was undone already when its sender asked about it last. */
export interface Reversal {
  readonly key: string
  readonly at: number
  readonly knew: boolean
}

/** Tells whether the payment was undone, by whomever. */
export const isUndone = ({ byHand, reversals }: World): boolean => byHand === true || reversals.length > 0

/** The world in which nothing has happened. */
export const empty: World = { effects: [], reversals: [], refused: undefined }

const receipt: Evidence = { _tag: "Ok", output: { amount: 1 } }
const refusal: Evidence = { _tag: "Error", error: "refused" }

/** Says that the system of record refuses to be read. */
export const unread: Evidence = { _tag: "Error", error: "unread" }

/** The first effect under a key that is still remembered. */
const remembered = (self: World, scenario: Scenario.Scenario, at: { readonly key: string; readonly clock: number }) =>
  [...self.effects, ...self.reversals].find(
    (effect) => effect.key === at.key && at.clock < effect.at + scenario.times.keyRetention
  )

/** Serves a request: what the world is afterwards, and what it answers. */
export const serve = (
  self: World,
  scenario: Scenario.Scenario,
  request: {
    readonly key: string
    readonly tool: string
    readonly clock: number
    readonly refuses: boolean
    readonly knew: boolean
  }
): { readonly world: World; readonly evidence: Evidence } => {
  const { clock, key, knew, refuses } = request
  const isKeyed = Scenario.recognisesKeys(scenario)
  if (isKeyed && self.refused === key) return { world: self, evidence: refusal }
  if (isKeyed && remembered(self, scenario, request) !== undefined) return { world: self, evidence: receipt }
  if (refuses) return { world: isKeyed ? { ...self, refused: key } : self, evidence: refusal }
  const done = { key, at: clock }
  return request.tool === "unpay"
    ? { world: { ...self, reversals: [...self.reversals, { ...done, knew }] }, evidence: receipt }
    : { world: { ...self, effects: [...self.effects, done] }, evidence: receipt }
}

/** Tells whether a request could still be refused or take effect: what is decided under a key stays decided. */
export const isDecided = (
  self: World,
  scenario: Scenario.Scenario,
  request: { readonly key: string; readonly clock: number }
): boolean =>
  Scenario.recognisesKeys(scenario) &&
  (self.refused === request.key || remembered(self, scenario, { ...request, clock: scenario.horizon }) !== undefined)

/** Answers a question about a key. */
export const status = (
  self: World,
  scenario: Scenario.Scenario,
  question: { readonly key: string; readonly clock: number }
): Evidence => {
  if (remembered(self, scenario, question) !== undefined) return receipt
  return self.refused === question.key ? refusal : { _tag: "NotFound" }
}

/** Shows what an open transaction has done so far, to whoever holds it open. */
export const inside = ({ transaction }: Scenario.Scenario): Evidence => ({
  _tag: "Ok",
  output: { account: transaction === "astray" ? "B" : "A", amount: 1 }
})

/**
 * Shows the record that a tool is read back from, which forgets nothing. Of an undoing that has a record of its own,
 * nothing is shown before it was done.
 */
export const readback = (self: World, { reversal }: Scenario.Scenario, tool: string): Evidence => {
  // A shipment is refused, always.
  if (tool === "ship") return { _tag: "NotFound" }
  const records = tool === "unpay" && reversal === "apart" ? self.reversals : self.effects
  return records.length > 0 ? { _tag: "Ok", output: { amount: 1, reversed: isUndone(self) } } : { _tag: "NotFound" }
}
