/**
 * Requests for review and the decisions on them, as folded state. An approval is for exactly one intent.
 *
 * A review is bound to the run, the tool, the arguments as they will be sent, the occurrence, the context hash and
 * the pack in force. If any of these differs, a new review is asked for. So it is after an approval has expired,
 * and for a second call of a tool that recognises no repetition.
 *
 * Each review is decided once. Of two concurrent decisions the first committed one counts, and the second is refused
 * with a reference to the first. A denied review is asked for again if a person reopens the undoing, or the steps
 * behind a pivot, that it belongs to.
 *
 * A review that verification asked for is about an action. It ends with a decision about the action, or with the
 * proof that the action succeeded.
 *
 * @source docs/ARCHITECTURE.md, "The life of a mutation"; Action Verification, rows 20 and 21 of "Recovery Decision
 * Tables"
 */
import * as Obligations from "@backstitch/ledger/Obligations"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Table from "@backstitch/trace/Table"
import * as BudgetUse from "../budget/BudgetUse.ts"
import * as Check from "../payload/Check.ts"
import type * as Finding from "../payload/Finding.ts"
import * as Payload from "../payload/Payload.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Goal from "../state/Goal.ts"

/**
 * A review. Without `verdict` it is pending. `decidedAt` is in epoch milliseconds; `calls` is the number of calls of
 * the tool until then.
 */
export interface Review extends Canonical.JsonObject {
  /** The action that is reviewed afterwards, because the glass was broken for it. */
  readonly after?: string | undefined
  /** The person who broke the glass. A different person has to accept what was done. */
  readonly brokenBy?: string | undefined
  readonly binding: string
  /** The parts of the binding, so that a difference can be named. */
  readonly bound?: Bound | undefined
  readonly needs: ReadonlyArray<string>
  readonly requestHash: string
  readonly tick: number
  readonly tool: string
  /** The action that a person has to look at, and the reason. */
  readonly action?: string | undefined
  readonly triggers?: ReadonlyArray<string> | undefined
  readonly why?: Payload.Of<"review.requested">["why"] | undefined
  readonly by?: string | undefined
  readonly calls?: number | undefined
  readonly decidedAt?: number | undefined
  readonly reason?: string | undefined
  readonly role?: string | undefined
  readonly verdict?: Verdict | "ended" | undefined
}

/** The parts of a binding beside the run, the tool and its arguments. */
export interface Bound extends Canonical.JsonObject {
  readonly context?: string
  readonly occurrence: number
  readonly pack?: string
}

/** The verdict of a person on a call. */
export type Verdict = "approved" | "denied"

/** The subject of a review that verification asks for. */
export const subject = "verification"

/** Keeps the reason of a review that disputes or contradicts a settlement. */
const because = ({ why }: Payload.Of<"review.requested">): Pick<Review, "why"> =>
  why?.code === "verification.disputed" || why?.code === "verification.contradicted" ? { why } : {}

/** Ends the open reviews of an action that was proven, or that a person decided. */
const ended = (self: Table.Table<Review>, action: string): Table.Table<Review> =>
  [...self]
    .filter(([, review]) => review.action === action && review.verdict === undefined)
    .reduce((rest, [id, review]) => rest.set(id, { ...review, verdict: "ended" }), self)

/**
 * Forgets the denials of an undoing, or of steps behind a pivot, that a person reopens. Their approval is asked for
 * again.
 */
const reopened = (
  self: Table.Table<Review>,
  { as, obligation, plan }: Payload.Of<"review.decided">,
  before: State
): Table.Table<Review> => {
  if (as !== "reopened") return self
  const undoing = plan === undefined ? undefined : UndoPlan.open(before)
  const { steps = [] } = Obligations.all(before).find(({ id }) => id === obligation) ?? {}
  return [...self]
    .filter(([id, { tool, verdict }]) => verdict === "denied" && (id === undoing?.approval || steps.includes(tool)))
    .reduce((rest, [id]) => rest.delete(id), self)
}

/** The part of the fold that keeps reviews, by id. */
export const part: Part.Part<Table.Table<Review>> = Part.make<Table.Table<Review>, typeof Payload.payloads>("reviews", {
  version: 1,
  init: Table.empty,
  on: {
    "review.requested": (self, { body, tick }) => {
      const { after, binding = "", bound, brokenBy, needs = [], requestHash = "", replaces } = body.data
      const others = replaces === undefined ? self : self.delete(replaces)
      const { review, tool = "", triggers = [] } = body.data
      return others.set(review, {
        ...(after === undefined ? {} : { after }),
        ...(brokenBy === undefined ? {} : { brokenBy }),
        binding,
        ...(bound === undefined ? {} : { bound }),
        needs,
        requestHash,
        tick,
        tool,
        ...(body.data.subject === subject ? { action: body.action?.id ?? "", triggers, ...because(body.data) } : {})
      })
    },
    "action.reconciled": (self, { body: { action, result } }) =>
      result?.status === "ok" ? ended(self, action?.id ?? "") : self,
    "review.decided": (self, { body, stamp }, before) => {
      const { by = "", reason, review: id, role = "", verdict } = body.data ?? {}
      if (id === undefined) return ended(reopened(self, body.data ?? {}, before), body.action?.id ?? "")
      const review = self.get(id)
      if (review === undefined || madeBefore(review) !== undefined || (verdict !== "approved" && verdict !== "denied"))
        return self
      const calls = BudgetUse.callsOf(BudgetUse.of(before), review.tool)
      const why = reason === undefined ? {} : { reason }
      return self.set(id, { ...review, by, calls, decidedAt: stamp.asOf, ...why, role, verdict })
    }
  }
})

/** The reviews of a state, by id. */
export const of = (state: State): Table.Table<Review> => Part.get(part, state)

/**
 * Lists the open reviews of calls, with their ids. A stopped undoing is not among them: it is held, and a person
 * resolves it. A review of a call that was never sent is withdrawn once the goal is reached.
 */
export const pending = (state: State): ReadonlyArray<readonly [string, Review]> =>
  [...of(state)]
    .filter(([, review]) => review.verdict === undefined && review.requestHash !== "" && !isWithdrawn(state, review))
    .sort(([, one], [, other]) => one.tick - other.tick)

/** Tells whether a review was withdrawn because the goal was reached first. A review of a broken glass never is. */
const isWithdrawn = (state: State, { after, tick }: Review): boolean => {
  const { completedAt } = Goal.of(state)
  return after === undefined && completedAt !== undefined && tick < completedAt
}

/** Lists the open reviews that verification asked for, oldest first. */
export const standing = (state: State): ReadonlyArray<readonly [string, Review & { readonly action: string }]> =>
  [...of(state)]
    .flatMap(([id, review]) =>
      review.action === undefined || review.verdict !== undefined
        ? []
        : [[id, review as Review & { readonly action: string }] as const]
    )
    .sort(([, one], [, other]) => one.tick - other.tick)

/**
 * The approval that an intent needs: the roles that may approve it, the reason, how long an approval lasts, and the
 * binding.
 */
export interface Asked {
  readonly tool: string
  readonly needs: ReadonlyArray<string>
  readonly why: Finding.Finding
  readonly requestHash: string
  readonly context: string | undefined
  readonly occurrence: number
  /** `true` if the tool recognises a repetition, or changes nothing. */
  readonly repeatable: boolean
  readonly expiresMillis?: number | undefined
}

/** The state of the approval for an intent: granted, denied, pending or not asked for. */
export type Answer =
  | { readonly _tag: "Granted"; readonly id: string; readonly review: Review; readonly expiresAt: number | undefined }
  | { readonly _tag: "Denied"; readonly id: string; readonly check: Check.Check }
  | { readonly _tag: "Pending"; readonly id: string; readonly review: Review; readonly check: Check.Check }
  | {
      readonly _tag: "Unasked"
      readonly id: string
      readonly binding: string
      readonly check: Check.Check
      /** An approval that was not used yet, and that is not for exactly this call. */
      readonly mismatch?: Mismatch | undefined
    }

/** An unused approval for another contract or another call, and the finding about the difference. */
export interface Mismatch {
  readonly approval: string
  readonly finding: "approval_token_mismatch" | "policy_version_mismatch"
}

/** Looks up the decision on exactly this intent. */
export const answer = (terms: DecisionTerms.DecisionTerms, state: State, asked: Asked): Answer => {
  const binding = bindingOf(terms, asked)
  const id = `r${binding.slice(0, 12)}`
  const review = of(state).get(id)
  const { expiresMillis, needs } = asked
  const unasked = (check: Check.Check): Answer => ({ _tag: "Unasked", id, binding, check })
  if (review === undefined || review.binding !== binding) {
    const mismatch = mismatchOf(terms, state, asked)
    return { _tag: "Unasked", id, binding, check: elsewhere(state, asked), mismatch }
  }
  if (review.verdict === undefined) return { _tag: "Pending", id, review, check: pendingOf(asked) }
  if (review.verdict === "denied") return { _tag: "Denied", id, check: denied(asked, review) }
  const { by = "", role } = review
  const expiresAt = expiresMillis === undefined ? undefined : (review.decidedAt ?? 0) + expiresMillis
  if (expiresAt !== undefined && terms.now >= expiresAt) {
    return unasked(Check.fail("approval", asked.tool, "approval.expired", { by, needs }))
  }
  if (!needs.includes(role ?? "")) {
    return unasked(
      Check.fail("approval", asked.tool, "approval.role", { needs, ...(role === undefined ? {} : { role }) })
    )
  }
  if (!asked.repeatable && BudgetUse.callsOf(BudgetUse.of(state), asked.tool) > (review.calls ?? 0)) {
    return unasked(Check.fail("approval", asked.tool, "approval.used", { by, needs }))
  }
  return { _tag: "Granted", id, review, expiresAt }
}

/**
 * Checks a decision before it is committed: its review is there and open, its verdict exists, and its role may
 * decide. Data that do not fit the payload of a decision are refused before this check.
 */
export const check = (state: State, data: Canonical.JsonObject): ReadonlyArray<Check.Check> => {
  const said = { data, type: "review.decided" } as const
  if (hasNoVerdict(state, data)) {
    const { review = "", verdict: given = null } = data
    return [Check.fail("approval", String(review), "verdict.unknown", { given, verdicts: ["approved", "denied"] })]
  }
  if (Payload.misfit(said) !== undefined) return []
  const { by = "", review: name = "", role = "" } = Payload.of(said, "review.decided") ?? {}
  const review = of(state).get(name)
  if (review === undefined) return [Check.fail("approval", name, "review.unknown", {})]
  const made = madeBefore(review)
  if (made !== undefined) return [Check.fail("approval", name, "decision.made", made)]
  if (by.trim() === "") return [Check.fail("approval", name, "decision.unsigned", {})]
  if (isBrokenBy(review, by)) {
    return [Check.fail("approval", name, "decision.own_glass", { brokenBy: review.brokenBy ?? "" })]
  }
  if (!review.needs.includes(role)) {
    const given = role === "" ? {} : { role }
    return [Check.fail("approval", name, "decision.role", { needs: review.needs, ...given })]
  }
  return [Check.pass("approval", name)]
}

/** The decision that was already made on a review, if there is one. */
const madeBefore = ({ by = "", decidedAt: at = 0, reason, role = "", verdict }: Review) =>
  verdict === "approved" || verdict === "denied"
    ? { at, by, ...(reason === undefined ? {} : { reason }), role, verdict }
    : undefined

/**
 * Tells whether data name a verdict that does not exist. This check comes before the schema, so that the refusal can
 * list the possible verdicts.
 */
const hasNoVerdict = (state: State, { review, verdict }: Canonical.JsonObject): boolean =>
  typeof review === "string" && of(state).has(review) && verdict !== "approved" && verdict !== "denied"

/**
 * Tells whether the reviewer is the person who broke the glass, however the name is spelt. Nobody may accept their
 * own emergency action.
 */
export const isBrokenBy = ({ brokenBy }: Review, name: string): boolean =>
  brokenBy !== undefined && brokenBy.trim().toLowerCase() === name.trim().toLowerCase()

const bindingOf = (terms: DecisionTerms.DecisionTerms, { context, occurrence, requestHash, tool }: Asked): string => {
  const bound = {
    context: context ?? null,
    occurrence,
    pack: terms.pack?.digest ?? null,
    requestHash,
    run: [terms.run.tenant, terms.run.id],
    tool
  }
  return Digest.ofBytes(`backstitch.approval.1\n${Canonical.encode(bound)}`)
}

/** Names an approval of another call of the tool, which does not count here, so that a person sees the difference. */
const elsewhere = (state: State, { needs, requestHash, tool }: Asked): Check.Check => {
  for (const [id, review] of of(state)) {
    if (review.tool !== tool || review.verdict !== "approved") continue
    const code = review.requestHash === requestHash ? "approval.other_binding" : "approval.other_arguments"
    return Check.fail("approval", tool, code, { needs, review: id })
  }
  return Check.fail("approval", tool, "approval.missing", { needs })
}

/** Finds the approval that was given, not used, and is most like the one asked for; of several, the latest. */
const mismatchOf = (terms: DecisionTerms.DecisionTerms, state: State, asked: Asked): Mismatch | undefined => {
  const { occurrence, requestHash, tool } = asked
  const calls = BudgetUse.callsOf(BudgetUse.of(state), tool)
  const unused = [...of(state)].filter(
    ([, review]) =>
      review.tool === tool && review.verdict === "approved" && review.bound !== undefined && review.calls === calls
  )
  // Under another pack, the same call may need another context.
  const isSame = ([, review]: (typeof unused)[number]): boolean =>
    review.requestHash === requestHash && review.bound?.occurrence === occurrence
  const same = unused.findLast(isSame)
  const [approval, review] = same ?? unused.at(-1) ?? []
  if (approval === undefined) return undefined
  const isAmended = same !== undefined && review?.bound?.pack !== terms.pack?.digest
  return { approval, finding: isAmended ? "policy_version_mismatch" : "approval_token_mismatch" }
}

const pendingOf = ({ needs, tool }: Asked): Check.Check => Check.fail("approval", tool, "approval.pending", { needs })

const denied = ({ needs, tool }: Asked, { by = "", role = "" }: Review): Check.Check =>
  Check.fail("approval", tool, "approval.denied", { by, needs, role })
