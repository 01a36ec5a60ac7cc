/**
 * Approvals as interrupts of a graph, bound to one tool, its arguments, and the question that a person was shown.
 *
 * A graph is resumed with whatever value its caller has, and keeps these values in its checkpoints. So a verdict has
 * to carry the digests of what would be sent and of the question, and counts for exactly that. `true`, a name, a
 * verdict about other arguments, or one about an approval that has expired approves nothing.
 */
import type { ApprovalRequest as Request } from "@backstitch/sdk/adapter"

/**
 * A call that waits for a person, as the value of an interrupt. `call` is its id in the message of the model. A graph
 * keeps it in its checkpoints, so sensitive arguments are sealed in it.
 */
export interface ApprovalRequest extends Request {
  readonly kind: "backstitch.approval"
  /** Says why a verdict that the graph was resumed with did not count, if it named another call. */
  readonly refused?: string
}

/** The decision of a person about a request, as the value with which the graph is resumed. */
export interface GraphDecision {
  readonly kind: "backstitch.verdict"
  readonly verdict: "approved" | "denied"
  readonly review: string
  readonly call: string
  /** The digest of the tool and its arguments. */
  readonly digest: string
  /** The digest of the question that the person was shown. */
  readonly question: string
  readonly by: string
  readonly role?: string | undefined
  readonly reason?: string | undefined
}

/** The person who decides, and in which role. */
export interface Person {
  readonly by: string
  readonly role?: string | undefined
  readonly reason?: string | undefined
}

/**
 * Approves what an interrupt asks for.
 *
 * **Example** (Resuming a graph)
 *
 * ```ts
 * const { tasks } = await graph.getState(config)
 * const request = tasks[0]?.interrupts[0]?.value as ApprovalRequest
 * await graph.invoke(new Command({ resume: approve(request, { by: "Grace", role: "manager" }) }), config)
 * ```
 */
export const approve = (request: ApprovalRequest, person: Person): GraphDecision => verdict(request, "approved", person)

/** Denies what an interrupt asks for. */
export const deny = (request: ApprovalRequest, person: Person): GraphDecision => verdict(request, "denied", person)

/** Tells whether a value is a verdict. It may come over a wire, so nothing is assumed of it. */
export const isVerdict = (value: unknown): value is GraphDecision => {
  const { by, call, digest, kind, question, review, verdict } = (value ?? {}) as { readonly [field: string]: unknown }
  const isTexts = [by, call, digest, question, review].every((each) => typeof each === "string" && each !== "")
  return kind === "backstitch.verdict" && isTexts && (verdict === "approved" || verdict === "denied")
}

/** Tells whether the value of an interrupt asks for an approval. */
export const isRequest = (value: unknown): value is ApprovalRequest =>
  ((value ?? {}) as { readonly kind?: unknown }).kind === "backstitch.approval"

const verdict = (
  { call, digest, question, review }: ApprovalRequest,
  verdict: GraphDecision["verdict"],
  { by, reason, role }: Person
): GraphDecision => ({
  kind: "backstitch.verdict",
  verdict,
  review,
  call,
  digest,
  question,
  by,
  ...(role === undefined ? {} : { role }),
  ...(reason === undefined ? {} : { reason })
})
