/**
 * Checks the names in a question about a run, so that a misspelt name is reported and not answered with "it never was
 * so".
 */

import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as NearestName from "@backstitch/expressions/NearestName"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as Part from "@backstitch/reducer/Part"
import * as PolicyFlips from "@backstitch/reducer/PolicyFlips"
import type { State } from "@backstitch/reducer/State"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Error for a question with a name that neither the run nor its pack knows. */
export class AskedUnknown extends Schema.TaggedError<AskedUnknown>("@backstitch/runtime/AskedUnknown")("AskedUnknown", {
  what: Schema.Literals(["subject of policy", "kind of anomaly", "type of transition", "field"]),
  asked: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    // A tool is known by the requests for it.
    const named = this.known.filter((each) => each.endsWith(`:${this.asked}`))
    const near = this.asked === "" ? [] : [...new Set([...named, ...NearestName.similar(this.asked, this.known)])]
    const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`
    return `There is no ${this.what} "${this.asked}".${hint} There are ${this.known.join(", ")}`
  }
}

/**
 * Accepts a question, or refuses a name in it.
 *
 * **Details**
 *
 * Known names are those that the run has seen and those that it could have seen: types of transitions, tools of the
 * pack, and kinds of anomalies.
 */
export const check = (
  question: OnsetQuestion.OnsetQuestion,
  state: State,
  pack: TaskPack.TaskPack | undefined
): Result.Result<void, AskedUnknown> => {
  const among = (what: AskedUnknown["what"], name: string, may: (name: string) => boolean, told: Iterable<string>) =>
    may(name)
      ? Result.succeed(undefined)
      : Result.fail(new AskedUnknown({ what, asked: name, known: [...new Set(told)].sort() }))
  if (question._tag === "PolicyFlip") {
    const tools = Object.keys(pack?.tools ?? {}).map((tool) => `action.request:${tool}`)
    const known = ["action.request", ...tools, ...Object.keys(Part.get(PolicyFlips.part, state))]
    const isKnown = (name: string) => known.includes(name) || Ontology.isType(name)
    return among("subject of policy", question.subject, isKnown, known)
  }
  if (question._tag === "Anomaly" && question.kind !== undefined) {
    const known = [...Anomalies.kinds, ...Object.keys(Part.get(Anomalies.part, state))]
    return among("kind of anomaly", question.kind, (name) => known.includes(name), known)
  }
  return Result.succeed(undefined)
}
