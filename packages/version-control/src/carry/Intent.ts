/**
 * Reads intents of agents from the transitions that committed them, so that they can be proposed again elsewhere.
 *
 * @source Dendrer, section 3.2
 */

import * as ActionId from "@backstitch/trace/ActionId"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Payload from "../payload/Payload.ts"

/**
 * An intent.
 *
 * **Details**
 *
 * `subjects` names the contracts that govern it: first the tool or type, then the others. `action` is the input of
 * its context hash. A tool call has `tool` and `params`, any other intent has `data`.
 */
export interface Intent {
  readonly type: Ontology.TypeName
  readonly subjects: readonly [string, ...ReadonlyArray<string>]
  readonly action: JsonObject
  readonly tool?: string
  readonly params?: Json
  readonly data?: JsonObject
  readonly dependsOn: ReadonlyArray<string>
  readonly contextHash?: string
  readonly occurrence?: number
  readonly occurrenceBy?: "instance" | "plan" | "user"
  readonly command?: string
  readonly agent?: string
  readonly description?: string
  readonly confidence?: number
  readonly uncertainty?: string
}

/** Error for a transition that is no intent. */
export class NotAnIntent extends Schema.TaggedError<NotAnIntent>("@backstitch/version-control/NotAnIntent")(
  "NotAnIntent",
  {
    run: Schema.String,
    tick: Schema.Natural,
    type: Schema.String,
    author: Schema.String,
    action: Schema.optionalKey(Schema.String)
  }
) {
  override get message(): string {
    const request = ActionId.tickOf(this.action ?? "")
    // A request by the kernel, such as the reversal of an act, is no proposal either.
    const instead =
      request === undefined || request === this.tick
        ? "Name the tick of a proposal of the agent, such as action.request, plan.update or observation.add"
        : `It belongs to the request at tick ${request}: name ${this.run}@${request}`
    return `Tick ${this.tick} of ${this.run} is ${this.type}, written by the ${this.author}, and no intent. ${instead}`
  }
}

/** Reads the intent of a transition. */
export const of = (
  run: string,
  { body, tick }: Pick<Transition, "body" | "tick">
): Result.Result<Intent, NotAnIntent> => {
  const { action, author, type } = body
  const isRequest = type === "action.request"
  const isOurs = Ontology.isType(type)
  if (
    author !== "agent" ||
    (isOurs && !Ontology.mayAuthor("agent", type)) ||
    (isRequest && action?.tool === undefined)
  ) {
    return Result.fail(
      new NotAnIntent({ run, tick, type, author, ...(action === undefined ? {} : { action: action.id }) })
    )
  }
  const data = dataOf(body)
  const params = action?.params ?? {}
  const tool = action?.tool ?? ""
  const { command, contextHash, dependsOn = [], description, occurrence, occurrenceBy } = body.intent ?? {}
  return Result.succeed({
    type,
    subjects: isRequest ? [tool, type] : [type],
    ...(isRequest ? { action: { params, tool }, params, tool } : { action: data, data }),
    dependsOn,
    ...defined({
      contextHash,
      occurrence,
      occurrenceBy,
      command,
      description,
      agent: body.agent,
      confidence: body.confidence,
      uncertainty: body.uncertainty
    })
  })
}

/** The data as proposed, without the trust that the kernel added to an observation. */
const dataOf = (body: Body): JsonObject => {
  const noted = Payload.of(body, "observation.add")
  if (noted === undefined) return body.data ?? {}
  const { trust: _, ...proposed } = noted
  return proposed
}
