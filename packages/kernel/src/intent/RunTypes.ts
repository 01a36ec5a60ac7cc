/**
 * The types that a proposal may have in a run, their authors and payloads.
 *
 * A type is one of the ontology, or of a vocabulary that the kernel has and the run pins. A run uses the types that
 * it began with, as it uses the fold parts that it began with.
 *
 * @source docs/decisions/0029
 */
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { State } from "@backstitch/reducer/State"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Body } from "@backstitch/trace/Transition"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import * as Check from "../payload/Check.ts"
import * as Payload from "../payload/Payload.ts"
import type { DecisionTerms } from "../state/DecisionTerms.ts"

/** The check that fails if the run cannot have a type; nothing if it can. */
export const unknown = (
  { vocabularies = [] }: Pick<DecisionTerms, "vocabularies">,
  state: State,
  type: string
): Check.Check | undefined => {
  if (Ontology.isType(type)) return undefined
  const definition = Vocabulary.find(vocabularies, type)
  const namespace = Ontology.segmentOf(type)
  if (definition === undefined) {
    return Check.fail("authorship", type, "type.unknown", { type, ...(Ontology.isForeign(type) ? { namespace } : {}) })
  }
  const { since = 1 } = definition
  const { namespaces = {} } = PackInForce.of(state)
  const pinned = Object.hasOwn(namespaces, namespace) ? namespaces[namespace] : undefined
  if (pinned !== undefined && pinned >= since) return undefined
  return Check.fail("authorship", type, "type.unpinned", {
    namespace,
    since,
    type,
    ...(pinned === undefined ? {} : { pinned })
  })
}

/** Lists the authors of a type that the kernel knows. */
export const authors = (
  { vocabularies = [] }: Pick<DecisionTerms, "vocabularies">,
  type: string
): ReadonlyArray<Ontology.Author> => Vocabulary.authorsOf(vocabularies, type as Ontology.TypeName)

/** The check that fails if a payload does not fit its type; nothing if it fits. */
export const misfit = (
  { vocabularies = [] }: Pick<DecisionTerms, "vocabularies">,
  { data = {}, type }: { readonly data: Body["data"] | undefined; readonly type: string }
): Check.Check | undefined => {
  const body = { data, type: type as Ontology.TypeName }
  const wrong = Ontology.isType(type) ? Payload.misfit(body) : Vocabulary.misfit(vocabularies, body)
  return wrong === undefined
    ? undefined
    : Check.fail("schema", type, "payload.misfit", { path: wrong.path, type }, wrong.problem)
}
