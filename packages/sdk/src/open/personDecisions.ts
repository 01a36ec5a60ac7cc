/** Calls and actions that wait for people, and their decisions. */
import * as HeldActions from "@backstitch/runtime/HeldActions"
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import type { Json } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as Effect from "effect/Effect"
import type { DecidedBy } from "../run/Person.ts"
import type { Decision, HeldAction, PendingApproval } from "../run/Views.ts"
import type { Session } from "../session/Session.ts"
import type { JsonObject } from "../values/Json.ts"
import * as NextSteps from "../values/nextSteps.ts"
import { heldAction } from "./heldAction.ts"

/** Commits a yes or a no to a call that waits. */
export const decide = (
  session: Session,
  run: string,
  { digest, ...request }: Omit<ReviewDecision.DecisionRequest, "digest"> & Pick<DecidedBy, "digest">
): Promise<Decision> =>
  session.run(
    Effect.map(
      ReviewDecision.decide(session.name(run), { ...request, digest: digest as Digest | undefined }),
      ({ next, ok, why = "" }) => ({ ok, run, why, next: NextSteps.of([next], { run, review: request.review }) })
    )
  )

/** Commits the settlement of a held action. */
export const resolve = (
  session: Session,
  run: string,
  { record, ...said }: Omit<ReviewDecision.Settlement, "record"> & { readonly record?: unknown }
): Promise<Decision> =>
  session.run(
    Effect.map(
      ReviewDecision.settle(session.name(run), { ...said, record: record as Json | undefined }),
      ({ next, ok, why = "" }) => ({ ok, run, why, next: NextSteps.of(next, { run, action: said.action }) })
    )
  )

/** Lists the calls that wait for a person. */
export const approvals = (session: Session): Promise<ReadonlyArray<PendingApproval>> =>
  session.run(
    Effect.map(PendingApprovals.ofTenant(session.tenant), (all) =>
      all.map(({ changed, digest, needs, params, permits, review, run, since, tool, why }) => ({
        run,
        review,
        tool,
        args: params,
        needs,
        why,
        permits,
        digest,
        since,
        changed: changed as ReadonlyArray<object> as ReadonlyArray<JsonObject>
      }))
    )
  )

/** Lists the actions that are held. */
export const held = (session: Session, run: string | undefined): Promise<ReadonlyArray<HeldAction>> =>
  session.run(
    Effect.map(HeldActions.list(session.tenant, run === undefined ? undefined : session.name(run)), (all) =>
      all.map((each) => heldAction(each.run, each))
    )
  )
