/**
 * The check of a transition from outside: its bytes, its schema, its type, its author and its payload.
 *
 * A transition is checked where a trace enters, by `import` and `verify`; later {@link Transition.open} trusts it.
 *
 * @source docs/decisions/0002
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Canonical from "../bytes/Canonical.ts"
import * as JsonText from "../bytes/JsonText.ts"
import * as Limits from "../Limits.ts"
import * as Ontology from "./Ontology.ts"
import * as Payload from "./Payload.ts"
import * as Transition from "./Transition.ts"
import * as Vocabulary from "./Vocabulary.ts"

/** Error for input that is no transition. */
export class TransitionInvalid extends Schema.TaggedError<TransitionInvalid>("@backstitch/trace/TransitionInvalid")(
  "TransitionInvalid",
  { tick: Transition.Tick, problem: Schema.String }
) {
  override get message(): string {
    return `Transition ${this.tick} cannot be read: ${this.problem}. Mend the program that wrote it, and export the run again`
  }
}

const Parts = Schema.Struct({ body: Transition.Body, stamp: Transition.Stamp, envelope: Transition.Envelope })
const decodeParts = Schema.decodeUnknownResult(Parts)

/** Criteria for a body from outside: the check of its payload, and the declared types of embedders. */
export interface Criteria {
  readonly malformed?: ((body: Transition.Body) => Payload.PayloadFault | undefined) | undefined
  readonly vocabularies?: ReadonlyArray<Vocabulary.Vocabulary> | undefined
}

/** The reason why a body is refused: its type is unknown, its author may not write it, or its payload does not fit. */
export const refusal = (body: Transition.Body, { malformed, vocabularies = [] }: Criteria): string | undefined => {
  const { author, type } = body
  if (!Ontology.isType(type) && !Ontology.isForeign(type)) return unknown(type)
  const authors = Vocabulary.authorsOf(vocabularies, type)
  if (!authors.includes(author))
    return `${type} is written by the ${authors.join(" or the ")}, and not by the ${author}`
  const wrong = malformed?.(body) ?? Vocabulary.misfit(vocabularies, body)
  return wrong === undefined ? undefined : Payload.told(type, wrong)
}

const unknown = (type: string): string =>
  `there is no type ${JSON.stringify(type.slice(0, Limits.refusing.typeNameCharactersMax))} in version ${Ontology.version} of the ontology`

/**
 * Reads the parts of a transition from outside. Checks that the text is canonical, that it fits the schema, and that
 * its body is not refused.
 */
export const openUntrusted = (sealed: Transition.Sealed, criteria: Criteria = {}): Transition.Transition => {
  for (const part of ["body", "stamp", "envelope"] as const) {
    const read = Canonical.decode(sealed[part])
    if (Result.isFailure(read)) {
      const problem = `its ${part} cannot be read: ${read.failure}`
      throw new TransitionInvalid({ tick: sealed.tick, problem })
    }
  }
  const parts = {
    body: JsonText.read(sealed.body),
    stamp: JsonText.read(sealed.stamp),
    envelope: JsonText.read(sealed.envelope)
  }
  const invalid = (problem: string) => new TransitionInvalid({ tick: sealed.tick, problem })
  const named = Canonical.objectOf(parts.body)["type"]
  // The schema's message would list all existing types.
  if (typeof named === "string" && !Ontology.isType(named) && !Ontology.isForeign(named)) throw invalid(unknown(named))
  const read = decodeParts(parts, { onExcessProperty: "error" })
  if (Result.isFailure(read)) throw invalid(read.failure.message.replaceAll(/\s*\n\s*/g, " "))
  const wrong = refusal(read.success.body, criteria)
  if (wrong !== undefined) throw invalid(wrong)
  return { tick: sealed.tick, ...read.success }
}
