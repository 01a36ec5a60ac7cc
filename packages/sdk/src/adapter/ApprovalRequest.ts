/**
 * Requests for approval: what a person is asked about a call, and what a yes permits.
 *
 * A framework hands a person's yes back with arguments that came through other hands. So a call is named after what the
 * framework calls it and the digest of its arguments, and a yes counts for the request on record with that digest.
 *
 * No sensitive value stands in clear in a request, a name or a digest. Arguments are taken as they are committed, with
 * sensitive values sealed, and a digest of sealed values tells nobody their values.
 */
import * as Duration from "@backstitch/contracts/Duration"
import * as Payload from "@backstitch/kernel/Payload"
import * as IdempotencyKey from "@backstitch/ledger/IdempotencyKey"
import * as PlannerView from "@backstitch/runtime/PlannerView"
import type * as Canonical from "@backstitch/trace/Canonical"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import * as Wording from "@backstitch/wording/Wording"
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
    Effect.map(handle.transitions(1), (transitions) =>
      transitions.reduce<ApprovalRequest | undefined>(
        (latest, { body }) => requestIn(body, { run: run.id, call, transitions }) ?? latest,
        undefined
      )
    )
  )
}

/** The roles of which one may have to approve calls of a tool; `undefined` if no call needs an approval. */
export const approversOf = async (run: Run, tool: string): Promise<ReadonlyArray<string> | undefined> => {
  const { handle, session } = OpenHandle.of(run)
  const { pack, state } = await session.run(PackInForce.withState(handle))
  const offer = PlannerView.tools(pack, state).find(({ name }) => name === tool)
  return offer === undefined ? ["operator"] : offer.needs
}

const digestOf = (tool: string, params: Canonical.Json): string => IdempotencyKey.requestHash(tool, params)

const nameOf = (call: string, digest: string): string => `${call}:${digest}`

interface Wanted {
  readonly run: string
  readonly call: string
  readonly transitions: ReadonlyArray<Transition>
}

/** Reads a request for approval of a call; `undefined` if a body asks for none. */
const requestIn = (body: Body, { call, run, transitions }: Wanted): ApprovalRequest | undefined => {
  const { needs = [], params = {}, review, tool = "", why } = Payload.of(body, "policy.decision") ?? {}
  if (review === undefined || body.intent?.command === undefined) return undefined
  const digest = digestOf(tool, params)
  if (body.intent.command !== nameOf(call, digest)) return undefined
  const { expiresMillis } = askedIn(transitions, review) ?? {}
  const lasts = expiresMillis === undefined ? {} : { lasts: Duration.format(expiresMillis) }
  return {
    run,
    review,
    call,
    tool,
    args: params as JsonObject,
    digest,
    needs,
    why: Wording.tell(why),
    permits: English.words.approvals.permits({ tool, ...lasts }),
    ...(expiresMillis === undefined ? {} : { expiresMillis })
  }
}

const askedIn = (transitions: ReadonlyArray<Transition>, wanted: string) =>
  transitions.map(({ body }) => Payload.of(body, "review.requested")).findLast((asked) => asked?.review === wanted)
