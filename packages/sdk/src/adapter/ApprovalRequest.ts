/**
 * Requests for approval: what a person is asked about a call, and what a yes permits.
 *
 * A framework hands a person's yes back with arguments that came through other hands. So a call is named after what the
 * framework calls it and the digest of its arguments, and a yes counts for the request on record with that digest.
 * The same call is asked about again after its approval has expired, so each question has a digest, too.
 *
 * No sensitive value stands in clear in a request, a name or a digest. Arguments are taken as they are committed, with
 * sensitive values sealed, and a digest of sealed values tells nobody their values.
 */
import * as Approvers from "@backstitch/kernel/Approvers"
import * as Payload from "@backstitch/kernel/Payload"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as IdempotencyKey from "@backstitch/ledger/IdempotencyKey"
import * as ApprovalTerms from "@backstitch/runtime/ApprovalTerms"
import * as PlannerView from "@backstitch/runtime/PlannerView"
import type * as Canonical from "@backstitch/trace/Canonical"
import type { Run as RunAddress } from "@backstitch/trace/Run"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import type { Run } from "../run/Run.ts"
import * as CommittedArgs from "../session/committedArgs.ts"
import * as PackInForce from "../session/packInForce.ts"
import type { JsonObject } from "../values/Json.ts"
import * as OpenHandle from "./openHandle.ts"

/** A tool and its arguments. */
export interface Requested {
  readonly tool: string
  readonly args: JsonObject
}

/** A call as a framework names it. */
export interface NamedCall extends Requested {
  /** The name of the call in the framework. */
  readonly call: string
}

/** A call that a person is asked about, as it is on record. */
export interface ApprovalRequest extends NamedCall {
  readonly run: string
  /** The name under which the request is decided. */
  readonly review: string
  /** The arguments that would be sent. Sensitive ones are sealed. */
  readonly args: JsonObject
  /** The digest of the tool and these arguments, the same each time that they are asked about. */
  readonly digest: string
  /**
   * The digest of this question, another one each time the call is asked about: the `digest` that a decision names,
   * and that `approvals` lists.
   */
  readonly question: string
  /** The decision on this question; absent while it waits. */
  readonly verdict?: "approved" | "denied"
  /** The roles of which one has to decide. */
  readonly needs: ReadonlyArray<string>
  readonly why: string
  /** A sentence that says how far a yes goes. */
  readonly permits: string
  /** The time for which a yes counts once it is given; absent if it does not expire. */
  readonly expiresMillis?: number
}

/**
 * The digest of a call as it would be committed: other arguments have another one, also where they are sensitive.
 * `undefined` if they cannot be committed, as with a sealed value that was erased.
 */
export const requestDigestOf = async (run: Run, { args, tool }: Requested): Promise<string | undefined> => {
  const { handle, session } = OpenHandle.of(run)
  const params = await session.run(CommittedArgs.of(handle, { tool, params: args as Canonical.Json }))
  return params === undefined ? undefined : digestOf(tool, params)
}

/** The name under which a call is proposed: that of the framework, and the digest of the tool and its arguments. */
export const callIdOf = async (run: Run, { call, ...requested }: NamedCall): Promise<string> =>
  // A call that cannot be committed is refused, whatever its name.
  nameOf(call, (await requestDigestOf(run, requested)) ?? "")

/** The latest request for approval of a call by its name in the framework; `undefined` if nobody was asked. */
export const approvalRequestOf = async (run: Run, call: string): Promise<ApprovalRequest | undefined> => {
  const { handle, session } = OpenHandle.of(run)
  return session.run(
    Effect.gen(function* () {
      // A decision is committed by whoever takes it, which may be another process.
      yield* handle.catchUp
      const transitions = yield* handle.transitions(1)
      const asked = transitions.findLast(({ body }) => isFor(body, call))
      return asked === undefined ? undefined : yield* requestIn(asked.body, { run: handle.run, call, transitions })
    })
  )
}

/** The roles of which one may have to approve calls of a tool; `undefined` if no call needs an approval. */
export const approversOf = async (run: Run, tool: string): Promise<ReadonlyArray<string> | undefined> => {
  const { handle, session } = OpenHandle.of(run)
  const { pack, state } = await session.run(PackInForce.withState(handle))
  const offer = PlannerView.tools(pack, state).find(({ name }) => name === tool)
  return offer === undefined ? [Approvers.byDefault] : offer.needs
}

const digestOf = (tool: string, params: Canonical.Json): string => IdempotencyKey.requestHash(tool, params)

const nameOf = (call: string, digest: string): string => `${call}:${digest}`

interface Wanted {
  readonly run: RunAddress
  readonly call: string
  readonly transitions: ReadonlyArray<Transition>
}

/** Tells whether a body asks a person about a call, by its name in the framework and its digest. */
const isFor = (body: Body, call: string): boolean => {
  const { params = {}, review, tool = "" } = Payload.of(body, "policy.decision") ?? {}
  return review !== undefined && body.intent?.command === nameOf(call, digestOf(tool, params))
}

/** Reads the request for approval of a call from the body that asks for it, with the latest question of its review. */
const requestIn = Effect.fnUntraced(function* (body: Body, { call, run, transitions }: Wanted) {
  const { needs = [], params = {}, review = "", tool = "", why } = Payload.of(body, "policy.decision") ?? {}
  const asked = askedIn(transitions, review)
  if (asked === undefined) return undefined
  const { expiresMillis } = asked.data
  const terms = yield* ApprovalTerms.of({ tool, why, expiresMillis })
  const verdict = verdictIn(transitions, { review, after: asked.tick })
  const request: ApprovalRequest = {
    run: run.id,
    review,
    call,
    tool,
    args: params as JsonObject,
    digest: digestOf(tool, params),
    question: Reviews.digestOf(run, review, Reviews.questionOf(asked.data, asked.tick)),
    ...(verdict === undefined ? {} : { verdict }),
    needs,
    why: terms.why,
    permits: terms.permits,
    ...(expiresMillis === undefined ? {} : { expiresMillis })
  }
  return request
})

/** The decision on a review after a tick. */
const verdictIn = (
  transitions: ReadonlyArray<Transition>,
  { after, review }: { readonly review: string; readonly after: number }
): ApprovalRequest["verdict"] => {
  const decisions = transitions.flatMap(({ body, tick }) => {
    const { review: about, verdict } = Payload.of(body, "review.decided") ?? {}
    return about === review && tick > after && (verdict === "approved" || verdict === "denied") ? [verdict] : []
  })
  return decisions[0]
}

/** The latest request of a review, with its tick. */
const askedIn = (transitions: ReadonlyArray<Transition>, wanted: string) =>
  transitions
    .flatMap(({ body, tick }) => {
      const data = Payload.of(body, "review.requested")
      return data?.review === wanted ? [{ data, tick }] : []
    })
    .at(-1)
