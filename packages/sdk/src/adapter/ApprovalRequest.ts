/**
 * Requests for approval under the names that a framework gives to calls, and the digest of what was asked about.
 *
 * A framework hands a person's yes back with arguments that came through other hands. So a call is asked about under a
 * name that holds the digest of its arguments, and the yes counts for exactly these.
 */
import * as Quantise from "@backstitch/contracts/Quantise"
import * as Sensitive from "@backstitch/contracts/Sensitive"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import * as Payload from "@backstitch/kernel/Payload"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as PlannerContext from "@backstitch/runtime/PlannerContext"
import type * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Effect from "effect/Effect"
import type { Run } from "../run/Run.ts"
import type { JsonObject } from "../values/Json.ts"
import * as InsideRun from "./insideRun.ts"

/** A call as a framework names it. */
export interface NamedCall {
  /** The name of the call in the framework. */
  readonly call: string
  readonly tool: string
  readonly args: JsonObject
}

/** A request for approval that is on record. */
export interface ApprovalRequest {
  readonly review: string
  readonly tool: string
  readonly tick: number
  /** The name under which the call was proposed: that of the framework, and the digest. */
  readonly callId: string
}

/**
 * The name under which a call is proposed: that of the framework, and the digest of the tool and its arguments. The
 * arguments are taken as they are recorded. Sensitive ones are left out of the digest, which stands in clear; the
 * record binds the approval to them as well.
 */
export const callIdOf = async (run: Run, { args, call, tool }: NamedCall): Promise<string> => {
  const { handle, session } = InsideRun.of(run)
  return session.run(
    Effect.gen(function* () {
      const pack = yield* packOf(handle)
      const input = Field.object(TaskPack.tool(pack, tool).input)
      const params = openly(input, Quantise.value(input, args as Canonical.Json))
      return `${call}:${Digest.ofJson("backstitch.request.1", { params, tool })}`
    })
  )
}

/** The latest request for approval of a call by its name in the framework; `undefined` if nobody was asked. */
export const approvalRequestOf = async (run: Run, call: string): Promise<ApprovalRequest | undefined> => {
  const { handle, session } = InsideRun.of(run)
  return session.run(
    Effect.gen(function* () {
      yield* handle.flush
      const history = yield* History.History
      const transitions = yield* history.transitions(handle.run, { from: 1 })
      return transitions
        .flatMap(({ body, tick }): ReadonlyArray<ApprovalRequest> => {
          const { review, tool = "" } = Payload.of(body, "policy.decision") ?? {}
          const callId = body.intent?.command
          if (review === undefined || callId?.startsWith(`${call}:`) !== true) return []
          return [{ review, tool, tick, callId }]
        })
        .at(-1)
    })
  )
}

/** The roles of which one may have to approve calls of a tool; `undefined` if no call needs an approval. */
export const approversOf = async (run: Run, tool: string): Promise<ReadonlyArray<string> | undefined> => {
  const { handle, session } = InsideRun.of(run)
  const pack = await session.run(packOf(handle))
  const offer = PlannerContext.tools(pack).find(({ name }) => name === tool)
  return offer === undefined ? ["operator"] : offer.needs
}

const packOf = Effect.fnUntraced(function* (handle: InsideRun.InsideRun["handle"]) {
  const library = yield* PackLibrary.PackLibrary
  const { state, tick } = yield* handle.standing
  return yield* library.folding(() => library.packAt(state, tick + 1))
})

/** A value whose sensitive parts are left out. */
const openly = (input: Field.Field, value: Canonical.Json): Canonical.Json =>
  Sensitive.replace(
    input,
    value,
    Sensitive.find(input, value, {}).map(() => "sensitive")
  )
