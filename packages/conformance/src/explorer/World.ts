/**
 * The world of an exploration: a tool with a system of record.
 *
 * Without keys the tool commits once per delivered request; with keys once per key, as long as it remembers the key.
 * A key that it refused is refused again; without keys a refusal leaves no trace. The reversal of the payment works
 * in the same way, and is counted separately. A person who undoes the payment by hand uses no key: the record of
 * the payment shows it, and that of its reversal where both are one record. An open transaction has no effect before it
 * is committed, and leaves none if its process dies.
 */
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Scenario from "./Scenario.ts"

/** Effects of the one payment, by the time of their commit, and the refused key, if any. */
export interface World {
  readonly effects: ReadonlyArray<{ readonly key: string; readonly at: number }>
  readonly reversals: ReadonlyArray<ExploredReversal>
  /** Set if somebody undid the payment by hand. */
  readonly byHand?: true
  readonly refused: string | undefined
  /** Set if an open transaction that showed another account was rolled back, for a person to look at. */
  readonly astray?: true
  /** Set if the tool has answered with the record of another act, of somebody else. */
  readonly foreign?: true
}

/** A reversal. `knew`: the payment was already undone when the sender last asked about it. */
export interface ExploredReversal {
  readonly key: string
  readonly at: number
  readonly knew: boolean
}

/** Tells whether the payment was undone, by anybody. */
export const isUndone = ({ byHand, reversals }: World): boolean => byHand === true || reversals.length > 0

/** The world in which nothing has happened. */
export const empty: World = { effects: [], reversals: [], refused: undefined }

const receipt: Evidence = { _tag: "Ok", output: { amount: 1 } }
const refusal: Evidence = { _tag: "Error", error: "refused" }

/** The answer of a system of record that refuses to be read. */
export const unread: Evidence = { _tag: "Error", error: "unread" }

/** The first effect under a key that is still remembered. */
const remembered = (self: World, scenario: Scenario.Scenario, at: { readonly key: string; readonly clock: number }) =>
  [...self.effects, ...self.reversals].find(
    (effect) => effect.key === at.key && at.clock < effect.at + scenario.times.keyRetention
  )

/** Serves a request: answers the next world, and the tool's answer. */
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

/** Answers a request with the record of another act, and does nothing. */
export const confuse = (self: World): { readonly world: World; readonly evidence: Evidence } => ({
  world: { ...self, foreign: true },
  evidence: receipt
})

/** The contrary of a settlement, as a provider says it. */
export const contrary = (settled: "ok" | "error"): Evidence => (settled === "ok" ? refusal : receipt)

/** Tells whether a request may still be refused or take effect. A decision under a key is final. */
export const isDecided = (
  self: World,
  scenario: Scenario.Scenario,
  request: { readonly key: string; readonly clock: number }
): boolean =>
  Scenario.recognisesKeys(scenario) &&
  (self.refused === request.key || remembered(self, scenario, { ...request, clock: scenario.horizon }) !== undefined)

/** The answer of a tool beside the payment, which is given at once: a shipment is always refused. */
export const aside = (tool: string): Evidence | undefined => {
  switch (tool) {
    case "ship":
      return refusal
    case "draft":
    case "memo":
      return { _tag: "Ok", output: { text: tool } }
    case "post":
      return receipt
    default:
      return undefined
  }
}

/** Answers a question about a key. */
export const status = (
  self: World,
  scenario: Scenario.Scenario,
  question: { readonly key: string; readonly clock: number }
): Evidence => {
  if (remembered(self, scenario, question) !== undefined) return receipt
  return self.refused === question.key ? refusal : { _tag: "NotFound" }
}

/** Shows the holder of an open transaction its effect so far. */
export const inside = ({ transaction }: Scenario.Scenario): Evidence => ({
  _tag: "Ok",
  output: { account: transaction === "astray" ? "B" : "A", amount: 1 }
})

/**
 * Shows the record for a readback, which is never forgotten. A reversal with its own record is shown only once it is
 * done.
 */
export const readback = (self: World, { reversal }: Scenario.Scenario, tool: string): Evidence => {
  // A shipment is always refused.
  if (tool === "ship") return { _tag: "NotFound" }
  const isApart = tool === "unpay" && reversal === "apart"
  const isShown = isApart ? self.reversals.length > 0 : self.effects.length > 0 || self.foreign === true
  return isShown ? { _tag: "Ok", output: { amount: 1, reversed: isUndone(self) } } : { _tag: "NotFound" }
}
