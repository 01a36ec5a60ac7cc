/** Takes a delivery in for its run, and answers the verdict on it, for people, programs and the provider. */
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as Check from "@backstitch/kernel/Check"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { State } from "@backstitch/reducer/State"
import type { Run, Tenant } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Steps from "../history/Steps.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as Coordinator from "../run/Coordinator.ts"
import * as WebhookIntake from "./WebhookIntake.ts"

/**
 * The verdict on a delivery.
 *
 * **Details**
 *
 * `settled`: its body was read back, or believed if the contract says so. `known`: the action was settled before.
 * `disputed`: it was settled before, the provider contradicts that, and a person looks at it. `replayed`: this
 * delivery was taken in before, and counts once. `nothing_new`: it repeats an earlier delivery, or the provider is
 * still at work. `failed`: the effect will never take place. `held`, `parked`: it was taken in, and the action still
 * waits. `refused`: it is not genuine, too old or too early, or about no action.
 */
export type DeliveryVerdict =
  | "settled"
  | "known"
  | "disputed"
  | "replayed"
  | "nothing_new"
  | "failed"
  | "held"
  | "parked"
  | "refused"

/** A delivery that was taken in or refused, with the steps that continue, as plain JSON. */
export interface DeliveryOutcome {
  readonly run: string
  readonly tool: string
  readonly verdict: DeliveryVerdict
  readonly action: string | null
  readonly why: string | null
  /** The code of a refusal. */
  readonly code: string | null
  readonly next: ReadonlyArray<Next.Next>
  readonly committed: ReadonlyArray<{ readonly tick: number; readonly transition_type: string }>
}

/** A delivery as it arrived, for a tenant. Its run may be named; otherwise the key in its body tells it. */
export interface TenantDelivery extends WebhookIntake.ToolDelivery {
  readonly run: Run | undefined
  readonly tenant: Tenant
  readonly webhook: Webhook.Webhook
}

/** Takes a delivery in, and calls `visit` with each resulting transition. */
export const take = Effect.fn("DeliveryVerdict.take")(function* (
  arrived: TenantDelivery,
  visit: (step: Step) => void = () => {}
) {
  const { body, tool, webhook } = arrived
  const run = arrived.run ?? (yield* WebhookIntake.runOf(arrived.tenant, webhook, body))
  const words = yield* Lexicon.Lexicon
  if (run === undefined) return nobody(tool, words)
  const history = yield* History.History
  const coordinator = yield* Coordinator.Coordinator
  const { head } = yield* history.info(run)
  const handle = yield* coordinator.reopen(run)
  const outcome = yield* WebhookIntake.deliver(handle, arrived)
  const committed: Array<DeliveryOutcome["committed"][number]> = []
  const { head: last } = yield* history.info(run)
  yield* Steps.walk(run, { from: head.tick + 1, to: last.tick }, (step) => {
    committed.push({ tick: step.transition.tick, transition_type: step.transition.body.type })
    visit(step)
  })
  const { state } = yield* handle.position
  const disputed = outcome._tag === "Done" || outcome._tag === "Failed" ? disputeIn(state, arrived) : undefined
  const settling = outcome._tag === "Held" ? yield* OpenActionStatus.at(run, outcome.action) : undefined
  const taken: DeliveryOutcome = {
    ...of(run, tool, { isNew: committed.length > 0, outcome, words }),
    ...(disputed && {
      verdict: "disputed",
      action: disputed.action,
      why: Wording.tell(disputed.why, words),
      next: [OpenActionStatus.answer(run, disputed.action, disputed)]
    }),
    // The kernel says which verdicts a person may give; a finding alone cannot.
    ...(settling === undefined ? {} : { next: [settling.next] }),
    committed
  }
  return taken
}, Effect.scoped)

/** The review of the action whose settlement the delivery contradicts. */
const disputeIn = (state: State, { body, webhook }: TenantDelivery) => {
  const key = WebhookIntake.keyOf(webhook, body)
  const action = key === undefined ? undefined : UsedKeys.find(state, key)?.action
  const why = action === undefined ? undefined : Reviews.dispute(state, action)?.why
  return action === undefined || why === undefined ? undefined : { action, why }
}

/** Tells whether a delivery was taken in and its action no longer waits. */
export const isTaken = ({ verdict }: DeliveryOutcome): boolean => verdict !== "refused" && !waiting.has(verdict)

/** Verdicts after which a person or the system of record still has to decide. */
const waiting: ReadonlySet<DeliveryVerdict> = new Set(["disputed", "held", "parked"])

/**
 * The HTTP status for the provider: 200 for a delivery that was taken in, 202 if its action still waits, 401 if its
 * signature or time is wrong, 404 if it is about no action here, 422 for another refusal.
 */
export const statusOf = ({ code, verdict }: DeliveryOutcome): number => {
  if (verdict === "refused") return refusals[code ?? ""] ?? 422
  return waiting.has(verdict) ? 202 : 200
}

const refusals: { readonly [code: string]: number } = {
  "delivery.key_unknown": 404,
  "delivery.not_declared": 404,
  "delivery.not_genuine": 401,
  "delivery.not_timely": 401
}

const nobody = (tool: string, words: Words): DeliveryOutcome => ({
  run: "",
  tool,
  verdict: "refused",
  action: null,
  why: words.deliveries.unknown(tool),
  code: "delivery.key_unknown",
  next: [],
  committed: []
})

const of = (
  run: Run,
  tool: string,
  { isNew, outcome, words }: { readonly isNew: boolean; readonly outcome: Outcome; readonly words: Words }
): Omit<DeliveryOutcome, "committed"> => {
  const about = { run: run.id, tool, action: null, why: null, code: null, next: [] }
  switch (outcome._tag) {
    case "Done": {
      const action = outcome.adopted?.action ?? null
      return outcome.adopted === undefined
        ? { ...about, verdict: "settled" }
        : { ...about, verdict: "known", action, why: words.deliveries.settled }
    }
    case "Failed":
      return { ...about, verdict: "failed", why: Wording.why(outcome, words) }
    case "Refused": {
      const [taken] = outcome.checks.filter(({ why }) => why?.code === "delivery.replayed")
      const code = Check.reason(outcome.checks)?.code ?? null
      if (taken === undefined) return { ...about, verdict: "refused", why: Wording.why(outcome, words), code }
      const action = String(taken.why?.args["action"] ?? "")
      return { ...about, verdict: "replayed", action, why: Wording.check(taken, words)?.found ?? null, code }
    }
    case "Parked":
      return {
        ...about,
        verdict: "parked",
        why: Wording.why(outcome, words),
        next: [OpenActionStatus.decide(run, outcome)]
      }
    case "Held": {
      const { action } = outcome
      const next = Wording.next(outcome, words).map((step) => Next.about(step, { action, run: run.id }))
      return { ...about, verdict: isNew ? "held" : "nothing_new", action, why: Wording.why(outcome, words), next }
    }
  }
}
