/**
 * The response that a client is given for a call under contract.
 *
 * A success is the server's own answer, byte for byte. Everything else is a result of the tool that says what
 * happened and what to do: models are shown results, and rarely errors of the protocol.
 */
import type * as Finding from "@backstitch/kernel/Finding"
import type { Failed, Outcome } from "@backstitch/kernel/Outcome"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import * as Limits from "../Limits.ts"
import * as JsonRpc from "../message/JsonRpc.ts"
import * as ToolResult from "../message/ToolResult.ts"
import * as NextSteps from "./nextSteps.ts"
import type { ClientCall } from "./Relay.ts"
import { inputRequired } from "./ServerTools.ts"

/** The field of `_meta` in which programs find the outcome. */
export const field = "backstitch/outcome"

/** The words of replies: the lexicon, and the spelling of next steps by the app. */
export type Voice = NextSteps.StepSpelling

/** Makes the response to a call from its outcome. */
export const of = (outcome: Outcome, call: ClientCall, voice: Voice): JsonRpc.Frame => {
  const own = call.answer()
  if (outcome._tag === "Done") {
    if (outcome.adopted !== undefined) return recorded(outcome, call, voice)
    return own !== undefined && isSuccess(own) ? own : found(outcome, call, voice)
  }
  if (outcome._tag === "Failed" && own !== undefined && !isSuccess(own)) return own
  return told(outcome, call, voice)
}

/** Makes the response for a call that is stopped before it is decided. */
export const stopped = (id: JsonRpc.Id, says: string): JsonRpc.Frame =>
  JsonRpc.success(id, {
    ...ToolResult.text(oneLine(says)),
    isError: true,
    _meta: { [field]: { status: "stopped" } }
  })

/** An act that was done before is answered from the record, and the answer says so. */
const recorded = (
  { adopted, output, tick }: Outcome & { readonly _tag: "Done" },
  { id }: ClientCall,
  { run }: Voice
): JsonRpc.Frame => {
  const { action, run: by } = adopted!
  const result = ToolResult.fromEvidence(output)
  const where = by === run ? "" : ` of run ${by}`
  const says = `This was done before${action === undefined ? "" : `, as action ${action}${where}`}: this is the answer on record, and nothing was sent again.`
  const about = { status: "done", run, basis: "recorded", tick, ...(action === undefined ? {} : { action }) }
  return JsonRpc.success(id, withText(result, says, about))
}

/** An act whose answer was lost, and that the system of record shows. */
const found = (
  { basis, output, tick }: Outcome & { readonly _tag: "Done" },
  { id }: ClientCall,
  { run }: Voice
): JsonRpc.Frame => {
  const says = "The tool gave no answer that can be used. The system of record was asked, and shows that this is done."
  return JsonRpc.success(id, withText(ToolResult.fromEvidence(output), says, { status: "done", run, basis, tick }))
}

const withText = (result: JsonObject, says: string, about: JsonObject): JsonObject => {
  const { _meta: meta, content = [] } = result
  const known = JsonRpc.isObject(meta) ? meta : {}
  const before = Array.isArray(content) ? (content as ReadonlyArray<Json>) : []
  return { ...result, content: [...before, { type: "text", text: says }], _meta: { ...known, [field]: about } }
}

/** An outcome that is no success. */
type Unsuccessful = Exclude<Outcome, { readonly _tag: "Done" }>

/** Says what happened, and what is not to be done. */
const saysOf = (outcome: Unsuccessful, call: ClientCall, { words }: Voice): ReadonlyArray<string> => {
  const why = Wording.why(outcome, words)
  switch (outcome._tag) {
    case "Failed":
      return outcome.lost === undefined ? failedAs(outcome, call, why) : lostAs(outcome.lost)
    case "Refused":
      return [`Refused, and nothing was sent: ${why}.`]
    case "Parked":
      return [`A person has to decide first, and nothing was sent: ${why}.`]
    case "Held":
      if (unsent.has(outcome.why.code)) return [`This waits: ${why}.`]
      return [`Nobody knows yet whether this happened: ${why}.`, ...answeredBy(call), notOtherwise]
  }
}

const notOtherwise = "Do not do the same in another way: it may have happened already."

/** Holds before anything was sent. */
const unsent: ReadonlySet<string> = new Set<Finding.Code>([
  "before.refrained",
  "before.reversal_unread",
  "before.unread"
])

const failedAs = (
  { mayStand }: Unsuccessful & { readonly _tag: "Failed" },
  call: ClientCall,
  why: string
): ReadonlyArray<string> => {
  if (mayStand === true) {
    return [
      `A person gave this up, and it may have happened nevertheless: ${why}.`,
      "Do not do the same in another way."
    ]
  }
  const said =
    call.answer() === undefined
      ? ""
      : "The tool answered that it was done, and the system of record shows that it was not. "
  return [`${said}This did not happen: ${why}.`]
}

/** An act that was done is told as one that was done, whatever has become of it since. */
const lostAs = ({ by, how }: NonNullable<Failed["lost"]>): ReadonlyArray<string> => {
  switch (how) {
    case "undone":
      return [`This was done before, and is undone since (action ${by}). Nothing was sent.`]
    case "doubtful":
      return [
        `This was done before, and undone in part (action ${by}): some of it may be left. Nothing was sent.`,
        "Do not do the same in another way."
      ]
    case "given_up":
      return [
        `This was done before. It was to be undone (action ${by}), and a person gave that up: it may stand. Nothing was sent.`,
        "Do not do the same in another way."
      ]
  }
}

/** The tool's own word, where it is no proof. */
const answeredBy = (call: ClientCall): ReadonlyArray<string> => {
  const own = call.answer()
  const result = own?.message?._tag === "Response" && isSuccess(own) ? own.message.result : undefined
  const text =
    result === undefined ? "" : ToolResult.textOf(result).slice(0, Limits.showing.ownAnswerCharactersMax).toWellFormed()
  return text === "" ? [] : [`The tool itself answered, which proves nothing: ${JSON.stringify(text)}`]
}

/** A line that begins as one of ours is ours: no text of a tool, a server or a model begins a line of its own. */
export const oneLine = (line: string): string => line.replace(/[\r\n\v\f\u0085\u2028\u2029]+/g, " ")

/** Says whether the same call, made again, leads on. */
const again = (
  { _tag }: Unsuccessful,
  { isCallable, isDecided, meanwhile }: NextSteps.Steps
): ReadonlyArray<string> => {
  const same = "call the tool again with exactly the same arguments"
  const until = [...(isDecided && _tag === "Held" ? ["the same call is answered like this"] : []), ...meanwhile]
  const waits = until.length === 0 ? [] : [`Until then ${until.join(", and ")}.`]
  if (isDecided) return [...waits, `Then ${same}.`]
  return isCallable ? [`${_tag === "Held" ? "Later, " : "Then "}${same}: what is open is asked about first.`] : waits
}

const told = (outcome: Unsuccessful, call: ClientCall, voice: Voice) => {
  const steps = NextSteps.of(outcome, voice)
  const { person, told, words } = steps
  const text = [
    ...saysOf(outcome, call, voice),
    ...(words.length === 0 ? [] : [`Next: ${words.join("; ")}.`]),
    ...(person.length === 0 ? [] : [`For a person: ${person.join("; or ")}`]),
    ...again(outcome, steps)
  ]
    .map(oneLine)
    .join("\n")
  const about = {
    status: outcome._tag.toLowerCase(),
    ...NextSteps.aboutOf(outcome, voice.run),
    ...(outcome.tick === undefined ? {} : { tick: outcome.tick })
  }
  return JsonRpc.success(call.id, {
    ...ToolResult.text(text),
    isError: true,
    _meta: { [field]: { ...about, ...(told.length === 0 ? {} : { next: told }) } }
  })
}
const isSuccess = ({ message }: JsonRpc.Frame): boolean =>
  message?._tag === "Response" &&
  message.result !== undefined &&
  message.result["isError"] !== true &&
  message.result["resultType"] !== inputRequired
