/**
 * Requests for approval: what a person is asked about a call, and what a yes permits.
 *
 * A framework hands a person's yes back with arguments that came through other hands. So a call is named after what the
 * framework calls it and the digest of its arguments, and a yes counts for the request on record with that digest.
 *
 * No sensitive value stands in clear in a request, a name or a digest. Arguments are taken as they are committed, with
 * sensitive values sealed, and a digest of sealed values tells nobody their values.
 */
import * as Approvers from "@backstitch/kernel/Approvers"
import * as Payload from "@backstitch/kernel/Payload"
import * as IdempotencyKey from "@backstitch/ledger/IdempotencyKey"
import * as ApprovalTerms from "@backstitch/runtime/ApprovalTerms"
import * as PlannerView from "@backstitch/runtime/PlannerView"
import type * as Canonical from "@backstitch/trace/Canonical"
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
  /** The digest of the tool and these arguments. A yes counts for no others. */
  readonly digest: string
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
      const transitions = yield* handle.transitions(1)
      const asked = transitions.findLast(({ body }) => isFor(body, call))
      return asked === undefined ? undefined : yield* requestIn(asked.body, { run: run.id, call, transitions })
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
  readonly run: string
  readonly call: string
  readonly transitions: ReadonlyArray<Transition>
}

/** Tells whether a body asks a person about a call, by its name in the framework and its digest. */
const isFor = (body: Body, call: string): boolean => {
  const { params = {}, review, tool = "" } = Payload.of(body, "policy.decision") ?? {}
  return review !== undefined && body.intent?.command === nameOf(call, digestOf(tool, params))
}

/** Reads the request for approval of a call from the body that asks for it. */
const requestIn = Effect.fnUntraced(function* (body: Body, { call, run, transitions }: Wanted) {
  const { needs = [], params = {}, review = "", tool = "", why } = Payload.of(body, "policy.decision") ?? {}
  const { expiresMillis } = askedIn(transitions, review) ?? {}
  const terms = yield* ApprovalTerms.of({ tool, why, expiresMillis })
  const request: ApprovalRequest = {
    run,
    review,
    call,
    tool,
    args: params as JsonObject,
    digest: digestOf(tool, params),
    needs,
    why: terms.why,
    permits: terms.permits,
    ...(expiresMillis === undefined ? {} : { expiresMillis })
  }
  return request
})

const askedIn = (transitions: ReadonlyArray<Transition>, wanted: string) =>
  transitions.map(({ body }) => Payload.of(body, "review.requested")).findLast((asked) => asked?.review === wanted)
