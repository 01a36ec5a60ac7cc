/**
 * Carries a call out, or settles the one that was begun before.
 *
 * A call whose contract would no longer recognise earlier acts is refused, and so is one that no code of this process
 * carries out. One that is begun and not settled is asked about first, in whichever run it was begun. Only then is the
 * call proposed again, and the record answers it.
 */
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as ToolIdentity from "@backstitch/runtime/ToolIdentity"
import * as Effect from "effect/Effect"
import { BackstitchError } from "../failures/Failures.ts"
import * as KernelOutcomes from "../values/kernelOutcomes.ts"
import * as NextSteps from "../values/nextSteps.ts"
import type { Refused } from "../values/Outcome.ts"
import { using } from "./currentTools.ts"
import * as PackInForce from "./packInForce.ts"
import * as RepeatedName from "./repeatedName.ts"
import type { Session } from "./Session.ts"

/** A call: where it is recorded, who carries it out, and what is proposed. */
export interface GuardedCall {
  readonly handle: RunHandle.RunHandle
  readonly executor: ToolExecutor.ToolExecutor["Service"]
  readonly proposal: Proposal
  /** The earlier identity that the owner of the tool gives up. */
  readonly identityBefore?: string | undefined
}

/** The count of an intended repetition. The caller answers for it. */
export const counted = (occurrence: number | undefined): Pick<Proposal, "occurrence" | "occurrenceBy"> =>
  occurrence === undefined ? {} : { occurrence, occurrenceBy: "user" }

/** Carries a call out as far as possible now. */
export const settle = Effect.fnUntraced(function* (session: Session, attempt: GuardedCall) {
  yield* recognised(attempt)
  const missing = yield* codeless(attempt)
  if (missing !== undefined) return missing
  yield* RepeatedName.refuse(attempt.handle, attempt.proposal)
  const { at, found } = yield* carriedOut(session, attempt)
  yield* RepeatedName.refuseAnswer(attempt.handle, attempt.proposal, found)
  return yield* KernelOutcomes.ofCall(at, found)
})

/**
 * Refuses a call that no code of this process carries out, before a person is asked to approve it in vain. Where the
 * run knows acts of the tool, the record may answer, and the call is proposed.
 */
const codeless = Effect.fnUntraced(function* ({ executor, handle, proposal: { tool = "" } }: GuardedCall) {
  if (executor.has === undefined || executor.has(tool)) return undefined
  const { state } = yield* handle.standing
  const acts = [...Object.values(OpenActions.of(state)), ...SettledActions.inOrder(state).map(([, each]) => each)]
  if (acts.some((each) => each?.tool === tool)) return undefined
  const pack = yield* PackInForce.of(handle)
  const isDeclared = pack !== undefined && Object.hasOwn(pack.tools, tool)
  const refused: Refused = {
    status: "refused",
    run: handle.run.id,
    why: `this program has no tool ${tool}`,
    next: [
      isDeclared
        ? NextSteps.codeOf(tool)
        : NextSteps.told({ verb: "amend", say: "call a tool that this program was given" })
    ]
  }
  return refused
})

/** Carries a call out, or settles the act that holds it; answers the run that its outcome is about. */
const carriedOut = Effect.fnUntraced(function* (session: Session, { executor, handle, proposal }: GuardedCall) {
  const propose = using(executor)(handle.propose(proposal))
  let found = yield* propose
  // The action that holds it may have been settled by another process, or by a person.
  if (found._tag === "Held" && (yield* handle.catchUp)) found = yield* propose
  if (found._tag === "Held") {
    // An act of another call with this name is not waited for.
    yield* RepeatedName.refuse(handle, proposal)
    const at = found.run === undefined ? handle : yield* session.runs.use(session.name(found.run), undefined)
    if (at !== handle) yield* at.catchUp
    const settled = yield* using(executor)(at.settle(found.action))
    if (settled?._tag === "Held") return { at, found: settled }
    found = yield* propose
  }
  return { at: handle, found }
})

/** Refuses a call under which no act of before would be recognised. */
const recognised = Effect.fnUntraced(function* ({ handle, identityBefore, proposal }: GuardedCall) {
  const pack = yield* PackInForce.of(handle)
  if (pack === undefined || proposal.tool === undefined) return
  const { run } = handle
  yield* ToolIdentity.take({ tenant: run.tenant, pack, tool: proposal.tool, before: identityBefore }).pipe(
    Effect.catchTag("IdentityDiffers", (cause) => Effect.fail(identityDiffers(run.id, cause))),
    Effect.catchTag("IdentityInUse", (cause) => Effect.fail(identityInUse(cause)))
  )
})

const identityDiffers = (run: string, cause: ToolIdentity.IdentityDiffers): BackstitchError => {
  const { before, given, known, tool } = cause
  const message =
    `The acts of ${tool} were told apart by "${known}", and by its contract of today they would be by "${given}". None ` +
    "of them would be recognised, and each could be done again, so nothing was sent. Undo the change. Or settle what " +
    "is open and give the tool of today a name of its own. Or, if none of these acts is open or called again, add " +
    `identityBefore: ${JSON.stringify(before)}`
  return new BackstitchError({ code: "identity_differs", message, run, cause })
}

const identityInUse = (cause: ToolIdentity.IdentityInUse): BackstitchError => {
  const { action, message, run } = cause
  const said = `${message}: call it as before, or resolve it by a person`
  return new BackstitchError({ code: "identity_differs", message: said, run, action, cause })
}
