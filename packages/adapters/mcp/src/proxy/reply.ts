/**
 * The response that a client is given for a call under contract.
 *
 * A success is the server's own answer, byte for byte. Everything else is a result of the tool that says what
 * happened and what to do: models are shown results, and rarely errors of the protocol.
 */
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Next } from "@backstitch/wording/Next"
import * as NextStep from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as JsonRpc from "../message/JsonRpc.ts"
import * as ToolAnswer from "../message/ToolAnswer.ts"
import { inputRequired } from "./ServerTools.ts"
import type { Call } from "./Session.ts"

/** The field of `_meta` in which programs find the outcome. */
export const field = "backstitch/outcome"

/** The words of replies: the lexicon, and the spelling of next steps by the app. */
export interface Voice {
  readonly run: string
  readonly words: Words
  readonly spell: (step: Next) => string
}

/** Makes the response to a call from its outcome. */
export const of = (outcome: Outcome, call: Call, voice: Voice): JsonRpc.Frame => {
  const own = call.answer()
  switch (outcome._tag) {
    case "Done":
      if (outcome.adopted !== undefined) return recorded(outcome, call, voice)
      return own !== undefined && isSuccess(own) ? own : found(outcome, call, voice)
    case "Failed": {
      if (own !== undefined && !isSuccess(own)) return own
      if (outcome.mayStand === true) {
        const says = `A person gave this up, and it may have happened nevertheless: ${Wording.why(outcome, voice.words)}.`
        return told(outcome, call, voice, says, "Do not do the same in another way.")
      }
      const said =
        own === undefined ? "" : "The tool answered that it was done, and the system of record shows that it was not. "
      return told(outcome, call, voice, `${said}This did not happen: ${Wording.why(outcome, voice.words)}.`)
    }
    case "Refused":
      return told(outcome, call, voice, `Refused, and nothing was sent: ${Wording.why(outcome, voice.words)}.`)
    case "Parked": {
      const says = `A person has to decide first, and nothing was sent: ${Wording.why(outcome, voice.words)}.`
      return told(outcome, call, voice, says, "Then call the tool again with exactly the same arguments.")
    }
    case "Held": {
      const says = `Nobody knows yet whether this happened: ${Wording.why(outcome, voice.words)}.`
      return told(outcome, call, voice, says, "Do not do the same in another way: it may have happened already.")
    }
  }
}

/** Makes the response for a call that is stopped before it is decided. */
export const stopped = (id: JsonRpc.Id, says: string): JsonRpc.Frame =>
  JsonRpc.success(id, { ...ToolAnswer.text(says), isError: true, _meta: { [field]: { status: "stopped" } } })

/** An act that was done before is answered from the record, and the answer says so. */
const recorded = (
  { adopted, output, tick }: Outcome & { readonly _tag: "Done" },
  { id }: Call,
  { run }: Voice
): JsonRpc.Frame => {
  const { action, run: by } = adopted!
  const result = ToolAnswer.fromEvidence(output)
  const where = by === run ? "" : ` of run ${by}`
  const says = `This was done before${action === undefined ? "" : `, as action ${action}${where}`}: this is the answer on record, and nothing was sent again.`
  const about = { status: "done", run, basis: "recorded", tick, ...(action === undefined ? {} : { action }) }
  return JsonRpc.success(id, withText(result, says, about))
}

/** An act whose answer was lost, and that the system of record shows. */
const found = (
  { basis, output, tick }: Outcome & { readonly _tag: "Done" },
  { id }: Call,
  { run }: Voice
): JsonRpc.Frame => {
  const says = "The tool gave no answer that can be used. The system of record was asked, and shows that this is done."
  return JsonRpc.success(id, withText(ToolAnswer.fromEvidence(output), says, { status: "done", run, basis, tick }))
}

const withText = (result: JsonObject, says: string, about: JsonObject): JsonObject => {
  const { _meta: meta, content = [] } = result
  const known = JsonRpc.isObject(meta) ? meta : {}
  const before = Array.isArray(content) ? (content as ReadonlyArray<Json>) : []
  return { ...result, content: [...before, { type: "text", text: says }], _meta: { ...known, [field]: about } }
}

const told = (
  outcome: Exclude<Outcome, { readonly _tag: "Done" }>,
  call: Call,
  voice: Voice,
  ...says: ReadonlyArray<string>
) => {
  const { run, spell, words } = voice
  const at = {
    run,
    ...("action" in outcome ? { action: outcome.action } : {}),
    ...("review" in outcome ? { review: outcome.review } : {})
  }
  const given = outcome._tag === "Failed" ? [] : Wording.next(outcome, words)
  const steps = given.map((step) => NextStep.about(decided(step, outcome), at))
  const [first = "", ...rest] = says
  const spelled = steps.map(spell).filter((step) => step !== "")
  const text = [first, ...(spelled.length === 0 ? [] : [`Next: ${spelled.join("; ")}.`]), ...rest].join("\n")
  const about = {
    status: outcome._tag.toLowerCase(),
    ...at,
    ...(outcome.tick === undefined ? {} : { tick: outcome.tick })
  }
  const next = steps.map((step) => ({ ...step, command: spell(step) }) as JsonObject)
  return JsonRpc.success(call.id, {
    ...ToolAnswer.text(text),
    isError: true,
    _meta: { [field]: { ...about, ...(next.length === 0 ? {} : { next }) } }
  })
}

/** A step by which a person decides names the roles that may. */
const decided = (step: Next, outcome: Outcome): Next =>
  step.verb === "decide" && outcome._tag === "Parked" ? { ...step, needs: outcome.needs } : step

const isSuccess = ({ message }: JsonRpc.Frame): boolean =>
  message?._tag === "Response" &&
  message.result !== undefined &&
  message.result["isError"] !== true &&
  message.result["resultType"] !== inputRequired
